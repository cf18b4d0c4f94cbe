"""What sentences take up from those before them: pronouns that are subjects, and answers."""

import pytest

from groundwork.language import Sentence, sentences
from knowhd.calibration.labelled import pair_of
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.rules.judge import RuleJudge
from knowhd.rules.taken_up import read_alone
from tests.knowhd.named import knowing

PAIRS = [
    ("Karnex lowers DOL2.", "Karnex was given to 40 adults. It lowered DOL2.", "supported"),
    ("Karnex raises DOL2.", "Karnex was given to 40 adults. It lowered DOL2.", "contradicted"),
    ("Karnex lowers DOL2.", "Karnex and zorbafen were given. It lowered DOL2.", "not_enough"),
    ("Karnex lowers DOL2.", "Karnex was stopped. Zorbafen was begun. It lowered DOL2.", "not_enough"),
    ("Karnex lowers DOL2.", "Karnex was given. It is known that DOL2 is common.", "not_enough"),
    ("Statins lower DOL2.", "Statins are common. They lowered DOL2.", "supported"),
    ("Statins lower DOL2.", "Statins are common. It lowered DOL2.", "not_enough"),
    ("Karnex lowers DOL2.", "We asked whether karnex lowers DOL2. It did.", "supported"),
    ("Karnex lowers DOL2.", "We asked whether karnex lowers DOL2. It did not.", "contradicted"),
    ("Karnex raises DOL2.", "We asked whether karnex lowers DOL2. It did so.", "contradicted"),
    ("Karnex lowers DOL2.", "We asked whether karnex lowers DOL2. It was given for a week.", "not_enough"),
]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return knowing(tmp_path_factory.mktemp("names"), {"Chemical": "karnex, zorbafen, statins", "Gene": "DOL2"})


@pytest.mark.parametrize(("claim", "told", "verdict"), PAIRS)
def test_what_is_taken_up_is_read_where_the_names_are_known(names, claim, told, verdict):
    shown = tuple(
        Passage(f"pmid:1#s{n}", 1, "", s.text, 1.0, False, n, names.mentions(s.text))
        for n, s in enumerate(sentences(told))
    )
    known = linked(claim, Sentence(claim, 0, len(claim)), (), names)
    assert RuleJudge().judge(known, Evidence((), shown))["literature"].verdict == verdict


@pytest.mark.parametrize(("claim", "told", "verdict"), PAIRS)
def test_what_is_taken_up_is_read_where_they_are_not(claim, told, verdict):
    pair = pair_of(claim, told, "supported", "")
    assert RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict == verdict


def test_sentences_may_come_in_any_order(names):
    told = ("Karnex was given to 40 adults.", "It lowered DOL2.")
    shown = [Passage(f"pmid:1#s{n}", 1, "", text, 1.0, False, n, names.mentions(text)) for n, text in enumerate(told)]
    alone = read_alone([shown[1], shown[0]])
    assert [passage.number for passage in alone] == [1, 0]
    assert [mention.text for mention in alone[0].mentions] == ["It", "DOL2"]


def test_much_asking_is_read_in_step_with_its_length():
    asked = Passage("pmid:1#s0", 1, "", "if " * 30_000, 1.0, False, 0)
    answer = Passage("pmid:1#s1", 1, "", "It did not.", 1.0, False, 1)
    assert len(read_alone([asked, answer])) == 2
