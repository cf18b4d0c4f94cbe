"""Confusion matrices of verdicts, with a row per label and a column per verdict.

The columns are the labels and then `failed`, because a failed judgement counts as wrong.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from groundwork.statistics import resample_counts
from knowhd.judge import VERDICTS, Verdict

LABELS: tuple[Verdict, ...] = ("supported", "contradicted", "not_enough")

Array = NDArray[np.float64]
#: Pairs of a gold label and a judge's verdict.
Pairs = Sequence[tuple[Verdict, Verdict]]


def confusion_matrix(pairs: Pairs) -> Array:
    """Return the number of pairs by label and verdict, shape (labels, verdicts)."""
    table: Array = _by_group(pairs, [0] * len(pairs))[0]
    return table


def resampled(pairs: Pairs, groups: Sequence[Hashable]) -> Array:
    """Return the confusion matrices of resamples of whole groups, shape (resamples, labels, verdicts).

    Args:
        pairs: Labels and verdicts, at least one.
        groups: The group of each pair. Pairs of one group are not independent, so groups are resampled as a whole.
    """
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    tables = _by_group(pairs, [numbers[group] for group in groups])
    found: Array = np.tensordot(resample_counts(np.ones(len(tables))), tables, axes=1)
    return found


def _by_group(pairs: Pairs, groups: Sequence[int]) -> Array:
    """Return one confusion matrix per group. Groups are numbered from 0."""
    tables = np.zeros((max(groups, default=0) + 1, len(LABELS), len(VERDICTS)))
    for (label, verdict), group in zip(pairs, groups, strict=True):
        tables[group, LABELS.index(label), VERDICTS.index(verdict)] += 1
    return tables
