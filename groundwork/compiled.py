"""Functions over arrays that run as plain Python for small inputs and compiled by numba for large inputs.

Importing numba takes half a second, and the first compilation on a machine takes some seconds. The compiled code is
cached beside the source file or, if that folder is not writable, in numba's own folder. A look-up over a few links must
not wait for the import or the compilation. Both ways run the same source with the same arithmetic.
"""

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

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
