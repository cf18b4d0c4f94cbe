"""Check whether the service is ready, with some of the checks of `truthhypo doctor`.

The checks cover the graph, the literature, unfinished loads, the parser and the judge. They do not read all files.
"""

import asyncio
from collections.abc import Callable

from groundwork import inventory
from groundwork.errors import without_password
from groundwork.language import english_model
from groundwork.records import plain
from groundwork.records.release import live
from truthhypo.faces.doctor import Check, attempt
from truthhypo.lookups import unfinished_loads
from truthhypo.service.engine import PROBE, Engine
from truthhypo.world import World


async def examine(engine: Engine) -> tuple[Check, ...]:
    """Check the stores, their loads, the parser and the judge. The checks are cheap enough to run every few seconds.

    Raises:
        StoreBusy: The stores are closed.
    """
    settings = engine.settings
    stores = (
        _probed(engine, "graph", settings.graph_address, _graph),
        _probed(engine, "literature", settings.literature_address, _literature),
        _probed(engine, "load", "the stores", _loads),
    )
    return (
        *await asyncio.gather(*stores),
        attempt("reader", english_model),
        attempt("judge", lambda: settings.judge or settings.model),
    )


async def _probed(engine: Engine, name: str, place: str, look: Callable[[World], str]) -> Check:
    """Return the check of a store, which fails if the store does not answer soon."""
    try:
        return await engine.probe(name, lambda world: attempt(name, lambda: look(world)))
    except TimeoutError:
        found = f"{without_password(place)}: no answer within {PROBE:g} s"
        return Check(name, False, found, "check that the server runs and is not overloaded")


def shape(checks: tuple[Check, ...]) -> dict[str, object]:
    """Return the checks as JSON values, in the form that `doctor` prints."""
    return {"checks": plain(checks), "ok": all(check.ok for check in checks)}


def _graph(world: World) -> str:
    names = live(world.graph_store.releases())
    shown = ", ".join(inventory.labels(world.settings.home, names)) or "no release"
    return f"{world.graph_store.address}: {shown}"


def _literature(world: World) -> str:
    return f"{world.literature_store.address}: {world.literature_store.info().documents:,} documents"


def _loads(world: World) -> str:
    return ", ".join(unfinished_loads(world.graph_store, world.literature_store)) or "none unfinished"
