"""Measure how the main operations grow with the data."""

import json
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import cypher
import truthhypo
from benchmarks.performance import judging, lookups, measure
from benchmarks.performance.judging import DOCUMENTS
from benchmarks.performance.measure import check, machine, program, say, timed
from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.likelihood import damped, observe, shipped
from fuzzygraph.support import score_calibrated, weigh
from groundwork.ports import GraphReader
from groundwork.settings import Settings
from groundwork.walks import Arcs
from tests.conftest import DATA

#: Relation edges of PubTator3 (37 M rows), and records of PubMed.
_EDGES, _ABSTRACTS = 11_100_000, 38_000_000
#: Rows for each concept that may be related: PubTator3's density at 5 M rows.
_ROWS_A_CONCEPT = 83
#: Operations whose cost depends on the number of abstracts. The cost of the others depends on the number of edges.
_OF_TEXTS = "load of PubMed", "search", "ground"
_SHARES = 0.02, 0.01, 0.01  # shares of the edges that a successor changes, removes and adds


@dataclass(frozen=True)
class Cost:
    """The time and memory of an operation.

    Attributes:
        size: Number of edges of the graph, or of abstracts.
        seconds: Processor seconds.
        wall: Seconds by the clock.
        peak: Peak memory of its process in MB. None if not measured.
    """

    size: int
    seconds: float
    wall: float
    peak: float | None = None


def growth(arguments: Sequence[str] | None = None) -> None:
    """Measure how the cost of the main operations on embedded stores grows with their size, and estimate it for all of
    PubTator3 and PubMed.

    Releases of several sizes are loaded, each followed by a successor, and several numbers of PubMed records beside
    some real documents. Loads and `graph stats` are commands, each in a separate process. Other questions are asked in
    one process, and the processor time of the median question counts. An operation that takes a * size^k has the
    exponent k, fitted by least squares on logarithms.

    Large sizes take hours, so they can be measured one by one. The file of `--json` keeps the results of other sizes,
    and they are part of the table and the exponents.
    """
    parser = measure.parser(growth)
    parser.add_argument("--rows", default="1000000,5000000,20000000", help="sizes of the release, with commas")
    parser.add_argument("--questions", type=int, default=100, help="of each kind, after as many to get warm")
    parser.add_argument("--abstracts", default="100000,500000,1000000", help="numbers of PubMed records, with commas")
    options = measure.asked(parser, arguments)
    graphs = _measured(options, options.rows, _graph)
    texts = _measured(options, options.abstracts, _abstracts)
    every = joined(_kept(options.json), graphs | texts)
    of_texts = {name: costs for name, costs in every.items() if name in _OF_TEXTS}
    _show({name: costs for name, costs in every.items() if name not in of_texts}, "edges", _EDGES)
    _show(of_texts, "abstracts", _ABSTRACTS)
    if options.json:
        kept = {name: [asdict(cost) for cost in found] for name, found in every.items()}
        told = {"machine": machine(), "asked": vars(options), "costs": kept}
        options.json.write_text(json.dumps(told, indent=1, default=str) + "\n", "utf-8")


def exponent(costs: Sequence[Cost]) -> float:
    """Return the power of the size by which the processor time grows. NaN if there is only one size."""
    if len({cost.size for cost in costs}) < 2:
        return float("nan")
    sizes, seconds = (np.log([getattr(cost, name) for cost in costs]) for name in ("size", "seconds"))
    return float(np.polyfit(sizes, seconds, 1)[0])


def joined(before: Mapping[str, Sequence[Cost]], now: Mapping[str, Sequence[Cost]]) -> dict[str, list[Cost]]:
    """Return the costs of both, ordered by size. If both have a size, the cost in `now` counts."""
    every: dict[str, dict[int, Cost]] = {}
    for costs in (before, now):
        for name, found in costs.items():
            every.setdefault(name, {}).update((cost.size, cost) for cost in found)
    return {name: [found[size] for size in sorted(found)] for name, found in every.items()}


def _kept(file: Path | None) -> dict[str, list[Cost]]:
    """Return the costs in a file of earlier runs, or no costs if there is no file."""
    if file is None or not file.exists():
        return {}
    costs = json.loads(file.read_text("utf-8"))["costs"]
    return {name: [Cost(**cost) for cost in found] for name, found in costs.items()}


def _measured(
    options: Namespace, sizes: str, measure: Callable[[Namespace, int, Path], Iterator[tuple[str, Cost]]]
) -> dict[str, list[Cost]]:
    """Return the costs of each operation at each size, by name."""
    costs: dict[str, list[Cost]] = {}
    for size in map(int, filter(None, sizes.split(","))):
        with tempfile.TemporaryDirectory(dir=options.work) as scratch:
            for name, cost in measure(options, size, Path(scratch)):
                costs.setdefault(name, []).append(cost)
    return costs


def _graph(options: Namespace, rows: int, home: Path) -> Iterator[tuple[str, Cost]]:
    """Yield the name and the cost of each operation on a release of so many rows."""
    release, truth = measure.relations(options.work, rows, rows // _ROWS_A_CONCEPT, options.seed, 0.001)
    following, _ = measure.successor(release, *_SHARES)
    edges = truth["edges"]
    yield "load", _command(edges, "ingest", "relations", release, "--home", home)
    stats = _command(edges, "graph", "stats", "--home", home, told={"digest": truth["digest"]})
    yield "stats", replace(stats, peak=None)  # the peak of a child is never reported below the memory of this process
    store = cypher.connect(f"embedded:{home / 'graph'}", Settings(home=home), read_only=True)
    yield from _look_ups(store, edges, options)
    store.close()
    yield "successor", _command(edges, "ingest", "relations", following, "--home", home)


def _abstracts(options: Namespace, records: int, home: Path) -> Iterator[tuple[str, Cost]]:
    """Yield the name and the cost of each operation on so many PubMed records beside real documents."""
    documents = [DATA / name for name in DOCUMENTS]
    timed(program("ingest", "documents", *documents, "--home", home))
    folder, truth = measure.articles(options.work, records, options.seed)
    baseline = [folder / name for name in truth["baseline"]]
    yield "load of PubMed", _command(records, "ingest", "pubmed", *baseline, "--home", home)
    wanted = Namespace(**vars(options), records=records, words=12, share=0.9, k=32)
    wanted.questions *= 2
    asked = json.loads(lookups.asked_of(wanted, baseline).read_text("utf-8"))
    with truthhypo.connect(home=home) as world:
        ask = partial(world.literature.search, k=asked["k"], before=asked["before"])
        yield "search", _median(records, ask, [(text,) for text in asked["texts"]])
        claims = judging.statements(documents, 2 * options.questions, options.seed)
        yield "ground", _median(records, world.ground, [(text,) for text in claims])


def _command(size: int, *arguments: object, told: Mapping[str, object] | None = None) -> Cost:
    say(" ".join(map(str, arguments)))
    run = timed(program(*arguments))
    for name, wanted in (told or {}).items():
        check(name, run.told[name], wanted)
    return Cost(size, run.cpu, run.wall, run.peak)


def _look_ups(store: GraphReader, edges: int, options: Namespace) -> Iterator[tuple[str, Cost]]:
    rng = np.random.default_rng(options.seed)
    keys = [concept.key for concept in store.every_concept()]
    pairs = [(keys[a], keys[b]) for a, b in rng.integers(0, len(keys), (2 * options.questions, 2)).tolist()]
    asked: dict[str, Callable[[str, str], Any]] = {
        "find": lambda a, _: store.find(a),
        "edges": lambda a, b: store.edges([a, b]),
        **{f"chains {hops}": partial(_chains, store, hops) for hops in (2, 3, 4)},
        "risk 3": Risk(store),
    }
    for name, ask in asked.items():
        say(name)
        yield name, _median(edges, ask, pairs)


def _chains(store: GraphReader, hops: int, a: str, b: str) -> object:
    return store.chains(a, b, hops=hops)


class Risk:
    """Weighs the paths of at most three hops for a claim, and gives the calibrated score. What depends on a network
    alone is made once, as in `risk`.

    Args:
        store: The graph.
    """

    def __init__(self, store: GraphReader) -> None:
        self._store = store
        self._relations = sum(store.counts().edges.values())
        self._made: tuple[Lanes, Arcs] | None = None

    def __call__(self, a: str, b: str) -> object:
        """Weigh the paths between two concepts."""
        network = self._store.network(a, b, hops=3)
        if self._made is None or self._made[0].network is not network:
            made = lanes(network, Weights())
            self._made = made, damped(made)
        evidence = weigh(self._made[0], a, b, 3, claim=1)
        observed = observe(*self._made, self._relations, a, b, 3)
        return evidence, score_calibrated(observed, shipped()[0], 1, negated=False)


def _median(size: int, ask: Callable[..., Any], questions: Sequence[tuple[str, ...]]) -> Cost:
    """Return the median cost of a question in the second half. The first half is for warming up."""
    cpus, walls = [], []
    for question in questions:
        cpu, wall = time.process_time(), time.perf_counter()
        ask(*question)
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
    half = len(questions) // 2
    return Cost(size, float(np.median(cpus[half:])), float(np.median(walls[half:])))


def _show(costs: Mapping[str, Sequence[Cost]], unit: str, whole: int) -> None:
    sizes = [cost.size for cost in next(iter(costs.values()), ())]
    columns = [f"{size / 1e6:.2f} M {unit}, CPU s" for size in sizes]
    table = Table("operation", *columns, "peak MB", "exponent", f"{whole / 1e6:.1f} M {unit}, CPU s", title="Growth")
    for name, found in costs.items():
        power, last = exponent(found), found[-1]
        peak = "" if last.peak is None else f"{last.peak:,.0f}"
        all_of_it = last.seconds * (whole / last.size) ** power
        table.add_row(name, *(f"{cost.seconds:.4g}" for cost in found), peak, f"{power:.2f}", f"{all_of_it:.3g}")
    Console(width=150).print(table)
