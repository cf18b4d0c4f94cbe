"""A limit on the concurrent calls of one model that adapts to what the server can handle.

Each call in progress takes one place. The number of places follows TCP's additive increase and multiplicative decrease
(Chiu and Jain 1989): a round of answers adds one place, and an overload halves the number of places. It starts at the
maximum, because the user chose the maximum for this server.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic


class ConcurrencyLimit:
    """A limited number of places for calls; safe for several threads.

    A place that becomes free wakes only the first waiting thread, because the time for waking all of them would grow
    with their number.

    Args:
        most: Maximum number of concurrent calls, >= 1.
        clock: Returns the time in seconds; replaced in tests.
    """

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._clock = clock
        self._free = Condition()
        self._width = float(most)
        self._under_way = 0
        self._opens = self._cut = float("-inf")

    @property
    def width(self) -> int:
        """Number of calls that may currently be in progress."""
        return int(self._width)

    @contextmanager
    def place(self) -> Iterator[float]:
        """Wait for a place and hold it inside the block. Yield the time at which the place was taken."""
        with self._free:
            while self._under_way >= self.width or self._clock() < self._opens:
                pause = self._opens - self._clock()
                self._free.wait(pause if pause > 0 else None)
            self._under_way += 1
            began = self._clock()
        try:
            yield began
        finally:
            with self._free:
                self._under_way -= 1
                self._free.notify()

    def widen(self) -> None:
        """Count an answered call. After as many answered calls as there are places, one place is added."""
        with self._free:
            before = self.width
            self._width = min(self._most, self._width + 1 / self._width)
            self._free.notify(self.width - before)

    def narrow(self, began: float) -> None:
        """Halve the number of places after an overload, but only once for calls that were in progress together.

        Args:
            began: The time at which the call that met the overload took its place.
        """
        with self._free:
            if began >= self._cut:
                self._width = max(1.0, self._width / 2)
                self._cut = self._clock()

    def close_for(self, seconds: float) -> None:
        """Start no new call for some seconds, because the server asked to wait."""
        with self._free:
            self._opens = max(self._opens, self._clock() + seconds)
            self._free.notify_all()
