"""Round to twelve significant digits without formatting text. For x from 1e-11 to 1, this equals `float(f"{x:.12g}")`.

The code is written in the subset of Python that numba compiles, so compiled searches round scores as other code does.
"""

from math import floor, log10

import numpy as np

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


PARTS = (twelve, _digits, _power, _product)
