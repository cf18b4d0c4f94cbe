"""Arrow schemas of bulk data exchanged between ingestion and the stores, and conversions from records.

Bulk data is moved in Arrow record batches, so that memory use depends on the batch size and not on the release.

The digest of a graph's relation edges is one hash per set of edges, independent of the store and of the order. A file
of similarity edges has a description of how they were made: a build writes it, and a load reads it.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError
from groundwork.files import loads
from groundwork.records import Concept, Relation, Similarity, SimilaritySet

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


_WIDTH = 16
#: The type of the hash of one edge.
HASH = np.dtype(f"V{_WIDTH}")
Hashes: TypeAlias = "np.ndarray[Any, np.dtype[np.void]]"


class Digest:
    """Computes the hash of relation edges with their PMIDs, batch by batch. It uses 16 bytes of memory per edge.

    Each edge is written as the line `head<TAB>relation<TAB>tail<TAB>pmid,pmid,...` in UTF-8 and hashed by blake2b to 16
    bytes. These hashes are sorted, joined, and hashed by SHA-256.
    """

    def __init__(self) -> None:
        self._hashes: list[Hashes] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch with the schema `tables.EDGES`. The PMIDs of each edge must be in ascending order."""
        self._hashes.append(hashes_of(batch))

    @property
    def value(self) -> str:
        """The digest as 64 hexadecimal digits. If there are no edges, it is the SHA-256 of an empty string."""
        return joined(np.concatenate([np.zeros(0, HASH), *self._hashes]))


def digest(batches: Iterable[pa.RecordBatch]) -> str:
    """Return the hash of relation edges with their PMIDs; see `Digest`.

    Args:
        batches: Batches with the schema `tables.EDGES`. The PMIDs of each edge must be in ascending order.
    """
    made = Digest()
    for batch in batches:
        made.add(batch)
    return made.value


def hashes_of(batch: pa.RecordBatch) -> Hashes:
    """Return the hash of each edge of a batch with the schema `tables.EDGES`; see `Digest`."""
    import pyarrow.compute as pc

    pmids = pc.binary_join(batch["pmids"].cast(pa.list_(pa.string())), ",")
    lines = pc.binary_join_element_wise(batch["head"], batch["relation"], batch["tail"], pmids, "\t")
    hashes = b"".join(blake2b(line, digest_size=_WIDTH).digest() for line in lines.cast(pa.binary()).to_pylist())
    return np.frombuffer(hashes, HASH)


def joined(hashes: Hashes) -> str:
    """Return the digest of edges with these hashes, as 64 hexadecimal digits; see `Digest`."""
    halves = hashes.view(">u8").reshape(-1, 2).astype(np.uint64)  # sorting texts takes several times longer
    order = np.argsort(halves[:, 0])
    firsts = halves[order, 0]
    if (firsts[1:] == firsts[:-1]).any():
        order = np.lexsort((halves[:, 1], halves[:, 0]))
    return sha256(hashes[order].tobytes()).hexdigest()


_MADE = b"truthhypo.similarity"


def write_similarities(path: Path, made: SimilaritySet, batches: Iterable[pa.RecordBatch]) -> None:
    """Write the similarity edges of one model as Parquet, with the description in the schema's metadata.

    The batches have the schema `tables.SIMILARITIES`. The same edges with the same description always give the same
    bytes.
    """
    schema = SIMILARITIES.with_metadata({_MADE: json.dumps(made.to_dict()).encode()})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def similarity_set(path: Path) -> SimilaritySet:
    """Return the description of the edges in a file.

    Raises:
        InputError: If the file was not written by `write_similarities`.
    """
    try:
        schema = pq.read_schema(path)
        found = SimilaritySet(**loads((schema.metadata or {})[_MADE]))
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise _foreign(path, str(error) or type(error).__name__) from error
    if schema.remove_metadata() != SIMILARITIES:
        raise _foreign(path, f"its columns are {', '.join(schema.names)}")
    return found


def _foreign(path: Path, seen: str) -> InputError:
    return InputError(
        f"{path} contains no similarity edges: {seen}",
        "a file made by `truthhypo ingest similarity`",
        "make the file again",
    )
