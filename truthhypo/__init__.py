"""Is this statement true, what does the literature say, how sure can I be?

    import truthhypo

    with truthhypo.connect() as world:
        world.ground("Metformin treats type 2 diabetes.").groundedness
        risk = world.risk("Metformin treats type 2 diabetes.")
        risk.hrs, risk.strength, risk.flags
        world.graph.chains("Chemical|MESH:D008687", "Disease|MESH:D003924")

Results are records: `to_dict()` gives the JSON that the command prints.

What it offers is imported when first used, so that the command can hear Ctrl-C before a second's worth of imports.
"""

TYPE_CHECKING = False  # as type checkers read it; importing `typing` for its own takes longer than all of this
if TYPE_CHECKING:
    from groundwork.errors import TruthHypoError
    from groundwork.settings import Settings
    from truthhypo.connection import connect
    from truthhypo.world import World

__version__ = "0.1.0"

__all__ = ["Settings", "TruthHypoError", "World", "__version__", "connect"]

_HOMES = {
    "Settings": "groundwork.settings",
    "TruthHypoError": "groundwork.errors",
    "World": "truthhypo.world",
    "connect": "truthhypo.connection",
}


def __getattr__(name: str) -> object:
    """One of the names above, imported when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
