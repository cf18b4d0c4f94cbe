"""A part of a network has the same links, although its concepts get other numbers."""

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwork.records import Link
from tests.networks import of_links

KEYS = [f"Gene|{n}" for n in range(9)]
LINKS = st.lists(
    st.builds(Link, st.sampled_from(KEYS), st.sampled_from(KEYS), st.just("associate"), st.integers(1, 9)),
    max_size=20,
)


@settings(deadline=None)
@given(LINKS, st.sampled_from(KEYS), st.sampled_from(KEYS), st.integers(1, 4))
def test_a_trimmed_network_has_the_same_links_and_no_other_concepts(links, head, tail, hops):
    part = of_links(links, KEYS).within(head, tail, hops)
    found = part.trimmed(head, tail)
    assert found.links() == part.links()
    assert list(found.keys) == sorted({head, tail} | {end for link in part.links() for end in (link.head, link.tail)})
    assert found.wired().first[-1] == 2 * len(found.a)
