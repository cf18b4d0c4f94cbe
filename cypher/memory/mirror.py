"""Copy a memory store to a temporary ladybug database, so that a real Cypher engine answers free queries."""

from collections import defaultdict

import pyarrow as pa

from cypher import schema
from cypher.embedded.session import MEMORY, Session
from cypher.memory.content import Content
from groundwork.records import Contradiction
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO


def mirrored(content: Content, settings: Settings) -> Session:
    """Return a ladybug database in memory with the content of a memory store. The caller closes the database."""
    session = Session(MEMORY, settings)
    schema.create(session)
    session.copy(schema.CONCEPT, schema.concept_rows(pa.Table.from_batches([concept_batch(content.concepts.values())])))
    by_relation = defaultdict(list)
    for edge in content.edges.values():
        by_relation[edge.relation].append(edge)
    for relation, edges in by_relation.items():
        rows = pa.Table.from_batches([edge_batch(edges)])
        session.copy(relation.upper(), schema.edge_rows(rows, [edge.changed_in for edge in edges], settings))
    similarities = pa.Table.from_batches([similarity_batch(content.similar.values())])
    session.copy(SIMILAR_TO.upper(), schema.similarity_rows(similarities))
    contradictions = (Contradiction(*p, source) for source, pairs in content.contradictions.items() for p in pairs)
    session.copy(CONTRADICTS.upper(), schema.contradiction_rows(contradictions))
    session.copy(schema.RELEASE, schema.release_rows(content.releases.values()))
    return session
