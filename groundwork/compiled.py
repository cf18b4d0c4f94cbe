"""Loops over arrays that run as plain Python where there is little to do, and compiled where there is much.

Importing numba takes half a second, and the first compilation on a machine some seconds (it is kept beside the
source, as Python's own bytecode is, or in numba's own folder where that cannot be written). One look-up into a few
links must not wait for that. Both ways run the same source with the same arithmetic.
"""

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: From so many steps on compiled code is worth its start; plain Python takes some 10 microseconds a step.
MANY = 5_000


class Compiled(Generic[P, R]):
    """A function of arrays and numbers.

    Args:
        plain: The function as written, in the part of Python that numba compiles.
        parts: The functions it calls, and those that they call.
    """

    def __init__(self, plain: Callable[P, R], parts: tuple[Callable[..., object], ...]) -> None:
        self.plain = plain
        self._parts = parts
        self._fast: Callable[P, R] | None = None

    def over(self, steps: int) -> Callable[P, R]:
        """The function for a call of about so many steps."""
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
    """Make a function one that can be compiled.

    Args:
        *parts: Every function that it calls, directly or not.
    """
    return lambda plain: Compiled(plain, parts)
