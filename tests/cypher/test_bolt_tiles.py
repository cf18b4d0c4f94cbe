"""Edges that are written at the same time share no concept."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypher.bolt_tiles import rounds, tiled
from groundwork.records import Relation


@pytest.mark.parametrize("parts", [2, 4, 6, 8, 10])
def test_every_two_parts_meet_once_and_none_is_twice_in_a_round(parts):
    found = rounds(parts)
    tiles = [tile for one in found for tile in one]
    assert sorted(tiles) == [(a, b) for a in range(parts) for b in range(a, parts)]
    for one in found[:-1]:
        assert sorted(part for tile in one for part in tile) == list(range(parts))
    assert found[-1] == [(part, part) for part in range(parts)]


_keys = st.integers(0, 20).map("Gene|{}".format)


@given(
    st.lists(st.builds(Relation, _keys, st.just("treat"), _keys, st.just((1,))), max_size=60),
    st.sampled_from([2, 4, 6]),
)
def test_each_edge_stands_in_one_tile_and_tiles_of_a_round_share_no_concept(edges, parts):
    together = list(tiled(edges, parts))
    assert Counter(edge for tiles in together for tile in tiles for edge in tile) == Counter(edges)
    for tiles in together:
        touched = [{end for edge in tile for end in (edge.head, edge.tail)} for tile in tiles]
        assert sum(map(len, touched)) == len(set().union(*touched))
