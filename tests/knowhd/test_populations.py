"""In whom: what was seen in others than a claim names says nothing of it."""

import pytest

from groundwork.language import Sentence
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.rules.judge import RuleJudge
from knowhd.rules.populations import others
from tests.knowhd.named import knowing


def seen(sentence: str, title: str = "") -> Passage:
    return Passage("pmid:1#s1", 1, title, sentence, 1.0, False)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Zorbafen reduces tumour growth in humans.", "Zorbafen reduced tumour growth in nude mice with xenografts."),
        ("Zorbafen lowers QLT2 in healthy young men.", "Zorbafen lowered QLT2 in cultured hepatocytes."),
        ("Zorbafen lowers QLT2 in rats.", "In elderly patients, QLT2 was lowered by zorbafen."),
        ("Tamoxifen prevents recurrence of ER-negative breast cancer.", "In ER-positive cancer, tamoxifen worked."),
        ("Zorbafen protects old men from anemia.", "Zorbafen protected young women from anemia."),
        ("Zorbafen lowers QLT2 in children.", "Zorbafen lowered QLT2 in adults."),
        ("Zorbafen works in chronic hepatitis.", "Zorbafen worked in acute hepatitis."),
    ],
)
def test_what_was_seen_in_others_is_of_others(claim, sentence):
    assert others(claim, seen(sentence))


@pytest.mark.parametrize(
    ("claim", "sentence", "title"),
    [
        ("Zorbafen reduces tumour growth.", "Zorbafen reduced tumour growth in mice.", ""),
        ("Zorbafen reduces tumour growth in humans.", "Zorbafen reduced tumour growth.", ""),
        ("Zorbafen reduces tumour growth in humans.", "It did so in mice and in patients.", ""),
        ("Zorbafen reduces growth in patients.", "It reduced cultured cells.", "A trial in patients with glioma"),
        ("Zorbafen lowers QLT2 in adults.", "Zorbafen lowered QLT2 in patients.", ""),
        ("Zorbafen lowers QLT2 in women.", "Zorbafen lowered QLT2 in men and women.", ""),
        ("Dogs carry krell fever.", "Patients caught krell fever.", ""),
        ("Zorbafen treats ER-negative cancer.", "It worked in ER-positive and in ER-negative cancer.", ""),
        ("A shows a positive correlation with B.", "A shows a negative correlation with B.", ""),
        ("A causes a higher risk of B.", "A causes a lower risk of B.", ""),
        ("Non-steroidal drugs cause bleeding.", "Nonsteroidal drugs caused bleeding.", ""),
    ],
)
def test_what_does_not_say_or_says_both_is_not(claim, sentence, title):
    assert not others(claim, seen(sentence, title))


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return knowing(tmp_path_factory.mktemp("names"), {"Chemical": "quelistat", "Gene": "QLT2"})


@pytest.mark.parametrize(
    ("text", "sentence", "verdict"),
    [
        ("Quelistat lowers QLT2 in humans.", "Quelistat lowered QLT2 in mice.", "not_enough"),
        ("Quelistat lowers QLT2 in humans.", "Quelistat did not lower QLT2 in mice.", "not_enough"),
        ("Quelistat lowers QLT2 in humans.", "Quelistat lowered QLT2 in healthy volunteers.", "supported"),
        ("Quelistat lowers QLT2.", "Quelistat lowered QLT2 in mice.", "supported"),
    ],
)
def test_the_judge_counts_none_that_is_of_others_and_says_so(names, text, sentence, verdict):
    claim = linked(text, Sentence(text, 0, len(text)), (), names)
    passage = Passage("pmid:1#s1", 1, "", sentence, 1.0, False, 1, names.mentions(sentence))
    found = RuleJudge().judge(claim, Evidence((), (passage,)))["literature"]
    assert found.verdict == verdict
    assert ("1 piece of evidence is of others than it names" in found.reason) == (verdict == "not_enough")
