"""Modules that commands import late. A process imports them once and is forked for each command, to save time."""

import gc
from importlib import import_module

from groundwork.language import pipeline

LATE = (
    *("cypher.bolt.graph", "cypher.embedded.graph", "literature.elastic", "literature.embedded"),
    *("fuzzygraph.check", "fuzzygraph.similarity", "ingest.load", "ingest.pubmed.pubmed_load", "knowhd.check"),
    *("truthhypo.faces.doctor", "truthhypo.rebuild", "truthhypo.service.watching"),
    *(f"truthhypo.faces.cli.{name}" for name in ("entry", "graph", "ingest", "judge", "literature", "show", "watch")),
    *("ibis.backends.duckdb", "ladybug", "pyarrow.dataset"),
)


def import_late() -> None:
    """Import these modules in the process that will be forked, and load the parser."""
    for name in LATE:
        import_module(name)
    pipeline()


def leave_alone() -> None:
    """Keep the garbage collector of a fork away from inherited objects, because a scan would copy their memory."""
    gc.freeze()
