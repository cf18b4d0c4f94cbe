"""Sums over simple paths, compared with other ways, and from one concept to all others at once.

At once, they are all walks minus those that revisit a concept.
Let W be the symmetric matrix of lanes, D and T the diagonals of W^2 and W^3, and o the elementwise product. Off the
diagonal, the sums over paths by number of hops are

    P2 = W^2    P3 = W^3 - DW - WD + WoWoW
    P4 = (W^3 - WD + WoWoW) W - D W^2 - W^2 D - T W - W T + 3 WoW o W^2 + W (WoWoW)

One row costs two products of a vector with W, for any number of pairs. The identity is polynomial, so the channels
follow from four such rows: all lanes, signed lanes, signed lanes times their sign, and similarity alone. The
subtraction can lose digits. The same rows of whole numbers, exact in doubles, show where no path exists. Pairs whose
sum is small compared with the subtracted terms are summed by `sums` instead.
"""

import json
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import parser_of
from benchmarks.performance.measure import WrongAnswer, machine, say
from fuzzygraph.lanes import CHANNELS, Lanes, Weights, lanes
from fuzzygraph.paths import Four, pooled, totals
from groundwork import compiled as compilation
from groundwork.compiled import compiled
from groundwork.network import Bools, Floats, Ints, Marks, Network
from groundwork.walks import Signs

#: A sum below this share of the added and subtracted terms may have an error above 1e-9.
_SOUND = 1e-5
#: Whole numbers above this are not exact in doubles.
_EXACT = 2.0**53
#: Factor of a lane in the four rows, by its channel. The rows: all lanes, signed ones, times their sign, similarity.
_FACTORS = np.array([[1, 1, -1, 0], [1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=np.float64)
KINDS = ("associate", "cause", "treat")


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of concepts with lanes, by rows: four sums and four counts of each, and diagonals of powers."""

    first: Ints
    target: Marks
    weight: Floats
    squares: Floats
    cubes: Floats


def sums_from(lanes: Lanes, sources: Iterable[int], hops: int) -> Iterator[tuple[int, Floats]]:
    """Yield sums over the simple paths of at most `hops` hops from each source to all concepts.

    Args:
        lanes: The lanes that paths use.
        sources: Numbers of concepts.
        hops: 1 to 4.

    Yields:
        A source, and an array (channels, concepts). It is 0 at the source itself, and exactly 0 where there is no path.
    """
    arcs, pairs, size = lanes.arcs, _pairs(lanes), lanes.arcs.size
    walked = arcs.first, arcs.target, arcs.mark, arcs.weight, _FACTORS
    joined = pairs.first, pairs.target, pairs.weight, pairs.squares
    powers = np.zeros((5, size, 8))  # allocated once for five rows, because allocation costs more than filling
    for source in sources:
        found, lost = np.zeros((CHANNELS, size)), np.zeros(size, dtype=np.bool_)
        _powers.over(len(arcs.target) + size)(*walked, *joined, source, hops, powers)
        _rows.over(len(arcs.target) + size)(powers, pairs.squares, pairs.cubes, source, hops, found, lost)
        for tail in np.flatnonzero(lost).tolist():
            found[:, tail] = totals(lanes.arcs, min(source, tail), max(source, tail), hops)[1].sum(axis=0)
        yield source, found


def _pairs(lanes: Lanes) -> _Pairs:
    """Return the lanes of each pair of concepts, added up."""
    arcs = lanes.arcs
    source = np.repeat(np.arange(arcs.size), np.diff(arcs.first))
    new = np.ones(len(arcs.target), dtype=bool)
    new[1:] = (source[1:] != source[:-1]) | (arcs.target[1:] != arcs.target[:-1])
    begins = np.flatnonzero(new)
    first = np.searchsorted(source[begins], np.arange(arcs.size + 1)).astype(np.int64)
    factors = _FACTORS[arcs.mark]
    lane = np.hstack([factors * arcs.weight[:, None], factors])
    joined = np.add.reduceat(lane, begins, axis=0) if begins.size else lane
    columns = first, arcs.target[begins], joined
    return _Pairs(*columns, *_diagonals.over(len(arcs.target))(*columns))


@compiled()
def _diagonals(first: Ints, target: Marks, weight: Floats) -> tuple[Floats, Floats]:
    """Return the diagonals of the second and the third power."""
    size = len(first) - 1
    squares, cubes, row = np.zeros((size, 8)), np.zeros((size, 8)), np.zeros((size, 8))
    for i in range(size):
        for at in range(first[i], first[i + 1]):
            squares[i] += weight[at] * weight[at]
            row[target[at]] = weight[at]
        for at in range(first[i], first[i + 1]):
            j = target[at]
            for to in range(first[j], first[j + 1]):
                for k in range(8):
                    cubes[i, k] += weight[at, k] * weight[to, k] * row[target[to], k]
        for at in range(first[i], first[i + 1]):
            row[target[at]] = 0.0
    return squares, cubes


def _onward(first: Ints, target: Marks, mark: Signs, weight: Floats, factors: Floats, x: Floats, y: Floats) -> None:
    """Add each row of x times the lanes to y: four columns of sums and four of counts. Fast if most rows are empty."""
    for i in range(len(x)):
        if x[i, 0] != 0.0 or x[i, 4] != 0.0:
            for at in range(first[i], first[i + 1]):
                j, c, w = target[at], mark[at], weight[at]
                for k in range(4):
                    y[j, k] += x[i, k] * factors[c, k] * w
                    y[j, k + 4] += x[i, k + 4] * factors[c, k]


def _onto(first: Ints, target: Marks, mark: Signs, weight: Floats, factors: Floats, x: Floats, y: Floats) -> None:
    """Set y to x times the lanes. For full rows: sums in local variables stay in registers, which halves the time."""
    for i in range(len(x)):
        a = b = c = d = e = f = g = h = 0.0
        for at in range(first[i], first[i + 1]):
            j, m, w = target[at], mark[at], weight[at]
            p, q, r, s = factors[m, 0], factors[m, 1], factors[m, 2], factors[m, 3]
            a, b, c, d = a + x[j, 0] * p * w, b + x[j, 1] * q * w, c + x[j, 2] * r * w, d + x[j, 3] * s * w
            e, f, g, h = e + x[j, 4] * p, f + x[j, 5] * q, g + x[j, 6] * r, h + x[j, 7] * s
        y[i, 0], y[i, 1], y[i, 2], y[i, 3], y[i, 4], y[i, 5], y[i, 6], y[i, 7] = a, b, c, d, e, f, g, h


def _beside(
    begin: Ints, other: Marks, pair: Floats, squares: Floats, source: int, one: Floats, four: Floats, back: Floats
) -> None:
    """Add W(WoWoW) to four and WDW to back, in row `source`. `one` is the row of W."""
    for at in range(begin[source], begin[source + 1]):
        i = other[at]
        for to in range(begin[i], begin[i + 1]):
            for k in range(8):
                w = pair[to, k]
                four[other[to], k] += one[i, k] * w * w * w
                back[other[to], k] += one[i, k] * squares[i, k] * w


def _sum(hops: int, one: float, two: float, walk: float, four: float, d: float, s: float, t: float) -> float:
    """Return P1 + P2 + ... at a concept. d: square of the source; s, t: sums of both squares and both cubes."""
    found = one + two
    if hops >= 3:
        found += walk - d * one
    if hops >= 4:
        found += four + 3.0 * one * one * two - (s * two + t * one)
    return found


def _terms(hops: int, one: float, two: float, walk: float, onward: float, s: float, own: float, t: float) -> float:
    """Return the sum of the absolute terms of `_sum`, for lanes without a sign. own: the concept's own square."""
    found = one + two
    if hops >= 3:
        found += walk + (own + s) * one
    if hops >= 4:
        found += onward + 3.0 * one * one * two + s * two + t * one
    return found


def _split(row: Floats, begin: int) -> Four:
    """Return the sums by channel from the four values that start at `begin`."""
    every, either, signed, alike = row[begin], row[begin + 1], row[begin + 2], row[begin + 3]
    return (either - signed) / 2.0, every - either, (either + signed) / 2.0 - alike, alike


@compiled(_onward, _onto, _beside)
def _powers(
    first: Ints,
    target: Marks,
    mark: Signs,
    weight: Floats,
    factors: Floats,
    begin: Ints,
    other: Marks,
    pair: Floats,
    squares: Floats,
    source: int,
    hops: int,
    powers: Floats,
) -> None:
    """Compute row `source` of W, W^2, W^3 - WD + WoWoW, its product with W plus W(WoWoW), and WDW, up to `hops`."""
    one, two, walk, four, back = powers[0], powers[1], powers[2], powers[3], powers[4]
    powers[:] = 0.0
    for at in range(begin[source], begin[source + 1]):
        one[other[at]] = pair[at]
    if hops >= 2:
        _onward(first, target, mark, weight, factors, one, two)
    if hops >= 3:
        _onward(first, target, mark, weight, factors, two, walk)
        for at in range(begin[source], begin[source + 1]):
            i = other[at]
            for k in range(8):
                walk[i, k] += one[i, k] * (one[i, k] * one[i, k] - squares[i, k])
    if hops >= 4:
        _onto(first, target, mark, weight, factors, walk, four)
        _beside(begin, other, pair, squares, source, one, four, back)


@compiled(_sum, _terms, _split)
def _rows(powers: Floats, squares: Floats, cubes: Floats, source: int, hops: int, found: Floats, lost: Bools) -> None:
    """Fill row `source` of P1 + P2 + ... by channel, and mark where too many digits were lost."""
    one, two, walk, four, back = powers[0], powers[1], powers[2], powers[3], powers[4]
    row, most = np.zeros(8), np.zeros(2)
    for i in range(len(one)):
        if i == source:
            continue
        for k in range(8):
            d, s, t = squares[source, k], squares[source, k] + squares[i, k], cubes[source, k] + cubes[i, k]
            row[k] = _sum(hops, one[i, k], two[i, k], walk[i, k], four[i, k], d, s, t)
        for n in range(2):
            k = 4 * n
            s, t = squares[source, k] + squares[i, k], cubes[source, k] + cubes[i, k]
            onward = four[i, k] + 2.0 * back[i, k]
            most[n] = _terms(hops, one[i, k], two[i, k], walk[i, k], onward, s, squares[i, k], t)
        sums, counts = _split(row, 0), _split(row, 4)
        for channel in range(4):
            if counts[channel] != 0.0:
                found[channel, i] = sums[channel]
                lost[i] |= most[1] >= _EXACT or sums[channel] < _SOUND * most[0]


def depth_first() -> Callable[..., float]:
    """Return the compiled walk: (first, target, weight, start, end, hops) -> sum."""
    from numba import njit

    @njit
    def two_more(first: Any, target: Any, weight: Any, j: int, i: int, barred: Any, last: Any) -> float:
        total = 0.0
        for at in range(first[j], first[j + 1]):
            if target[at] != i and not barred[target[at]]:
                total += weight[at] * last[target[at]]
        return total

    @njit
    def walk(first: Any, target: Any, weight: Any, start: int, end: int, hops: int) -> float:
        last, barred = np.zeros(len(first) - 1), np.zeros(len(first) - 1, dtype=np.bool_)
        for at in range(first[end], first[end + 1]):
            last[target[at]] += weight[at]
        barred[start] = barred[end] = True
        total = last[start]
        for at in range(first[start], first[start + 1]):
            i = target[at]
            total += weight[at] * last[i] if hops >= 2 and not barred[i] else 0.0
            for over in range(first[i], first[i + 1] if hops >= 3 and not barred[i] else first[i]):
                j = target[over]
                if not barred[j]:
                    onward = last[j]
                    if hops >= 4:
                        onward += two_more(first, target, weight, j, i, barred, last)
                    total += weight[at] * weight[over] * onward
        return total

    return walk


@dataclass(frozen=True)
class Graph:
    """A random graph as our lanes and as a list of (a, b, probability)."""

    lanes: Lanes
    edges: list[tuple[int, int, float]]


def paths(arguments: Sequence[str] | None = None) -> None:
    """Sums over simple paths, compared with networkx, rustworkx and a compiled depth-first walk, on one random graph.

    Every way answers the same pairs, and each answer is compared with ours before its time counts. Slow ways answer
    fewer pairs. The time of ours for all pairs is scaled up from a sample of concepts.
    """
    parser = parser_of(paths)
    parser.add_argument("--concepts", type=int, default=5000)
    parser.add_argument("--degrees", default="20,50,100")
    parser.add_argument("--pairs", type=int, default=100, help="pairs for the fast ways")
    parser.add_argument("--seconds", type=float, default=20.0, help="at most about so long a way and setting")
    parser.add_argument("--networkx", type=int, default=50, help="largest degree that networkx is asked at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    compilation.MANY = 0  # everything runs compiled
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
