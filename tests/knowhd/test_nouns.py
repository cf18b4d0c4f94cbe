"""Claims with fewer than two concepts: what is read between two of their nouns goes before their wording."""

import pytest

from groundwork.language import Sentence
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.rules.judge import RuleJudge
from knowhd.rules.nouns import between
from tests.knowhd.named import knowing


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return knowing(tmp_path_factory.mktemp("names"), {"Gene": "DVX1"})


def judged(names, text, *sentences):
    claim = linked(text, Sentence(text, 0, len(text)), (), names)
    shown = [Passage(f"pmid:1#s{n}", 1, "", s, 1.0, False, n, names.mentions(s)) for n, s in enumerate(sentences)]
    return RuleJudge().judge(claim, Evidence((), tuple(shown)))["literature"]


@pytest.mark.parametrize(
    ("claim", "sentence", "verdict"),
    [
        ("DVX1 promotes apoptosis of neurons.", "DVX1 protects neurons from apoptosis.", "contradicted"),
        ("DVX1 promotes apoptosis of neurons.", "DVX1 promoted apoptosis.", "not_enough"),
        ("DVX1 reduces appetite.", "DVX1 did not reduce appetite in any of three trials.", "contradicted"),
        ("DVX1 inhibits adipogenesis.", "Knockout of DVX1 impaired adipogenesis.", "contradicted"),
        ("Masks lower transmission.", "Masks lowered transmission in schools.", "supported"),
        ("Masks lower transmission.", "Masks increased transmission in schools.", "contradicted"),
        ("Masks lower transmission by 90 %.", "Masks lowered transmission by 12 %.", "not_enough"),
        ("Masks lower transmission in humans.", "Masks lowered transmission in hamsters.", "not_enough"),
    ],
)
def test_a_direction_between_two_nouns_decides(names, claim, sentence, verdict):
    found = judged(names, claim, sentence)
    assert found.verdict == verdict
    assert verdict == "not_enough" or "read between" in found.reason
    assert "Gene|" not in found.reason


def test_sentences_that_do_not_agree_leave_it_to_the_wording(names):
    text, both = "Masks lower transmission.", ("Masks lowered transmission.", "Masks increased transmission.")
    assert "read between" in judged(names, text, both[0]).reason
    assert "read between" not in judged(names, text, *both).reason


def test_a_claim_without_a_direction_is_left_to_the_wording(names):
    text = "Masks were worn in schools."
    assert between(linked(text, Sentence(text, 0, len(text)), (), names)) is None
