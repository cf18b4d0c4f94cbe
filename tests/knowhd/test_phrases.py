"""Claims whose names no graph knows, held against sentences by their phrases.

`phrases.tsv` holds topic, claim, evidence and verdict; "!" stands before a verdict that must not come out.
"""

from pathlib import Path

import pytest

from knowhd.calibration.labelled import pair_of
from knowhd.evidence.pieces import Passage
from knowhd.rules.judge import RuleJudge
from knowhd.rules.phrases import phrased, seen_in

CASES = [line.split("\t") for line in (Path(__file__).parent / "phrases.tsv").read_text("utf-8").splitlines()]


def claim_of(text):
    return pair_of(text, "None.", "supported", "").claim


@pytest.mark.parametrize(("topic", "claim", "evidence", "verdict"), CASES)
def test_names_that_no_graph_knows_are_read_by_their_phrases(topic, claim, evidence, verdict):
    pair = pair_of(claim, evidence, "supported", "")
    found = RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict
    assert found != verdict[1:] if verdict.startswith("!") else found == verdict


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Karnex lowers pulmonary artery pressure.", ["Karnex", "pulmonary artery pressure"]),
        ("Karnex prevents stroke.", ["Karnex", "stroke"]),
        ("Only karnex inhibits DOL2.", ["karnex", "DOL2"]),
        ("The risk of bladder cancer rises over time in patients.", ["bladder cancer"]),
        ("Studies show that karnex relieves heart failure.", ["karnex", "heart failure"]),
        ("KRX7-deficient mice have low NF-kappaB.", ["KRX7", "NF-kappaB"]),
        ("Karnex tablets of 5 mg treat type 2 diabetes.", ["Karnex", "type 2 diabetes"]),
        ("Antioxidant supplements beat placebo.", ["Antioxidant supplements"]),
        ("Krell disease is common.", ["Krell disease"]),
        ("Pills lower fever.", ["Pills", "fever"]),
        ("Aspirin does not cause bleeding.", ["Aspirin", "bleeding"]),
        ("Karnex did not reduce vomiting or itching.", ["Karnex", "vomiting", "itching"]),
        ("Karnex prevents major cardiovascular events.", ["Karnex", "major cardiovascular events"]),
        ("Karnex improves renal function.", ["Karnex", "renal function"]),
        ("Karnex slows gastric emptying.", ["Karnex", "gastric emptying"]),
        ("Karnex reduced thrombotic complications.", ["Karnex", "thrombotic complications"]),
        ("Karnex prevents lowering of DOL2.", ["Karnex", "DOL2"]),
        ("Zorbafen significantly reduces mortality.", ["Zorbafen"]),
    ],
)
def test_the_phrases_of_a_claim(text, phrases):
    assert [mention.text for mention in phrased(claim_of(text)).mentions] == phrases


@pytest.mark.parametrize(
    ("text", "sentence", "seen"),
    [
        ("Karnex prevents lung cancer.", "Lung neoplasms were rarer under Karnex.", ["Lung neoplasms", "Karnex"]),
        ("Karnex prevents tumours.", "Karnex shrank the tumor.", ["Karnex", "tumor"]),
        ("Karnex prevents headache.", "Cluster headache, but severe headache too.", ["headache"]),
        ("Age harms KIT.", "A kit of tests, and KIT.", ["KIT"]),
        ("Karnex prevents heart attack.", "Myocardial infarction (MI) and infarction.", ["infarction", "infarction"]),
        (
            "Karnex blocks the ion channel KRX7.",
            "KRX7 currents, not ion channels, fell with karnex.",
            ["KRX7", "karnex"],
        ),
        ("Bone harms hyperglycaemia.", "Hyperglycemia and hypertension.", ["Hyperglycemia"]),
    ],
)
def test_where_a_sentence_has_the_phrases_of_a_claim(text, sentence, seen):
    (found,) = seen_in(phrased(claim_of(text)), [Passage("pmid:1#s0", 1, "", sentence, 1.0, retracted=False)])
    assert [mention.text for mention in found.mentions] == seen


def test_a_long_sentence_without_sense_is_read_in_linear_time():
    text = "(?:aaa - -" * 6000
    (found,) = seen_in(phrased(claim_of("Karnex prevents stroke.")), [Passage("pmid:1#s0", 1, "", text, 1.0, False)])
    assert found.mentions == ()


@pytest.mark.parametrize(
    "text", ["Karnex lowers fever more, and faster", "More severe", "In mice, karnex was deadly", "-"]
)
def test_a_claim_that_ends_without_a_noun_has_its_phrases_all_the_same(text):
    assert all(mention.text in text for mention in phrased(claim_of(text)).mentions)
