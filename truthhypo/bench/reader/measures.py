"""Figures of a fitted encoder on rows that it was not fitted on, and the threshold from which it decides."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from groundwork.reading.encoder import MANNERS, OPPOSED, SIGNS
from truthhypo.bench.reader.table import SENTENCE, Row, only

Floats = NDArray[np.float32]

#: Required share of right decisions at the threshold, of all rows that are decided with a known sign or none.
RIGHT = 0.9
#: Minimum number of rows with a sign for a threshold of a pair of types, and of others for counting them.
LEAST = 100
#: Below .6 the share of right decisions is that of an even choice between deciding and not.
_THRESHOLDS = np.round(np.arange(0.6, 0.96, 0.01), 2)
_UP, _DOWN = SIGNS.index("up"), SIGNS.index("down")
_RESULT, _HEDGED = (len(SIGNS) + MANNERS.index(name) for name in ("result", "hedged"))


def clearness_of(found: Floats) -> Floats:
    """Return how clearly each row states its likelier sign, in [-0.75, 1], for probabilities of shape (rows, 11)."""
    stated = found[:, _RESULT] + found[:, _HEDGED]
    signs = found[:, [_DOWN, _UP]]
    return np.asarray((signs.max(axis=1) - OPPOSED * signs.min(axis=1)) * stated)


def gold_of(row: Row) -> int | None:
    """Return the sign of a row (+1, -1), 0 if none may be decided, or None if its labels leave that open."""
    if row.manners in (only("denied"), only("unstated")):
        return 0
    if row.signs in (only("up"), only("down")):
        return 1 if "up" in row.signs else -1
    return 0 if row.signs.isdisjoint({"up", "down"}) else None


def threshold_of(rows: Sequence[Row], found: Floats) -> float:
    """Return the lowest threshold from which `RIGHT` of the decisions are right.

    Rows in which nothing may be decided weigh together as much as the rows with a sign. Fewer than `LEAST` of them are
    left out.

    Args:
        rows: Rows, at least one of them with a sign.
        found: Their probabilities, shape (rows, 11).
    """
    for threshold in _THRESHOLDS:
        each = figures_of(rows, found, float(threshold))
        wrong = (1 - each["right"]) * each["found"] / each["right"] if each["right"] else 1.0
        invented = each["decided"] if each["others"] >= LEAST else 0.0  # of fewer rows the share is chance
        if each["found"] and each["found"] / (each["found"] + wrong + invented) >= RIGHT:
            return float(threshold)
    return float(_THRESHOLDS[-1])


def thresholds_of(judged: Iterable[tuple[Row, Floats]]) -> dict[str, float]:
    """Return a threshold for each pair of types, such as "Chemical|Disease", with at least `LEAST` rows with a sign."""
    parts: dict[str, list[tuple[Row, Floats]]] = defaultdict(list)
    for row, each in judged:
        if row.level == SENTENCE:
            parts["|".join(sorted(row.types))].append((row, each))
    found = {}
    for types, held in sorted(parts.items()):
        if sum(bool(gold_of(row)) for row, _ in held) >= LEAST:
            found[types] = threshold_of([row for row, _ in held], np.stack([each for _, each in held]))
    return found


def figures_of(rows: Sequence[Row], found: Floats, threshold: float | Mapping[str, float]) -> Mapping[str, float | int]:
    """Return what a threshold decides on the rows of one set.

    Args:
        rows: The rows.
        found: Their probabilities, shape (rows, 11).
        threshold: One threshold, or one for each pair of types; pairs of other types have the median.

    Returns:
        `signed`: number of rows with a known sign that is stated; `found`: share of them decided right; `right`: share
        of their decisions that are right; `others`: number of rows in which nothing may be decided; `decided`: share of
        them that are decided.
    """
    limits = np.full(len(rows), threshold if isinstance(threshold, float) else np.median([*threshold.values()]))
    if not isinstance(threshold, float):
        limits = np.array([threshold.get("|".join(sorted(r.types)), limits[n]) for n, r in enumerate(rows)])
    clear, sign = clearness_of(found) >= limits, np.where(found[:, _UP] >= found[:, _DOWN], 1, -1)
    gold = [gold_of(row) for row in rows]
    signed = [(done, said == is_) for done, said, is_ in zip(clear, sign, gold, strict=True) if is_]
    others = [bool(done) for done, is_ in zip(clear, gold, strict=True) if is_ == 0]
    hits = [hit for done, hit in signed if done]
    return {
        "signed": len(signed),
        "found": _share(done and hit for done, hit in signed),
        "right": _share(hits),
        "others": len(others),
        "decided": _share(others),
    }


def _share(hits: Iterable[bool]) -> float:
    """Return the share of true values, rounded to three digits; 0 if there are none."""
    listed = [bool(each) for each in hits]
    return round(sum(listed) / len(listed), 3) if listed else 0.0
