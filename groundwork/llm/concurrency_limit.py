"""The number of calls of one model that may be under way at a time, up to a limit.

Additive increase, multiplicative decrease, as in TCP (Chiu and Jain 1989): a round of answers opens one more place, an
overload halves them. It begins wide open, since the limit is what the user thinks the server bears.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from time import monotonic


class ConcurrencyLimit:
    """Places for calls; safe to use from several threads.

    One place that becomes free wakes one who waits, the first who came: to wake all, that they may see that they are
    too late, costs the more time the more calls are wanted at a time.

    Args:
        most: Calls at a time, at most; >= 1.
        clock: Seconds, for tests.
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
        """Calls that may be under way now."""
        return int(self._width)

    @contextmanager
    def place(self) -> Iterator[float]:
        """Wait for a place and hold it; gives the time at which it was taken."""
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
        """A call was answered: after a round of those there is one more place."""
        with self._free:
            before = self.width
            self._width = min(self._most, self._width + 1 / self._width)
            self._free.notify(self.width - before)

    def narrow(self, began: float) -> None:
        """A call was too much: half the places, once for all calls that were under way together.

        Args:
            began: When that call took its place.
        """
        with self._free:
            if began >= self._cut:
                self._width = max(1.0, self._width / 2)
                self._cut = self._clock()

    def close_for(self, seconds: float) -> None:
        """Let no new call begin for a while: the server said when it wants the next one."""
        with self._free:
            self._opens = max(self._opens, self._clock() + seconds)
            self._free.notify_all()
