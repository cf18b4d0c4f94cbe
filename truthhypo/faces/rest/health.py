"""Check whether the service is ready, with some of the checks of `truthhypo doctor`.

The checks cover the graph, the literature, unfinished loads, the parser and the judge. They do not read all files.
"""

from groundwork import inventory
from groundwork.language import english_model
from groundwork.records import plain
from groundwork.records.release import live
from truthhypo.faces.doctor import Check, attempt
from truthhypo.lookups import unfinished_loads
from truthhypo.world import World


def examine(world: World) -> tuple[Check, ...]:
    """Check the stores, their loads, the parser and the judge. The checks are cheap enough to run every few seconds."""
    return (
        attempt("graph", lambda: f"{world.graph_store.address}: {_release(world)}"),
        attempt(
            "literature",
            lambda: f"{world.literature_store.address}: {world.literature_store.info().documents:,} documents",
        ),
        attempt(
            "load", lambda: ", ".join(unfinished_loads(world.graph_store, world.literature_store)) or "none unfinished"
        ),
        attempt("reader", english_model),
        attempt("judge", lambda: world.settings.judge or world.settings.model),
    )


def shape(checks: tuple[Check, ...]) -> dict[str, object]:
    """Return the checks as JSON values, in the form that `doctor` prints."""
    return {"checks": plain(checks), "ok": all(check.ok for check in checks)}


def _release(world: World) -> str:
    names = live(world.graph_store.releases())
    return ", ".join(inventory.labels(world.settings.home, names)) or "no release"
