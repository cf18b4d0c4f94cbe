"""Figures of classification from counts: shares, F1, balanced accuracy, Cohen's kappa, area under the ROC curve.

Counts and confusion matrices may have leading axes, so that one call can handle thousands of resamples. A confusion
matrix has one row per label. Its columns are the answers: the labels in the same order, then answers that are no label,
if any.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def share(part: ArrayLike, whole: ArrayLike, undefined: float = np.nan) -> Array:
    """Return part / whole.

    Precision is the share of hits among the predicted units. Recall is the share of hits among the positives.

    Args:
        part: Counts, >= 0.
        whole: Counts of the same shape, >= part.
        undefined: The share where the whole is 0.
    """
    parts, wholes = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    found: Array = np.divide(parts, wholes, out=np.full(parts.shape, undefined), where=wholes > 0)
    return found


def f1_score(hits: ArrayLike, predicted: ArrayLike, positives: ArrayLike, undefined: float = np.nan) -> Array:
    """Return F1, the harmonic mean of precision and recall: 2 hits / (predicted + positives), in [0, 1].

    Args:
        hits: True positives.
        predicted: Units predicted as positive.
        positives: Units that are positive.
        undefined: F1 if no unit is positive or predicted as positive.
    """
    return share(2.0 * np.asarray(hits), np.asarray(predicted) + np.asarray(positives), undefined)


def balanced_accuracy(table: Array) -> Array:
    """Return the mean recall over the labels that occur, in [0, 1].

    If all answers are the same label, and this label occurs, the result is 1 / (number of labels that occur).
    """
    positives = table.sum(axis=-1)
    recall = share(_hits(table), positives, 0.0)
    found: Array = recall.sum(axis=-1) / np.maximum(1, (positives > 0).sum(axis=-1))
    return found


def macro_f1(table: Array) -> Array:
    """Return the mean F1, in [0, 1], over the labels that a unit has or that occur as an answer."""
    positives, predicted = _margins(table)
    scores = f1_score(_hits(table), predicted, positives, 0.0)
    found: Array = scores.sum(axis=-1) / np.maximum(1, (positives + predicted > 0).sum(axis=-1))
    return found


def cohen_kappa(table: Array) -> Array:
    """Return Cohen's kappa, (po - pe) / (1 - pe), at most 1; 0 where the chance agreement pe is 1.

    Source: Cohen, Educational and Psychological Measurement 20, 1960.
    """
    positives, predicted = _margins(table)
    n, chance = table.sum(axis=(-2, -1)), (positives * predicted).sum(axis=-1)
    return share(_hits(table).sum(axis=-1) * n - chance, n * n - chance, 0.0)


def auroc(positive: NDArray[np.bool_], score: ArrayLike) -> float:
    """Return the chance that a positive unit scores above a negative one (Mann and Whitney, 1947). Ties count half.

    Args:
        positive: Whether each unit is positive.
        score: The score of each unit.

    Returns:
        The area under the ROC curve, in [0, 1]; NaN if a class has no units.
    """
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if not positives or not negatives:
        return float("nan")
    _, place, count = np.unique(np.asarray(score), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2.0)[place]
    return float((ranks[positive].sum() - positives * (positives + 1) / 2.0) / (positives * negatives))


def _hits(table: Array) -> Any:
    """Return the number of right answers for each label."""
    return np.diagonal(table, axis1=-2, axis2=-1)


def _margins(table: Array) -> tuple[Array, Array]:
    """Return the number of units with each label, and the number of answers with each label."""
    return table.sum(axis=-1), table.sum(axis=-2)[..., : table.shape[-2]]
