"""Baselines learn only from other folds and from knowledge under the PMID cut, and answer with what they learned."""

import numpy as np
import pytest

from tests.truthhypo.bench.small_set import instances
from truthhypo.bench.baselines import BASELINES, PREFIX, check, held_out

LABELS = np.array(["a", "b", "c"] * 20)


def test_no_instance_is_predicted_from_its_own_group():
    # Each column names a group. All labels in a group are equal, but a group says nothing about other groups.
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4)
    labels = np.repeat(rng.permutation(np.array(["a", "b", "c"] * 10)), 4)
    matrix = np.eye(30)[groups]
    chances = held_out(matrix, labels, groups, 0)
    told = np.array([max(row, key=row.get) for row in chances])
    assert (told == labels).mean() < 0.6, "it would be 1.0 if a group stood on both sides"


@pytest.mark.parametrize("boosted", [False, True])
def test_a_column_that_gives_the_label_is_learned(boosted):
    labels = np.array(["a", "b", "c"] * 60)
    matrix = np.array([["a", "b", "c"].index(label) for label in labels], float)[:, None]
    chances = held_out(matrix, labels, np.arange(len(labels)), 0, boosted=boosted)
    assert np.mean([max(row, key=row.get) == label for row, label in zip(chances, labels, strict=True)]) > 0.95


def test_40_instances_are_enough_to_learn_from():
    # A limit of 120 gives each of three tasks 40. With scikit-learn's minimum of 20 rows per leaf, no tree splits them.
    rng = np.random.default_rng(3)
    labels = rng.permutation(np.array(["a"] * 14 + ["b"] * 13 + ["c"] * 13))
    matrix = np.array([["a", "b", "c"].index(label) for label in labels], float)[:, None]
    chances = held_out(matrix, labels, np.arange(40), 0, boosted=True)
    assert np.mean([max(row, key=row.get) == label for row, label in zip(chances, labels, strict=True)]) > 0.9


def test_without_columns_the_most_frequent_label_is_predicted():
    labels = np.array(["a"] * 30 + ["b"] * 10)
    chances = held_out(None, labels, np.arange(40), 0)
    assert {max(row, key=row.get) for row in chances} == {"a"}
    assert all(sum(row.values()) == pytest.approx(1) for row in chances)


def test_the_same_seed_gives_the_same_chances():
    matrix, groups = np.random.default_rng(1).normal(size=(60, 3)), np.arange(60)
    assert held_out(matrix, LABELS, groups, 5) == held_out(matrix, LABELS, groups, 5)


def test_a_single_group_gets_no_predictions():
    assert held_out(None, LABELS, np.zeros(60), 0) == [{}] * 60


def test_each_baseline_is_known_by_name():
    for name in BASELINES:
        check(PREFIX + name)


def test_a_case_has_the_names_and_the_id_of_its_pair():
    for each in instances():
        case = each.case()
        assert case.names == (each.x_id.rpartition("|")[2], each.y_id.rpartition("|")[2])
        assert case.id == f"{each.x_id}~{each.y_id}"
