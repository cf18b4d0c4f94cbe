"""Spans of a text: the longest of overlapping spans is found, in time proportional to their number."""

import re
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from groundwork.stretches import Places, longest, put


@dataclass(frozen=True)
class Stretch:
    start: int
    end: int


STRETCHES = st.lists(
    st.builds(lambda start, length: Stretch(start, start + length), st.integers(0, 30), st.integers(1, 8)), max_size=25
)


def tried_one_by_one(placed):
    """Compare each span with every span that was kept before it."""
    kept = []
    for one in sorted(placed, key=lambda p: (p.start - p.end, p.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda p: p.start)


@given(STRETCHES)
def test_the_longest_spans_equal_those_found_one_by_one(placed):
    assert longest(placed) == tried_one_by_one(placed)


@given(STRETCHES, st.integers(0, 30), st.integers(1, 8))
def test_adding_one_span_gives_the_same_as_all_spans_together(placed, start, length):
    kept = longest(placed)
    one = Stretch(start, start + length)
    together = tried_one_by_one([*kept, one])
    put(kept, one)
    assert kept == together


@given(st.text("aA-1 (é", max_size=40), st.sampled_from(["a", "A1", "a-1", "A", "1-a", "aé"]))
def test_a_form_is_found_only_where_it_is_not_part_of_a_longer_word(text, form):
    wanted = [m.start() for m in re.finditer(rf"(?<!\w)(?={re.escape(form)}(?!\w))", text)]
    assert [start for start, _ in Places(text).of(form)] == wanted
