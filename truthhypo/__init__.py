"""Check statements against a biomedical knowledge graph and the literature.

    import truthhypo

    with truthhypo.connect() as world:
        world.ground("Metformin treats type 2 diabetes.").groundedness
        risk = world.risk("Metformin treats type 2 diabetes.")
        risk.hrs, risk.strength, risk.flags
        world.graph.chains("Chemical|MESH:D008687", "Disease|MESH:D003924")

Results are records: `to_dict()` gives the JSON that the command prints.

Names are imported when they are first used. The imports take a second, and the command must react to Ctrl-C before.
"""

TYPE_CHECKING = False  # type checkers know this name; importing `typing` takes longer than the rest of this module
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
    """Import and return a name of this package when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
