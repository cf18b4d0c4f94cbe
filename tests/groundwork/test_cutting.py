"""Cutting extremely long sentences into parts."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundwork.language import JOINED, LONGEST, Sentence, cut


def parts(text):
    return [part.text for part in cut(Sentence(text, 0, len(text)))]


def test_a_sentence_of_usual_length_stays_whole():
    assert parts("Aspirin lowers pain, and " * 9 + "warfarin does not.") == [
        "Aspirin lowers pain, and " * 9 + "warfarin does not."
    ]


def test_a_long_sentence_is_cut_at_a_semicolon_before_a_comma_before_a_space():
    half = "word " * 150
    assert parts(f"{half}one, two; three {half}")[0].endswith("one, two")
    assert parts(f"{half}one, two three {half}")[0].endswith("one")
    assert parts("word " * 300)[0] == ("word " * 200).strip()


def test_a_sentence_that_goes_on_and_on_is_cut_between_its_clauses():
    one = "Metformin lowers glucose"
    assert parts(" and ".join([one] * 40)) == [" and ".join([one] * n) for n in (17, 17, 6)]


def test_an_extremely_long_word_is_cut_too():
    assert [len(part) for part in parts("a" * 2500)] == [LONGEST, LONGEST, 500]


@pytest.mark.parametrize("text", ["", " ", ";", "and " * 40, ", and " * 4000, "; " * 5000])
def test_text_of_conjunctions_and_separators_alone_can_be_cut(text):
    assert sum(len(part) for part in parts(text)) <= len(text)


@given(
    st.lists(st.sampled_from(["aspirin", "and", "but", "x" * 70, ",", ";", "not", "\n", "é"]), max_size=400),
    st.integers(0, 9),
)
@example(["and"] * 17, 0)
def test_parts_are_short_have_right_offsets_and_lose_only_the_joining_words(words, shift):
    text = " ".join(words).strip() or "x"
    found = cut(Sentence(text, shift, shift + len(text)))
    at = shift
    for part in found:
        assert part.text == text[part.start - shift : part.end - shift]
        assert len(part.text) <= LONGEST
        assert len(re.findall(r"\b(?:and|but|not)\b|;", part.text)) <= JOINED
        assert re.fullmatch(r"[\s,;]*(?:and|but)?\s*", text[at - shift : part.start - shift])
        at = part.end
    assert re.fullmatch(r"(?:[\s,;]|\b(?:and|but)\b)*", text[at - shift :])
