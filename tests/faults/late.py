"""What commands import late: a process that has imported it is forked for each command, which then starts at once."""

import gc
from importlib import import_module

LATE = (
    *("cypher.bolt.graph", "cypher.embedded.graph", "literature.elastic", "literature.embedded"),
    *("fuzzygraph.check", "fuzzygraph.similarity.build", "ingest.load", "ingest.pubmed.load", "knowhd.check"),
    *("truthhypo.faces.doctor", "truthhypo.rebuild", "truthhypo.service.rejudging"),
    *(f"truthhypo.faces.cli.{name}" for name in ("entry", "graph", "ingest", "judge", "literature", "show", "watch")),
    *("ibis.backends.duckdb", "ladybug", "pyarrow.dataset"),
)


def import_late() -> None:
    """Import it, in the process that is to be forked."""
    for name in LATE:
        import_module(name)


def leave_alone() -> None:
    """Have the garbage collector of a fork leave alone what the fork was given, which costs it a copy of that."""
    gc.freeze()
