"""Check whether the service is ready: stores, release, index and parser, as in `doctor`, without reading all files."""

from collections.abc import Callable

from groundwork.errors import TruthHypoError
from groundwork.language import english_model
from groundwork.records import plain
from groundwork.records.release import live
from truthhypo.faces.doctor import Check
from truthhypo.lookups import unfinished_loads
from truthhypo.world import World


def examine(world: World) -> tuple[Check, ...]:
    """Check what answers depend on. The checks are cheap enough to run every few seconds."""
    return (
        _attempt("graph", lambda: f"{world.graph_store.address}: {_release(world)}"),
        _attempt(
            "literature",
            lambda: f"{world.literature_store.address}: {world.literature_store.info().documents:,} documents",
        ),
        _attempt(
            "load", lambda: ", ".join(unfinished_loads(world.graph_store, world.literature_store)) or "none unfinished"
        ),
        _attempt("reader", english_model),
        _attempt("judge", lambda: world.settings.judge or world.settings.model),
    )


def shape(checks: tuple[Check, ...]) -> dict[str, object]:
    """Return the checks as JSON values, in the form that `doctor` prints."""
    return {"checks": plain(checks), "ok": all(check.ok for check in checks)}


def _release(world: World) -> str:
    return ", ".join(live(world.graph_store.releases())) or "no release"


def _attempt(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except TruthHypoError as error:
        return Check(name, False, error.seen, error.remedy or error.wanted)
