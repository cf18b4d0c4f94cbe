"""The places in a sentence that matter for a claim."""

import pytest

from groundwork.reading.encoder import Marked, shipped
from knowhd.check import Checker
from knowhd.stances import deciding, highlights


@pytest.mark.parametrize(
    ("text", "sided"),
    [
        ("Aspirin lowers myocardial infarction.", True),
        ("Ibuprofen causes myocardial infarction.", True),
        ("Metformin treats headache.", False),
        ("The analysis lowers the risk.", False),
    ],
)
def test_ends_are_marked_and_cue_words_only_if_a_passage_takes_a_side(stores, text, sided):
    (claim,) = Checker(stores.graph, stores.literature).check(text).claims
    found = highlights(claim, shipped())
    assert set(found) == {passage.id for passage in claim.evidence.literature}
    deciding = set()
    for passage in claim.evidence.literature:
        marked = found[passage.id]
        assert all(0 <= start < end <= len(passage.sentence) for start, end in (*marked.ends, *marked.words))
        assert not marked.words or passage.stance in ("supports", "contradicts")
        assert len(marked.ends) >= 2 * bool(marked.words)
        deciding |= {passage.sentence[slice(*span)] for span in marked.words}
    assert bool(deciding) == sided, deciding


@pytest.mark.parametrize(
    ("text", "words"),
    [("A strongly inhibits B.", ["inhibits"]), ("There was no effect of A on B.", ["no"]), ("A and B.", [])],
)
def test_a_word_decides_if_the_reading_changes_without_it(text, words):
    ends = [((text.index(name), text.index(name) + 1),) for name in "AB"]
    found = deciding(Marked(text, *ends, ("Chemical", "Gene")), shipped())
    assert [text[slice(*span)] for span in found] == words
