"""Decide when a look-up may begin while other look-ups run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import CapacityLimiter

#: Seconds after which a look-up that still runs lets the next one begin.
PATIENCE = 0.1


class Turns:
    """Limits on look-ups that run at the same time.

    A look-up begins only if fewer than `places` others run, and fewer than `at_once` of these began in the last
    `PATIENCE` seconds.

    Look-ups on embedded stores compute in Python. Two of them at the same time share one interpreter and take longer
    than one after the other, so `at_once` is 1 for them. A slow look-up delays the next one by at most `PATIENCE`
    seconds.

    Args:
        places: Maximum number of look-ups that run at the same time.
        at_once: Maximum number of running look-ups that began less than `PATIENCE` seconds ago.
    """

    def __init__(self, places: int, at_once: int) -> None:
        self._places, self._turns = CapacityLimiter(places), asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait until a look-up may begin. The look-up runs in the block of this context."""
        async with self._places:
            await self._turns.acquire()
            held = True

            def give() -> None:
                nonlocal held
                if held:
                    held = False
                    self._turns.release()

            timer = asyncio.get_running_loop().call_later(PATIENCE, give)
            try:
                yield
            finally:
                timer.cancel()
                give()
