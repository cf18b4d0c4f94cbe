"""A part of a network has the same links, although its concepts get other numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwork import network
from groundwork.network import ArticleMask
from groundwork.records import Link
from tests.networks import of_links

KEYS = [f"Gene|{n}" for n in range(9)]
LINKS = st.lists(
    st.builds(Link, st.sampled_from(KEYS), st.sampled_from(KEYS), st.just("associate"), st.integers(1, 9)), max_size=20
)


@settings(deadline=None)
@given(LINKS, st.sampled_from(KEYS), st.sampled_from(KEYS), st.integers(1, 4))
def test_a_trimmed_network_has_the_same_links_and_no_other_concepts(links, head, tail, hops):
    part = of_links(links, KEYS).within(head, tail, hops)
    found = part.trimmed(head, tail)
    assert found.links() == part.links()
    assert list(found.keys) == sorted({head, tail} | {end for link in part.links() for end in (link.head, link.tail)})
    assert found.wired().first[-1] == 2 * len(found.a)


LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("masked", "pmids", "left"),
    [
        ([], [1, 2], (1, 2)),
        ([2], [], ()),
        ([2, 2, 7], [1, 2, 7, 8], (1, 8)),
        ([9, 1], [1, 9], ()),
        ([5], [3, 4], (3, 4)),
        ([LARGEST, 0], [0, 1, LARGEST], (1,)),
    ],
)
def test_a_mask_leaves_out_its_articles_and_keeps_the_order(masked, pmids, left):
    mask = ArticleMask.of(masked)
    assert mask.left(pmids) == left
    assert mask.left(pmids[::-1]) == left[::-1]
    places = mask.places(np.array(pmids, dtype=np.int64)).tolist()
    assert [pmid for place, pmid in enumerate(pmids) if place not in places] == list(left)


@pytest.mark.parametrize("size", [1, 1000, 5000])
def test_the_places_of_many_pmids_equal_a_comparison_one_by_one(size, monkeypatch):
    monkeypatch.setattr(network, "_PAGE", 700)
    monkeypatch.setattr(network, "_LARGEST", 1 << 12)  # so that many PMIDs share a place of the table
    random = np.random.default_rng(size)
    mask = ArticleMask.of(random.integers(0, 40_000_000, size))
    pmids = np.concatenate([random.integers(0, 40_000_000, 3000), random.choice(mask.pmids, 500)])
    assert mask.places(pmids).tolist() == np.flatnonzero(np.isin(pmids, mask.pmids)).tolist()


def test_masks_of_the_same_articles_are_equal():
    assert {ArticleMask.of([3, 1]), ArticleMask.of(np.array([1, 3, 3]))} == {ArticleMask.of({1, 3})}
    assert ArticleMask.of([1]) != ArticleMask.of([2])
    assert not ArticleMask.of([])
