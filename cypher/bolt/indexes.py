"""The constraints and indexes of a graph on Neo4j, and a function that creates the missing ones."""

from collections.abc import Iterable
from dataclasses import dataclass

from cypher.bolt.server import Server
from groundwork.vocabulary import RELATIONS

#: State of an index that can be used.
ONLINE = "ONLINE"
#: Time limit in seconds for building indexes over an existing graph.
_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Index:
    """A constraint or an index.

    Attributes:
        name: Its name in Neo4j.
        query: The named query that creates it.
        kinds: For an index over edges: the relation of these edges. Otherwise empty.
    """

    name: str
    query: str
    kinds: tuple[str, ...] = ()


#: Constraints, which are created before the first write.
CONSTRAINTS = (
    Index("concept_key", "schema_concept"),
    Index("release_id", "schema_release"),
    Index("lease_name", "schema_lease"),
)
#: The index over concepts that look-ups need.
NAMES = Index("concept_forms", "schema_forms")
#: Indexes over concepts, and over the edges of each relation, because Neo4j has no range index over several relations.
#: Indexes over edges are used only by queries in Neo4j Browser. They cost 13 % of the server's CPU in a first load
#: (MEASURED.md).
OVER_CONCEPTS = (NAMES, Index("concept_types", "schema_types"))
OVER_EDGES = tuple(
    Index(f"{relation.upper()} {what}", f"schema_{what}", (relation,))
    for relation in RELATIONS
    for what in ("articles", "releases")
)


def create(server: Server, indexes: Iterable[Index]) -> None:
    """Create missing constraints, indexes and relationship types, and wait until the indexes are online."""
    there = {name for name, _, state in server.read("indexes") if state == ONLINE}
    missing = [index for index in indexes if index.name not in there]
    for index in missing:
        server.administer(index.query, index.kinds)
    if missing:
        server.administer("schema_kinds")
        server.administer("schema_online", seconds=_SECONDS)
