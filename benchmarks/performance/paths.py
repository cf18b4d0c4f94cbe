"""Sums over simple paths, compared with networkx, rustworkx and a compiled depth-first walk, on one random graph.

Every way answers the same pairs, and each answer is compared with ours before its time counts. Slow ways answer fewer
pairs. The time of ours for all pairs is scaled up from a sample of concepts.
"""

import json
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.performance.all_pairs import sums_from
from benchmarks.performance.measure import WrongAnswer, machine, say
from benchmarks.performance.rivals.walks import depth_first
from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.paths import pooled, totals
from groundwork import compiled
from groundwork.network import Network

KINDS = ("associate", "cause", "treat")


@dataclass(frozen=True)
class Graph:
    """A random graph as our lanes and as a list of (a, b, probability)."""

    lanes: Lanes
    edges: list[tuple[int, int, float]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = ArgumentParser(prog="python -m benchmarks.performance.paths", description=__doc__)
    parser.add_argument("--concepts", type=int, default=5000)
    parser.add_argument("--degrees", default="20,50,100")
    parser.add_argument("--pairs", type=int, default=100, help="pairs for the fast ways")
    parser.add_argument("--seconds", type=float, default=20.0, help="at most about so long a way and setting")
    parser.add_argument("--networkx", type=int, default=50, help="largest degree that networkx is asked at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    compiled.MANY = 0  # everything runs compiled
    table = Table("degree", "hops", "way", "pairs", "p50 ms", "p95 ms", "CPU ms a pair", title="Sums over simple paths")
    rows = [row for degree in map(int, options.degrees.split(",")) for row in _measured(options, degree)]
    for row in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=130).print(table)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "asked": vars(options), "rows": rows}, default=str))


def made(concepts: int, degree: int, seed: int) -> Graph:
    """Return a graph of pairs drawn at random, each with one relation and 1 to 6 articles."""
    rng = np.random.default_rng(seed)
    ends = np.unique(np.sort(rng.integers(0, concepts, (concepts * degree // 2, 2)), axis=1), axis=0)
    ends = ends[ends[:, 0] != ends[:, 1]]
    keys = tuple(f"Gene|{number:06}" for number in range(concepts))
    kinds, articles = rng.integers(0, len(KINDS), len(ends)), rng.integers(1, 7, len(ends))
    network = Network(keys, KINDS, ends[:, 0], ends[:, 1], kinds, articles, np.zeros(len(ends)))
    weights = Weights().probabilities(network)
    edges = list(zip(ends[:, 0].tolist(), ends[:, 1].tolist(), weights.tolist(), strict=True))
    return Graph(lanes(network, Weights()), edges)


def _measured(options: Namespace, degree: int) -> Iterator[dict[str, Any]]:
    graph = made(options.concepts, degree, options.seed)
    rng = np.random.default_rng(options.seed + 1)
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, options.concepts, (options.pairs, 2)) if a != b]
    for hops in (3, 4):
        truth = [float(totals(graph.lanes.arcs, min(pair), max(pair), hops)[1].sum()) for pair in pairs]
        for name, way in _ways(graph, hops):
            if name == "networkx" and degree > options.networkx:
                continue
            say(f"degree {degree}, {hops} hops: {name}")
            if "networkx" not in name and name != "rustworkx":
                way(*pairs[0])  # is compiled here, before the timing
            yield {"degree": degree, "hops": hops, "way": name, **_timed(way, pairs, truth, options.seconds)}
    yield _all_pairs(graph, degree, options)


def _ways(graph: Graph, hops: int) -> Iterator[tuple[str, Callable[[int, int], float]]]:
    made = graph.lanes
    arcs, keys = made.arcs, made.keys
    yield "ours: sums and largest by sign", lambda a, b: float(totals(made.arcs, min(a, b), max(a, b), hops)[1].sum())
    yield "ours: with noisy-or", lambda a, b: float(pooled(made, keys[a], keys[b], hops).sum.sum())
    walk = depth_first()
    yield "numba depth-first", lambda a, b: float(walk(arcs.first, arcs.target, arcs.weight, a, b, hops))
    if find_spec("rustworkx"):
        yield "rustworkx", _by_library("rustworkx", graph, hops)
    yield "networkx", _by_library("networkx", graph, hops)


def _by_library(name: str, graph: Graph, hops: int) -> Callable[[int, int], float]:
    """Return a way that lists all simple paths and adds up their products."""
    library: Any = import_module(name)
    weight = {(a, b): w for a, b, w in graph.edges}
    weight |= {(b, a): w for a, b, w in graph.edges}
    if name == "rustworkx":
        built = library.PyGraph(multigraph=False)
        built.add_nodes_from(range(len(graph.lanes.keys)))
        built.add_edges_from(graph.edges)
        paths = lambda a, b: library.all_simple_paths(built, a, b, cutoff=hops + 1)  # noqa: E731 - two of a kind
    else:
        built = library.Graph()
        built.add_weighted_edges_from(graph.edges)
        paths = lambda a, b: library.all_simple_paths(built, a, b, cutoff=hops)  # noqa: E731 - two of a kind

    def total(a: int, b: int) -> float:
        found = 0.0
        for path in paths(a, b):
            product = 1.0
            for step in pairwise(path):
                product *= weight[step]
            found += product
        return found

    return total


def _timed(
    way: Callable[[int, int], float], pairs: Sequence[tuple[int, int]], truth: Sequence[float], seconds: float
) -> dict[str, Any]:
    """Time a way pair by pair until the time is up."""
    walls: list[float] = []
    began, used = time.perf_counter(), 0.0
    for (a, b), wanted in zip(pairs, truth, strict=True):
        cpu, wall = time.process_time(), time.perf_counter()
        found = way(a, b)
        walls.append(time.perf_counter() - wall)
        used += time.process_time() - cpu
        if abs(found - wanted) > 1e-9 * wanted:
            raise WrongAnswer(f"{a}-{b}: {found}, and by ours {wanted}")
        if time.perf_counter() - began > seconds:
            break
    ms = np.array(walls) * 1000.0
    return {
        "pairs": len(walls),
        "p50": float(np.median(ms)),
        "p95": float(np.quantile(ms, 0.95)),
        "cpu": used * 1000.0 / len(walls),
    }


def _all_pairs(graph: Graph, degree: int, options: Namespace) -> dict[str, Any]:
    """Return the time of our sums for all pairs, scaled up from a sample of concepts."""
    concepts, sample = len(graph.lanes.keys), 50
    next(sums_from(graph.lanes, [0], 4))  # is compiled here, before the timing
    began = time.process_time()
    rows = sums_from(graph.lanes, range(sample + 1), 4)
    next(rows)  # the first row includes the work that all sources share
    first = time.process_time() - began
    more = sum(1 for _ in rows)
    used = first + (time.process_time() - began - first) / more * (concepts - 1)
    say(f"degree {degree}: all pairs <= 4 hops {used:.1f} CPU s, from {more + 1} of {concepts} concepts")
    share = used * 1000.0 / (concepts * (concepts - 1) / 2)
    return {
        "degree": degree,
        "hops": 4,
        "way": "ours: all pairs",
        "pairs": "all",
        "p50": used,
        "p95": "s",
        "cpu": share,
    }


if __name__ == "__main__":
    main()
