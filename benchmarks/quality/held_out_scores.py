"""Scores of pairs on the remaining graph: neighbours, path probabilities, degree-weighted paths."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.quality.held_out_split import Case, Floats, Ints, Statement
from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.paths import pooled
from groundwork.chance import noisy_or
from groundwork.network import Network
from groundwork.records import Link, split_key
from groundwork.vocabulary import SIMILAR_TO, canonical
from groundwork.walks import Arcs
from tests.networks import of_links

#: Exponents by which degrees are damped (Himmelstein 2015 chose 0.4 from a grid).
DAMPING = (0.3, 0.5, 0.7)
HOPS = 3


def topology(left: Sequence[Statement], cases: Sequence[Case]) -> dict[str, Floats]:
    """Return scores by the structure of the graph: {name of the score: scores}. No edge joins the ends of a case.

    `paths` is the noisy-or over simple paths of at most three hops with beliefs; `half` uses 1/2 for every edge.

    Args:
        left: The graph.
        cases: Pairs to score.
    """
    keys = sorted({end for s in left for end in s.pair} | {end for c in cases for end in (c.head, c.tail)})
    place = {key: number for number, key in enumerate(keys)}
    near, degree = _neighbours({s.pair for s in left if s.head != s.tail}, place)
    heads, tails = _ends(cases, place)
    found = _common(near, degree, heads, tails)
    for exponent in DAMPING:
        damped = _damped(near, degree, exponent)
        found[f"dwpc {exponent}"] = _walks(damped, heads, tails, 2) + _walks(damped, heads, tails, HOPS)
    made = lanes(network(left, cases), Weights())
    found["paths"], found["path sum"] = paths(made, cases)
    found["half"] = paths(halved(made), cases)[0]
    return found


def network(left: Iterable[Statement], cases: Iterable[Case], alike: Iterable[tuple[str, str, float]] = ()) -> Network:
    """Return the graph as links. The articles of an edge are the documents that state it.

    Args:
        left: Statements.
        cases: Pairs whose ends must be in the network.
        alike: Similarity edges: two keys and a cosine.
    """
    stated: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for statement in left:
        stated[(*canonical(statement.head, statement.tail), statement.kind)].add(statement.document)
    links = [Link(a, b, kind, len(documents), None) for (a, b, kind), documents in stated.items() if a != b]
    links += [Link(*canonical(a, b), SIMILAR_TO, 0, cosine) for a, b, cosine in alike]
    return of_links(links, (end for case in cases for end in (case.head, case.tail)))


def paths(made: Lanes, cases: Iterable[Case], hops: int = HOPS) -> tuple[Floats, Floats]:
    """Return noisy-or and sum over the simple paths between the ends of each pair, regardless of signs."""
    found = [pooled(made, case.head, case.tail, hops) for case in cases]
    likely = np.array([noisy_or(each.noisy_or.tolist()) for each in found])
    return likely, np.array([float(each.sum.sum()) for each in found])


def halved(made: Lanes) -> Lanes:
    """Return the same lanes with probability 1/2 each."""
    arcs = made.arcs
    return Lanes(made.network, Arcs(arcs.first, arcs.target, arcs.mark, np.full_like(arcs.weight, 0.5), arcs.link))


def metapaths(left: Sequence[Statement], cases: Sequence[Case]) -> dict[str, Floats]:
    """Return degree-weighted paths of two and three hops, by the types of their inner concepts.

    Args:
        left: The graph.
        cases: Pairs to score.
    """
    import scipy.sparse as sparse

    keys = sorted({end for s in left for end in s.pair} | {end for c in cases for end in (c.head, c.tail)})
    place = {key: number for number, key in enumerate(keys)}
    near, degree = _neighbours({s.pair for s in left if s.head != s.tail}, place)
    types = np.array([split_key(key)[0] for key in keys])
    ordered = [sorted((c.head, c.tail), key=lambda key: (split_key(key)[0], key)) for c in cases]
    heads, tails = (np.array([place[pair[side]] for pair in ordered], dtype=np.int64) for side in (0, 1))
    damped = _damped(near, degree, 0.5)
    found: dict[str, Floats] = {}
    common = [kind for kind, count in Counter(types.tolist()).most_common(4) if count]
    through = {kind: sparse.diags((types == kind).astype(float)) for kind in common}
    begun, ended = damped[heads], damped[tails]
    for one in common:
        found[one] = _sum(begun @ through[one], ended)
        for other in common:
            found[f"{one} {other}"] = _sum(begun @ through[one] @ damped @ through[other], ended)
    return found


def _ends(cases: Sequence[Case], place: Mapping[str, int]) -> tuple[Ints, Ints]:
    heads, tails = [place[case.head] for case in cases], [place[case.tail] for case in cases]
    return np.array(heads, dtype=np.int64), np.array(tails, dtype=np.int64)


def _neighbours(pairs: Iterable[tuple[str, str]], place: Mapping[str, int]) -> tuple[Any, Floats]:
    """Return the adjacency matrix (sparse, of ones) and the degrees."""
    import scipy.sparse as sparse

    joined = sorted((place[a], place[b]) for a, b in pairs)
    rows, columns = np.array(joined, dtype=np.int64).reshape(-1, 2).T
    half = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(place), len(place)))
    near = (half + half.T).tocsr()
    return near, np.asarray(near.sum(axis=1)).ravel()


def _common(near: Any, degree: Floats, heads: Ints, tails: Ints) -> dict[str, Floats]:
    """Return common neighbours, Jaccard, and Adamic-Adar (2003)."""
    import scipy.sparse as sparse

    shared = _sum(near[heads], near[tails])
    rare = np.divide(1.0, np.log(np.maximum(degree, 2.0)), out=np.zeros_like(degree), where=degree > 1)
    return {
        "common neighbours": shared,
        "jaccard": shared / np.maximum(degree[heads] + degree[tails] - shared, 1.0),
        "adamic-adar": _sum(near[heads] @ sparse.diags(rare), near[tails]),
    }


def _damped(near: Any, degree: Floats, exponent: float) -> Any:
    """Return the adjacency matrix with (d_a d_b)^-exponent for each edge."""
    import scipy.sparse as sparse

    scale = sparse.diags(np.power(np.maximum(degree, 1.0), -exponent))
    return (scale @ near @ scale).tocsr()


def _walks(damped: Any, heads: Ints, tails: Ints, length: int) -> Floats:
    """Return products over walks of two or three hops between unconnected ends. Such walks never revisit a concept."""
    begun = damped[heads]
    for _ in range(length - 2):
        begun = begun @ damped
    return _sum(begun, damped[tails])


def _sum(begun: Any, ended: Any) -> Floats:
    """Return the inner product of each pair of rows."""
    found: Floats = np.asarray(begun.multiply(ended).sum(axis=1)).ravel()
    return found
