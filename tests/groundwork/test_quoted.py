"""Quotations: short ones whole, long ones cut at a word."""

from hypothesis import given
from hypothesis import strategies as st

from groundwork.quoted import LONGEST, quoted


@given(st.lists(st.text("abcé.,", min_size=1, max_size=30), min_size=1, max_size=40))
def test_what_is_shown_is_the_beginning_up_to_a_word(words):
    text = "  ".join(words)
    shown = quoted(text)[1:-1]
    if len(" ".join(words)) <= LONGEST:
        assert shown == " ".join(words)
    else:
        kept = shown.removesuffix(" ...").split(" ")
        assert kept == words[: len(kept)]
        assert len(shown) <= LONGEST + len(" ...")
        assert len(" ".join(words[: len(kept) + 1])) > LONGEST, "no word less than there is room for"


def test_an_endless_word_is_cut_inside():
    assert quoted("x" * 500) == repr("x" * LONGEST + " ...")
    assert quoted("a\nb") == "'a b'"
