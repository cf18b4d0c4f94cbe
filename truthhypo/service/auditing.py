"""Audit a release of relations, and compare it with another one."""

from truthhypo.service.answer_state import state_of
from truthhypo.service.requests import AuditRequest
from truthhypo.service.typed_answers import AuditAnswer
from truthhypo.world import World

#: Number of concepts in each list of an audit.
_TOP = 10


def audit_release(world: World, request: AuditRequest) -> AuditAnswer:
    """Report the content of a release of relations, its differences from another one, and its limits."""
    from ingest.audit.audit import examine  # imported here, because it imports DuckDB

    found = examine(request.release, world.graph_store, world.settings, against=request.against, top=_TOP)
    release, loading = state_of(world.graph_store)
    return AuditAnswer(audit=found.to_dict(), release=release, loading=loading)


def auditable(world: World) -> tuple[str, ...]:
    """Return the releases of relations that the graph knows, each as `SOURCE:ID`, newest first within a source."""
    known = [each for each in world.graph_store.releases() if each.kind == "relations"]
    known.sort(key=lambda each: (each.source, -each.order))
    return tuple(f"{each.source}:{each.id}" for each in known)
