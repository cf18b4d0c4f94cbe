"""Let an engine switch to new live releases."""

import asyncio
from contextlib import suppress

import cypher
import literature
from groundwork.errors import TruthHypoError
from groundwork.records.release import live
from truthhypo.service.engine import Engine
from truthhypo.world import World

#: Seconds between two checks of the live releases.
_PULSE = 2.0


class Watch:
    """Watcher for new releases while an engine serves.

    Args:
        engine: The engine. Its stores are opened again when another release is live, so that it keeps no data of an
            older release.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def run(self) -> None:
        """Watch until this call is cancelled."""
        known = await self._releases()
        while True:
            await asyncio.sleep(_PULSE)
            now = await self._releases()
            if None not in (known, now) and now != known:
                await self._engine.renew()
            known = now or known

    async def _releases(self) -> object:
        """Return which stores exist and which releases are live; None if the stores cannot tell at the moment."""
        with suppress(TruthHypoError, TimeoutError):
            return await self._engine.probe("releases", _live)
        return None


def _live(world: World) -> object:
    held = world.settings
    there = cypher.is_there(held.graph_address), literature.is_there(held.literature_address)
    return there, live(world.graph_store.releases(), world.literature_store.releases())
