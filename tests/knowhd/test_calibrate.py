import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from knowhd.calibrate import LABELS, balanced_accuracy, citation_integrity, healthver, kappa, measured
from knowhd.calibration import calibration_of
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
    assert not any("<|" in pair.claim for pair in pairs)


def test_no_question_is_on_both_sides_of_the_split(data):
    pairs = list(healthver(data / "healthver" / "healthver_dev.csv"))
    held, seen = ({p.group for p in pairs if p.held_out is side} for side in (True, False))
    assert held
    assert seen
    assert not held & seen


def test_the_printed_figures_are_the_measured_ones(data):
    citations = data / "citation_integrity"
    pairs = citation_integrity(citations / "claims_dev.jsonl", citations / "corpus.jsonl")
    calibration = calibration_of(NAME)
    assert calibration is not None
    printed = next(figures for figures in calibration.beside if figures.dataset.startswith("Citation-Integrity"))
    again = measured(RuleJudge(), (pair for pair in pairs if pair.held_out), printed.dataset)
    assert (again.n, again.balanced_accuracy, again.kappa, again.decided) == (
        printed.n,
        printed.balanced_accuracy,
        printed.kappa,
        printed.decided,
    )


def test_a_judge_that_was_not_measured_has_no_figures():
    assert calibration_of("openai:somebody") is None
