"""The places in a sentence that matter for a claim."""

import pytest

from groundwork.reading.reader import Reader
from knowhd.check import Checker
from knowhd.rules.highlights import highlights


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
    found = highlights(claim, Reader())
    assert set(found) == {passage.id for passage in claim.evidence.literature}
    deciding = set()
    for passage in claim.evidence.literature:
        marked = found[passage.id]
        assert all(0 <= start < end <= len(passage.sentence) for start, end in (*marked.ends, *marked.words))
        assert not marked.words or passage.stance in ("supports", "contradicts")
        assert len(marked.ends) >= 2 * bool(marked.words)
        deciding |= {passage.sentence[slice(*span)] for span in marked.words}
    assert bool(deciding) == sided, deciding


def test_a_sentence_that_decides_without_a_cue_word_has_no_words_marked(stores, monkeypatch):
    (claim,) = Checker(stores.graph, stores.literature).check("Aspirin lowers myocardial infarction.").claims
    sided = [each.id for each in claim.evidence.literature if each.stance in ("supports", "contradicts")]
    assert all(highlights(claim, Reader())[each].words for each in sided) and sided
    monkeypatch.setattr("knowhd.rules.highlights.category", lambda _: None)
    assert not any(highlights(claim, Reader())[each].words for each in sided)
