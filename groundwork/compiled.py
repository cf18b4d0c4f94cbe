"""Functions over arrays that run as plain Python for small inputs and compiled by numba for large inputs.

Importing numba takes half a second, and the first compilation on a machine takes some seconds. The compiled code is
cached beside the source file or, if that folder is not writable, in numba's own folder. A look-up over a few links must
not wait for the import or the compilation. Both ways run the same source with the same arithmetic.

`twelve` rounds to twelve significant digits without formatting text, so that compiled searches round scores as other
code does. For x from 1e-11 to 1, it equals `float(f"{x:.12g}")`.
"""

from collections.abc import Callable
from math import floor, log10
from typing import Generic, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")

#: Number of steps from which compiled code is worth its start-up time; plain Python takes about 10 us per step.
MANY = 5_000


class Compiled(Generic[P, R]):
    """A function of arrays and numbers.

    Args:
        plain: The function, written in the subset of Python that numba compiles.
        parts: All functions that `plain` calls, directly or indirectly.
    """

    def __init__(self, plain: Callable[P, R], parts: tuple[Callable[..., object], ...]) -> None:
        self.plain = plain
        self._parts = parts
        self._fast: Callable[P, R] | None = None

    def over(self, steps: int) -> Callable[P, R]:
        """Return the version of the function to use for a call of about this many steps."""
        if self._fast is not None:
            return self._fast
        return self.fast if steps >= MANY else self.plain

    @property
    def fast(self) -> Callable[P, R]:
        """The compiled function."""
        if self._fast is None:
            from numba import njit
            from numba.extending import register_jitable

            for part in self._parts:
                register_jitable(part)
            self._fast = njit(cache=True, nogil=True)(self.plain)
        return self._fast


def compiled(*parts: Callable[..., object]) -> Callable[[Callable[P, R]], Compiled[P, R]]:
    """Return a decorator that makes a function compilable.

    Args:
        *parts: Every function that the decorated function calls, directly or indirectly.
    """
    return lambda plain: Compiled(plain, parts)


#: Powers of ten that a double represents exactly.
_POWERS = np.array([10.0**power for power in range(23)])
_LOW, _HIGH = 1e11, 1e12  # twelve digits before the point


def twelve(value: float) -> float:
    """Return a number of [0, 1] rounded to 12 significant digits. A half is rounded to the even digit.

    The result is exact for numbers from 1e-11 to 1. For smaller numbers, it is correct to one unit in the last place:
    equal numbers stay equal, and the order of two numbers is never reversed.
    """
    if value <= 0.0:
        return 0.0
    power = int(11.0 - floor(log10(value)))
    digits = _digits(value, power)
    if digits < _LOW:
        power += 1
        digits = _digits(value, power)
    elif value * _power(power) >= _HIGH:
        power -= 1
        digits = _digits(value, power)
    return digits / _power(power)


def _digits(value: float, power: int) -> float:
    """Return value * 10^power, rounded to a whole number. A half is rounded to the even number."""
    if power > 22:
        high, low = _product(value, 1e22)
        scale = _power(power - 22)
        high, rest = _product(high, scale)
        low = low * scale + rest
    else:
        high, low = _product(value, _power(power))
    whole = float(floor(high))
    over = (high - whole - 0.5) + low
    if over > 0.0 or (over == 0.0 and whole % 2.0 == 1.0):
        whole += 1.0
    return whole


def _power(power: int) -> float:
    return float(_POWERS[power]) if power <= 22 else 10.0**power


def _product(a: float, b: float) -> tuple[float, float]:
    """Return the product as a double, and its exact rounding error (by Dekker's method)."""
    high = a * b
    c = 134217729.0 * a
    a1 = c - (c - a)
    a2 = a - a1
    c = 134217729.0 * b
    b1 = c - (c - b)
    b2 = b - b1
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2


ROUNDING = (twelve, _digits, _power, _product)
