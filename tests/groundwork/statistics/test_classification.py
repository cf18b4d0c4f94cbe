"""Figures of classification against scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from groundwork.statistics import auroc, balanced_accuracy, cohen_kappa, f1_score, macro_f1, share

LABELS = ("a", "b", "c")


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1))
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_figures_of_a_confusion_matrix_equal_those_of_scikit_learn(pairs):
    gold, said = zip(*pairs, strict=True)
    table = metrics.confusion_matrix(gold, said, labels=LABELS).astype(float)
    assert balanced_accuracy(table) == pytest.approx(metrics.balanced_accuracy_score(gold, said))
    assert macro_f1(table) == pytest.approx(metrics.f1_score(gold, said, average="macro"))
    kappa = metrics.cohen_kappa_score(gold, said)
    assert cohen_kappa(table) == pytest.approx(0.0 if kappa != kappa else kappa)  # NaN: agreement by chance is 1
    both = np.stack([table, 2 * table])
    assert cohen_kappa(both) == pytest.approx(np.tile(cohen_kappa(table), 2)), "tables may have leading axes"


def test_an_answer_that_is_not_a_label_is_wrong():
    table = np.array([[1.0, 0, 1], [0, 2, 0]])
    assert balanced_accuracy(table) == 0.75
    assert macro_f1(table) == pytest.approx((2 / 3 + 1) / 2)


def test_f1_and_shares_equal_values_by_hand_also_for_empty_input():
    assert f1_score([2, 0], [3, 0], [3, 0], 0.0) == pytest.approx([2 / 3, 0.0])
    assert np.isnan(f1_score(0, 0, 0))
    assert share([1, 0], [4, 0], 1.0).tolist() == [0.25, 1.0]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1))
def test_the_area_equals_that_of_scikit_learn_also_with_ties(units):
    positive, score = np.array([each for each, _ in units]), [each for _, each in units]
    if positive.any() and not positive.all():
        assert auroc(positive, score) == pytest.approx(metrics.roc_auc_score(positive, score))
    else:
        assert np.isnan(auroc(positive, score))
