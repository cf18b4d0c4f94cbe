"""The plain way to sum over simple paths: a compiled depth-first search, with a look-up for the last hop."""

from collections.abc import Callable
from typing import Any

import numpy as np


def depth_first() -> Callable[..., float]:
    """Return the compiled walk: (first, target, weight, start, end, hops) -> sum."""
    from numba import njit

    @njit
    def two_more(first: Any, target: Any, weight: Any, j: int, i: int, barred: Any, last: Any) -> float:
        total = 0.0
        for at in range(first[j], first[j + 1]):
            if target[at] != i and not barred[target[at]]:
                total += weight[at] * last[target[at]]
        return total

    @njit
    def walk(first: Any, target: Any, weight: Any, start: int, end: int, hops: int) -> float:
        last, barred = np.zeros(len(first) - 1), np.zeros(len(first) - 1, dtype=np.bool_)
        for at in range(first[end], first[end + 1]):
            last[target[at]] += weight[at]
        barred[start] = barred[end] = True
        total = last[start]
        for at in range(first[start], first[start + 1]):
            i = target[at]
            total += weight[at] * last[i] if hops >= 2 and not barred[i] else 0.0
            for over in range(first[i], first[i + 1] if hops >= 3 and not barred[i] else first[i]):
                j = target[over]
                if not barred[j]:
                    onward = last[j]
                    if hops >= 4:
                        onward += two_more(first, target, weight, j, i, barred, last)
                    total += weight[at] * weight[over] * onward
        return total

    return walk
