"""Claims with names that no graph knows, compared with sentences by their noun phrases.

`phrases.tsv` holds topic, claim, evidence and verdict. A verdict after "!" must not be given. The file was written for
an earlier judge of hand-written rules, and the reader was not fitted to it.
"""

from pathlib import Path

import pytest

from groundwork.linking import Mention
from groundwork.reading.phrases import is_phrase, places, with_phrases
from groundwork.reading.tree import parse
from knowhd.rules_judge import RuleJudge
from truthhypo.bench.judge_calibration.labelled import pair_of

CASES = [line.split("\t") for line in (Path(__file__).parent / "phrases.tsv").read_text("utf-8").splitlines()]
DECIDED = {"supported", "contradicted"}


def test_verdicts_on_claims_between_phrases_are_mostly_right():
    judge, right, wrong = RuleJudge(), 0, 0
    for _, claim, evidence, verdict in CASES:
        pair = pair_of(claim, evidence, "supported", "")
        found = judge.judge(pair.claim, pair.evidence)["literature"].verdict
        if found in DECIDED:
            good = found != verdict[1:] if verdict.startswith("!") else found == verdict
            right, wrong = right + good, wrong + (not good)
    assert right + wrong >= 70
    assert right / (right + wrong) >= 0.6


def test_the_evidence_must_mention_the_other_phrases_of_a_claim():
    pair = pair_of("Brivudex prevents malaria in pregnant women.", "Brivudex prevented malaria in adults.", "", "")
    found = RuleJudge().judge(pair.claim, pair.evidence)["literature"]
    assert (found.verdict, found.flags) == ("not_enough", ("partly",))


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Karnex lowers pulmonary artery pressure.", ["Karnex", "pulmonary artery pressure"]),
        ("Karnex prevents stroke.", ["Karnex", "stroke"]),
        ("Karnex tablets treat type 2 diabetes.", ["Karnex tablets", "type 2 diabetes"]),
        ("Antioxidant supplements beat placebo.", ["Antioxidant supplements", "placebo"]),
        ("Aspirin does not cause bleeding.", ["Aspirin", "bleeding"]),
        ("Karnex prevents major cardiovascular events.", ["Karnex", "major cardiovascular events"]),
        ("Patients have higher rates of it.", []),
        ("Bza activates survivin.", ["Bza", "survivin"]),
        ("Hydroxamates block hdac.", ["Hydroxamates", "hdac"]),
    ],
)
def test_the_noun_phrases_of_a_claim_are_found(text, phrases):
    assert [mention.text for mention in with_phrases(parse(text)).mentions] == phrases


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("serum lipids", "A serum lipid was measured.", ["serum lipid"]),
        ("serum lipids", "The lipids of serum were measured.", []),
        ("Strokes", "After stroke, a second stroke came.", ["stroke", "stroke"]),
    ],
)
def test_a_phrase_is_found_whatever_its_number_and_case(phrase, text, found):
    (key,) = {mention.key for mention in with_phrases(parse(f"{phrase} rose.")).mentions}
    assert [mention.text for mention in places(text, key, ())] == found


@pytest.mark.parametrize(
    ("text", "name", "phrases"),
    [
        ("Insulin receptor expression reduced the pressure.", "Insulin", ["Insulin receptor expression", "pressure"]),
        ("Salt raises insulin-induced muscle growth.", "insulin", ["Salt", "insulin-induced muscle growth"]),
        ("Insulin raises pressure.", "Insulin", ["Insulin", "pressure"]),
    ],
)
def test_a_whole_phrase_replaces_the_names_in_it(text, name, phrases):
    at = text.index(name)
    tree = parse(text, [Mention(name, at, at + len(name), "Gene|3630", name, 1.0)])
    assert [mention.text for mention in with_phrases(tree, whole=True).mentions] == phrases
    for phrase in (mention for mention in with_phrases(tree, whole=True).mentions if is_phrase(mention.key)):
        assert [found.text for found in places(text, phrase.key, tree.mentions)] == [phrase.text]
