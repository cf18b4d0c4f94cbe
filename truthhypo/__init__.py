"""Check statements against a biomedical knowledge graph and the literature.

    import truthhypo

    with truthhypo.connect() as world:
        world.ground("Metformin treats type 2 diabetes.").groundedness
        risk = world.risk("Metformin treats type 2 diabetes.")
        risk.hrs, risk.strength, risk.flags
        world.graph.chains("metformin", "type 2 diabetes mellitus").to_frame()
        world.ground_many(["Metformin treats type 2 diabetes.", "Aspirin causes fever."]).claims()

Results are records: `to_dict()` gives the JSON that the command prints, and `to_frame()` a pandas DataFrame.

Names are imported when they are first used. Importing all of them takes a second, and the command must react to Ctrl-C
during this second.
"""

TYPE_CHECKING = False  # type checkers know this name; importing `typing` takes longer than the rest of this module
if TYPE_CHECKING:
    from fuzzygraph.risk_report import RiskReport, SentenceRisk
    from groundwork.errors import (
        DamagedStore,
        InputError,
        ModelError,
        NothingLoaded,
        StoreError,
        TruthHypoError,
        UnknownConcept,
    )
    from groundwork.ports import LanguageModel, Progress
    from groundwork.records import Abstract, Chain, Chains, Edges, Found, Hit, Hits, Hop, Match, Record, Stats, Table
    from groundwork.settings import Settings
    from knowhd.ground_report import ClaimReport, GroundReport
    from truthhypo.connection import connect
    from truthhypo.faces.many.report import ManyReport
    from truthhypo.hypotheses.hypothesis import Hypothesis
    from truthhypo.lookups import Articles, GraphLookups, LiteratureLookups
    from truthhypo.world import World

__version__ = "0.1.0"

__all__ = [
    "Abstract",
    "Articles",
    "Chain",
    "Chains",
    "ClaimReport",
    "DamagedStore",
    "Edges",
    "Found",
    "GraphLookups",
    "GroundReport",
    "Hit",
    "Hits",
    "Hop",
    "Hypothesis",
    "InputError",
    "LanguageModel",
    "LiteratureLookups",
    "ManyReport",
    "Match",
    "ModelError",
    "NothingLoaded",
    "Progress",
    "Record",
    "RiskReport",
    "SentenceRisk",
    "Settings",
    "Stats",
    "StoreError",
    "Table",
    "TruthHypoError",
    "UnknownConcept",
    "World",
    "__version__",
    "connect",
]

_NAMES = {
    "fuzzygraph.risk_report": ("RiskReport", "SentenceRisk"),
    "groundwork.errors": (
        "DamagedStore",
        "InputError",
        "ModelError",
        "NothingLoaded",
        "StoreError",
        "TruthHypoError",
        "UnknownConcept",
    ),
    "groundwork.ports": ("LanguageModel", "Progress"),
    "groundwork.records": (
        "Abstract",
        "Chain",
        "Chains",
        "Edges",
        "Found",
        "Hit",
        "Hits",
        "Hop",
        "Match",
        "Record",
        "Stats",
        "Table",
    ),
    "groundwork.settings": ("Settings",),
    "knowhd.ground_report": ("ClaimReport", "GroundReport"),
    "truthhypo.connection": ("connect",),
    "truthhypo.faces.many.report": ("ManyReport",),
    "truthhypo.lookups": ("Articles", "GraphLookups", "LiteratureLookups"),
    "truthhypo.hypotheses.hypothesis": ("Hypothesis",),
    "truthhypo.world": ("World",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


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
