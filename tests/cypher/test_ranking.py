"""Counts and best paths in graphs with far more paths than can be enumerated."""

from itertools import pairwise, product
from math import prod

import numpy as np
import pyarrow as pa
import pytest

from cypher.network import LINKS, Network
from cypher.ranking import best_paths, rounded


def network(links, ends):
    columns = zip(*((a, b, kind, 1, 0.0) for a, b, kind in links), strict=True)
    return Network.of(
        [pa.table([pa.array(c, f.type) for c, f in zip(columns, LINKS, strict=True)], schema=LINKS)], ends
    )


def test_two_hubs_of_seven_thousand():
    """Two hubs share all neighbours, with two relations each: 4 * 7000 paths of two links."""
    middle = [f"Gene|{n:05}" for n in range(7000)]
    links = [(hub, m, kind) for hub in ("A", "B") for m in middle for kind in ("cause", "treat")]
    links += [(middle[n], middle[n + 1], "associate") for n in range(6999)]
    found = network(links, ("A", "B"))
    total, paths = best_paths(found, np.full(len(found.a), 0.65), "A", "B", [1.0] * 4, 5)
    two, three, four = 4 * 7000, 4 * 2 * 6999, 4 * 2 * 6998  # four links: hub, m1, m2, m3, hub
    # Walks of four links that return through a hub are not simple paths and are not counted.
    assert total == two + three + four
    assert [path.keys[1] for path in paths] == [middle[0]] * 4 + [middle[1]]
    assert [path.kinds for path in paths[:4]] == list(product(("cause", "treat"), repeat=2))
    assert {path.score for path in paths} == {0.4225}


def test_a_dense_middle_is_counted_exactly():
    """Two ends are linked to all n nodes of a complete graph: n, n(n-1) and n(n-1)(n-2) paths of 2, 3 and 4 links."""
    n = 120
    middle = [f"m{i:03}" for i in range(n)]
    links = [(end, m, "x") for end in "ab" for m in middle]
    links += [(middle[i], middle[j], "x") for i in range(n) for j in range(i)]
    found = network(links, ("a", "b"))
    rng = np.random.default_rng(4)
    weights = rng.choice([0.65, 0.86, 0.923, 0.9419], len(found.a))
    total, paths = best_paths(found, weights, "a", "b", [1.0] * 4, 40)
    assert total == n + n * (n - 1) + n * (n - 1) * (n - 2)
    by_ends = {(found.keys[a], found.keys[b]): w for a, b, w in zip(found.a, found.b, weights, strict=True)}

    def walked(*keys):
        return -rounded(prod(by_ends[min(p), max(p)] for p in pairwise(keys))), len(keys) - 1, keys

    shorter = [walked("a", x, "b") for x in middle]
    shorter += [walked("a", x, y, "b") for x in middle for y in middle if x != y]
    given = [(-path.score, len(path.kinds), path.keys) for path in paths]
    assert given == sorted(given) and len(set(given)) == 40
    # Shorter paths can be enumerated: each one that is no worse than the last path given is among those given.
    assert {path for path in shorter if path <= given[-1]} == {path for path in given if path[1] < 4}


def test_a_path_does_not_visit_a_concept_twice():
    """The strongest walk a-x-y-x-b is not a simple path, so the bound must not count it."""
    links = [("a", "x", "r"), ("x", "y", "r"), ("x", "b", "r"), ("y", "z", "r"), ("z", "b", "r")]
    found = network(links, ("a", "b"))
    total, paths = best_paths(found, np.full(len(found.a), 0.9), "a", "b", [1.0] * 4, 9)
    assert total == 2
    assert [path.keys for path in paths] == [("a", "x", "b"), ("a", "x", "y", "z", "b")]


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_paths_with_weight_zero_are_counted(weight):
    found = network([("a", "x", "r"), ("x", "b", "r")], ("a", "b"))
    total, paths = best_paths(found, np.full(2, weight), "a", "b", [1.0, 1.0], 3)
    assert (total, [path.score for path in paths]) == (1, [weight])


def test_a_network_without_links_has_no_paths():
    found = Network.of([], ("a", "b"))
    assert best_paths(found, np.empty(0), "a", "b", [1.0] * 4, 3) == (0, [])
