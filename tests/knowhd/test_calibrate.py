from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from knowhd.calibrate import LABELS, balanced_accuracy, held_out, kappa, measured
from knowhd.calibration import calibration_of
from knowhd.labelled import biored, citation_integrity, healthver
from knowhd.rules import NAME, RuleJudge

GIVEN = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1)


@given(GIVEN)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_the_figures_are_those_of_scikit_learn(given_pairs):
    labels, verdicts = zip(*given_pairs, strict=True)
    assert balanced_accuracy(given_pairs) == pytest.approx(balanced_accuracy_score(labels, verdicts))
    expected = cohen_kappa_score(labels, verdicts)
    assert kappa(given_pairs) == pytest.approx(0.0 if expected != expected else expected)  # NaN: chance is complete


def test_a_constant_judge_gets_chance():
    pairs = [(label, "not_enough") for label in LABELS]
    assert balanced_accuracy(pairs) == pytest.approx(1 / 3)
    assert kappa(pairs) == 0


def test_the_sets_are_read_whole(data):
    pairs = list(healthver(data / "healthver" / "healthver_dev.csv"))
    assert [sum(p.label == label for p in pairs) for label in LABELS] == [533, 391, 993]
    citations = data / "citation_integrity"
    pairs = list(citation_integrity(citations / "claims_dev.jsonl", citations / "corpus.jsonl"))
    assert [sum(p.label == label for p in pairs) for label in LABELS] == [191, 101, 24]
    assert not any("<|" in pair.claim.text for pair in pairs)


def test_relations_become_claims_for_and_against(data):
    pairs = list(biored(data / "biored" / "Dev.PubTator"))
    counts = [sum(p.label == label for p in pairs) for label in LABELS]
    assert counts[0] == counts[1] > 500
    assert len({p.group for p in pairs}) > 80
    for pair in pairs:
        assert len(pair.claim.concepts) == 2
        for holder in (pair.claim, *pair.evidence.literature):
            text = getattr(holder, "sentence", "") if holder is not pair.claim else pair.claim.text
            assert all(text[m.start : m.end] == m.text for m in holder.mentions)


def test_no_question_is_on_both_sides_of_the_split(data):
    pairs = list(healthver(data / "healthver" / "healthver_dev.csv"))
    held, seen = ({p.group for p in pairs if held_out(p) is side} for side in (True, False))
    assert held
    assert seen
    assert not held & seen


def test_the_printed_figures_are_the_measured_ones(data):
    citations = data / "citation_integrity"
    pairs = citation_integrity(citations / "claims_dev.jsonl", citations / "corpus.jsonl")
    calibration = calibration_of(NAME)
    assert calibration is not None
    printed = next(figures for figures in calibration.beside if figures.dataset.startswith("Citation-Integrity"))
    again = measured(RuleJudge(), filter(held_out, pairs), printed.dataset)
    assert replace(again, measured_on=printed.measured_on) == printed


def test_a_judge_that_was_not_measured_has_no_figures():
    assert calibration_of("openai:somebody") is None
