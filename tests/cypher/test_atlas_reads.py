"""How much of an atlas a look-up reads depends on the links near its concepts, not on the size of the graph."""

from dataclasses import fields, replace

import numpy as np
import pytest

import cypher
from cypher.atlas.charts import ChartedGraph
from cypher.atlas.drawing import drawn
from groundwork.tables import edge_batch
from tests.contracts.graphs import edge, links_of

SIZES = 2_000, 40_000
STEPS = 1, 7, 60  # each concept has edges to the concepts this many numbers before and after it


class Counted(np.ndarray):
    """An array that counts in `tally[0]` how many of its elements are read."""

    def __getitem__(self, index):
        found = self.view(np.ndarray)[index]
        self.tally[0] += np.size(found)
        return found

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return getattr(ufunc, method)(*(each[:] if isinstance(each, Counted) else each for each in inputs), **options)

    def __array_function__(self, function, _types, arguments, options):
        return function(*(each[:] if isinstance(each, Counted) else each for each in arguments), **options)


def counted(atlas, tally):
    def wrapped(array):
        found = array.view(Counted)
        found.tally = tally
        return found

    held = {field.name: getattr(atlas, field.name) for field in fields(atlas) if field.name not in {"keys", "kinds"}}
    assert held.pop("shade") is None  # all articles count
    return replace(atlas, **{name: wrapped(array) for name, array in held.items()})


@pytest.fixture(scope="module")
def atlases():
    """For each size, the atlas of a ring of genes that all have the same number of edges."""
    rings = {}
    for size in SIZES:
        edges = [
            edge(f"Gene|{at:06}", "associate", f"Gene|{(at + step) % size:06}", at + 1, at + step + 1)
            for at in range(size)
            for step in STEPS
        ]
        rings[size] = drawn([edge_batch(edges)], [])
    return rings


@pytest.mark.parametrize(
    "look_up",
    [
        lambda graph, a, b: graph.edges([a, b]),
        *(lambda graph, a, b, hops=hops: graph.chains(a, b, hops=hops) for hops in (1, 2, 3, 4)),
        lambda graph, a, b: graph.chains(a, b, hops=3, rank="dwpc"),
        lambda graph, a, b: graph.chains(a, b, hops=3, before=1_000),
        lambda graph, a, b: graph.network(a, b, hops=3),
        lambda graph, a, b: links_of(graph, a, b, hops=3),
    ],
    ids=["edges", "1 hop", "2 hops", "3 hops", "4 hops", "dwpc", "before", "network", "links"],
)
def test_no_look_up_reads_more_of_a_larger_graph(atlases, settings, look_up):
    read = {}
    for size, atlas in atlases.items():
        made = counted(atlas, tally := [0])
        graph = ChartedGraph(cypher.connect("memory:", settings), lambda _, made=made: made)
        look_up(graph, "Gene|000500", "Gene|000508")
        read[size] = tally[0]
    small, large = SIZES
    assert 0 < read[large] <= 1.1 * read[small]
    assert read[large] < 0.05 * len(STEPS) * large
