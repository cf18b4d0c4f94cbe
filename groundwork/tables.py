"""Arrow schemas of bulk data exchanged between ingestion and the stores, and conversions from records.

Bulk data is moved in Arrow record batches, so that memory use depends on the batch size and not on the release.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from groundwork.records import Concept, Relation, Similarity

#: Relation edges: (head, tail) in canonical order, PMIDs distinct and ascending.
EDGES = pa.schema(
    [
        pa.field("head", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("tail", pa.string(), nullable=False),
        pa.field("pmids", pa.list_(pa.int64()), nullable=False),
    ]
)

#: Keys of relation edges, without their evidence.
EDGE_KEYS = pa.schema([EDGES.field("head"), EDGES.field("relation"), EDGES.field("tail")])

#: Concepts: the preferred name first, then names from most to least frequent, with their counts in the same order. A
#: gene has an organism (NCBI taxon id) and a description; both are empty for other concepts, and if they are not known.
CONCEPTS = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("synonyms", pa.list_(pa.string()), nullable=False),
        pa.field("counts", pa.list_(pa.int64()), nullable=False),
        pa.field("organism", pa.string(), nullable=False),
        pa.field("description", pa.string(), nullable=False),
    ]
)

#: Keys of concepts.
CONCEPT_KEYS = pa.schema([CONCEPTS.field("key")])

#: Similarity edges: the embedder's name, head < tail, cosine in [-1, 1].
SIMILARITIES = pa.schema(
    [
        pa.field("model", pa.string(), nullable=False),
        pa.field("head", pa.string(), nullable=False),
        pa.field("tail", pa.string(), nullable=False),
        pa.field("cosine", pa.float64(), nullable=False),
    ]
)

#: Keys of similarity edges; a model has one edge per pair.
SIMILARITY_KEYS = pa.schema([SIMILARITIES.field("model"), SIMILARITIES.field("head"), SIMILARITIES.field("tail")])


def edge_batch(relations: Iterable[Relation]) -> pa.RecordBatch:
    """Return relations as one batch with the schema `EDGES`."""
    rows = [{"head": r.head, "relation": r.relation, "tail": r.tail, "pmids": list(r.pmids)} for r in relations]
    return pa.RecordBatch.from_pylist(rows, schema=EDGES)


def concept_batch(concepts: Iterable[Concept]) -> pa.RecordBatch:
    """Return concepts as one batch with the schema `CONCEPTS`."""
    rows = [{name: getattr(concept, name) for name in CONCEPTS.names} for concept in concepts]
    return pa.RecordBatch.from_pylist(rows, schema=CONCEPTS)


def similarity_batch(similarities: Iterable[Similarity]) -> pa.RecordBatch:
    """Return similarities as one batch with the schema `SIMILARITIES`."""
    rows = [{"model": s.model, "head": s.head, "tail": s.tail, "cosine": s.cosine} for s in similarities]
    return pa.RecordBatch.from_pylist(rows, schema=SIMILARITIES)


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    """Yield the rows of batches, one dict per row."""
    for batch in batches:
        yield from batch.to_pylist()
