"""Word overlap: Jaccard plain and with synonyms, the paper's flags, opposites."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzygraph.words import jaccard, overlap, tokens


class Small:
    """A thesaurus of two pairs of synonyms and two of antonyms."""

    def synonyms(self, word: str) -> frozenset[str]:
        pairs = ({"heart", "cardiac"}, {"attack", "arrest"})
        return frozenset().union(*(pair for pair in pairs if word in pair))

    def antonyms(self, word: str) -> frozenset[str]:
        return frozenset({"acute": {"chronic"}, "rise": {"fall"}}.get(word, ()))


WORDNET = Small()


def test_jaccard_worked_by_hand():
    assert tokens("The cause of IL-6 is the virus") == {"cause", "il-6", "virus"}
    assert jaccard(tokens("aspirin reduces fever"), tokens("aspirin lowers fever")) == pytest.approx(2 / 4)


@given(st.frozensets(st.sampled_from("abcdef")), st.frozensets(st.sampled_from("abcdef")))
def test_jaccard_is_a_symmetric_share(a, b):
    assert jaccard(a, b) == jaccard(b, a)
    assert 0.0 <= jaccard(a, b) <= 1.0
    assert jaccard(a, a) == (1.0 if a else 0.0)


def test_the_papers_paraphrase_flag():
    """The flag needs a raw overlap below 0.3 and an expanded overlap above 0.5."""
    found = overlap("heart attack", "cardiac arrest", wordnet=WORDNET)
    assert (found.raw, found.expanded) == (0.0, 1.0)
    assert found.flags == ("paraphrase",)
    assert overlap("heart attack", "heart attack", wordnet=WORDNET).flags == ()


def test_low_overlap_with_high_confidence_is_flagged():
    assert "low_overlap" in overlap("aspirin heals", "insulin falls", p_net=0.9).flags
    assert "low_overlap" not in overlap("aspirin heals", "insulin falls", p_net=0.1).flags


def test_the_papers_opposites_need_no_wordnet():
    found = overlap("It causes hyperglycemia", "It causes hypoglycemia")
    assert found.opposites == (("hyperglycemia", "hypoglycemia"),)
    assert found.flags == ("opposites", "no_wordnet")
    assert found.expanded is None


def test_wordnet_adds_its_antonyms():
    assert overlap("rise of x", "fall of x", wordnet=WORDNET).opposites == (("rise", "fall"),)
