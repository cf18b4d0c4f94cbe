"""Let an engine switch to new live releases, and close its stores while a load needs exclusive access."""

import asyncio
import logging
from contextlib import suppress

from anyio import to_thread

import cypher
import literature
from groundwork.errors import TruthHypoError
from groundwork.records.release import live
from truthhypo.service.engine import Engine
from truthhypo.world import World

_log = logging.getLogger("truthhypo.serve")

#: Seconds between two checks for a waiting load. A load waits for up to `graph_retry` seconds (30 by default).
_PULSE = 0.25
#: Number of checks for a waiting load between two checks of the live releases.
_RARELY = 8


class Watch:
    """Watcher for loads and new releases while an engine serves.

    Args:
        engine: The engine. It is closed during a load of the graph. Its stores are opened again when another release is
            live, so that it keeps no data of an older release.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turns = cypher.turns(engine.settings.graph_address)

    async def run(self) -> None:
        """Watch until this call is cancelled."""
        known = await self._releases()
        try:
            while True:
                for _ in range(_RARELY):
                    await asyncio.sleep(_PULSE)
                    if await self._wanted():
                        await self._make_way()
                        known = await self._releases()
                now = await self._releases()
                if None not in (known, now) and now != known:
                    await self._engine.renew()
                known = now or known
        finally:
            if self._turns:
                self._turns.end()

    async def _make_way(self) -> None:
        """Close the stores until the load is over, then open them again."""
        _log.info("a load needs the graph: the stores are closed until it is over")
        await self._engine.close()
        while await self._wanted():
            await asyncio.sleep(_PULSE)
        self._engine.open()
        _log.info("the stores are open again")

    async def _wanted(self) -> bool:
        return self._turns is not None and await to_thread.run_sync(self._turns.wanted)

    async def _releases(self) -> object:
        """Return which stores exist and which releases are live; None if the stores cannot tell at the moment."""
        with suppress(TruthHypoError, TimeoutError):
            return await self._engine.probe("releases", _live)
        return None


def _live(world: World) -> object:
    held = world.settings
    there = cypher.is_there(held.graph_address), literature.is_there(held.literature_address)
    return there, live(world.graph_store.releases(), world.literature_store.releases())
