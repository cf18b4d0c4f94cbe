"""Path sums from one concept to all others equal the sums of each pair. They are exactly zero without a path, and
precise beside a hub."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.performance.all_pairs import sums_from
from fuzzygraph.lanes import Weights, lanes
from fuzzygraph.paths import totals
from groundwork import compiled
from tests.fuzzygraph.test_paths import LINK, edge, similar
from tests.networks import of_links


def all_pairs(made, hops):
    size = made.arcs.size
    found = np.zeros((4, size, size))
    for a in range(size):
        for b in range(size):
            if a != b:
                found[:, a, b] = totals(made.arcs, *sorted((a, b)), hops)[1].sum(axis=0)
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(LINK, max_size=20), st.integers(1, 4))
def test_each_row_equals_the_sums_of_its_pairs(links, hops):
    made = lanes(of_links(links, ["s", "t"]), Weights())
    wanted = all_pairs(made, hops)
    for source, found in sums_from(made, range(made.arcs.size), hops):
        np.testing.assert_allclose(found, wanted[:, source], rtol=1e-9, atol=0.0)
        assert ((found == 0.0) == (wanted[:, source] == 0.0)).all()


@pytest.mark.parametrize("hops", [3, 4])
def test_digits_lost_beside_a_hub_are_recovered(hops, monkeypatch):
    """W^4 counts walks over the two thousand leaves of a hub. Their sum is subtracted again, and the sum over the few
    real paths is much smaller."""
    monkeypatch.setattr(compiled, "MANY", 0)
    leaves = [f"m{i:04}" for i in range(2000)]
    links = [edge("h", m, "treat" if i % 7 == 0 else "cause", 1 + i % 4) for i, m in enumerate(leaves)]
    links += [edge("s", "h"), similar("h", "t", 0.5), edge("s", "m0000"), edge("m0001", "t", "associate")]
    made = lanes(of_links(links), Weights())
    for source in (made.network.number("s"), made.network.number("h")):
        ((_, found),) = sums_from(made, [source], hops)
        for tail in range(0, made.arcs.size, 97):
            wanted = totals(made.arcs, *sorted((source, tail)), hops)[1].sum(axis=0) if tail != source else np.zeros(4)
            np.testing.assert_allclose(found[:, tail], wanted, rtol=1e-9, atol=0.0)
