"""The known content of a generated release."""

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.performance.generator.evidence import Block, World
from benchmarks.performance.generator.lines import Extras
from benchmarks.performance.generator.mix import RELATIONS
from benchmarks.performance.generator.traps import Counts

SCHEMA = pa.schema({"head": pa.string(), "relation": pa.string(), "tail": pa.string(), "pmids": pa.list_(pa.int64())})
_EDGES = 200_000  # edges hashed at a time


def tell(world: World, extras: Extras, table: Path | None = None) -> dict[str, Any]:
    """Return the account of a release: rows, edges, concepts, digest.

    Args:
        world: The release.
        extras: The repeats and traps in its file.
        table: Where to write all edges with their PMIDs (Parquet), if anywhere.
    """
    lengths = np.concatenate([block.lengths for block in world.blocks()])
    evidence = int(lengths.sum())
    rejected = {reason: count for reason, count in sorted(extras.counts.items(), key=str) if isinstance(reason, str)}
    kept = evidence + extras.counts[Counts.KEPT]
    held = lengths > 0
    return {
        "rows": {"read": kept + sum(rejected.values()), "kept": kept, "rejected": sum(rejected.values())},
        "rejected_by_reason": rejected,
        "evidence": evidence,
        "edges": int(held.sum()),
        "edges_by_relation": _named(np.bincount(world.edges.relation[held], minlength=len(RELATIONS))),
        "most_pmids": int(lengths.max()),
        **_concepts(world, held),
        "digest": _digest(world, table),
        **({} if world.change is None else {"difference": _difference(world, held)}),
    }


def _named(counts: NDArray[np.int64]) -> dict[str, int]:
    return {name: int(count) for name, count in zip(RELATIONS, counts, strict=True) if count}


def _concepts(world: World, held: NDArray[np.bool_]) -> dict[str, Any]:
    head, tail = world.edges.head[held], world.edges.tail[held]
    degrees = np.bincount(np.concatenate([head, tail[head != tail]]), minlength=len(world.keys.keys))
    kinds = Counter(world.keys.keys[number].split("|", 1)[0] for number in np.flatnonzero(degrees))
    return {
        "concepts": sum(kinds.values()),
        "concepts_by_type": dict(sorted(kinds.items())),
        "largest_degree": int(degrees.max()),
    }


def _difference(world: World, held: NDArray[np.bool_]) -> dict[str, dict[str, int]]:
    """Return the effect of the successor on the first release, in the form of a receipt."""
    assert world.change is not None
    before = len(world.first)
    changed = int((world.change.shortened | world.change.grown).sum())
    removed = int(world.change.removed.sum())
    old = np.union1d(world.first.head, world.first.tail)
    new = np.union1d(world.edges.head[held], world.edges.tail[held])
    return {
        "edges": {
            "added": int(held.sum()) - (before - removed),
            "changed": changed,
            "removed": removed,
            "unchanged": before - removed - changed,
        },
        "concepts": {
            "added": len(np.setdiff1d(new, old)),
            "changed": 0,
            "removed": len(np.setdiff1d(old, new)),
            "unchanged": len(np.intersect1d(old, new)),
        },
    }


def _digest(world: World, table: Path | None) -> str:
    """Return the SHA-256 of the sorted 16-byte BLAKE2b hashes of `head TAB relation TAB tail TAB pmid,pmid,...`."""
    hashes = []
    with pq.ParquetWriter(table, SCHEMA, compression="zstd") if table else _NoTable() as writer:
        for batch in _batches(world):
            writer.write_batch(batch)
            pmids = pc.binary_join(batch["pmids"].cast(pa.list_(pa.string())), ",")
            lines = pc.binary_join_element_wise(batch["head"], batch["relation"], batch["tail"], pmids, "\t")
            hashes.append(b"".join(blake2b(line.encode(), digest_size=16).digest() for line in lines.to_pylist()))
    # A hash, as two big-endian numbers, is sorted as by its bytes.
    numbers = np.frombuffer(b"".join(hashes), ">u8").reshape(-1, 2).astype(np.uint64)
    ordered = numbers[np.lexsort((numbers[:, 1], numbers[:, 0]))]
    return sha256(ordered.astype(">u8").tobytes()).hexdigest()


def _batches(world: World) -> Iterator[pa.RecordBatch]:
    keys, relations = pa.array(world.keys.keys), pa.array(RELATIONS)
    for block in world.blocks():
        for part in _parts(block):
            there = np.flatnonzero(part.lengths)
            numbers = part.start + there
            offsets = np.concatenate([[0], np.cumsum(part.lengths[there])])
            yield pa.RecordBatch.from_arrays(
                [
                    keys.take(pa.array(world.edges.head[numbers])),
                    relations.take(pa.array(world.edges.relation[numbers])),
                    keys.take(pa.array(world.edges.tail[numbers])),
                    pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(world.pmids[part.articles])),
                ],
                schema=SCHEMA,
            )


def _parts(block: Block) -> Iterator[Block]:
    ends = np.concatenate([[0], np.cumsum(block.lengths)])
    for start in range(0, len(block.lengths), _EDGES):
        stop = min(start + _EDGES, len(block.lengths))
        yield Block(block.start + start, block.lengths[start:stop], block.articles[ends[start] : ends[stop]])


class _NoTable:
    """A table writer that discards everything."""

    def __enter__(self) -> "_NoTable":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Discard the batch."""
