"""Similarity edges as a file that says how they were made: what a build writes, and a load reads."""

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError
from groundwork.records import SimilaritySet
from groundwork.tables import SIMILARITIES

_MADE = b"truthhypo.similarity"


def write(path: Path, made: SimilaritySet, batches: Iterable[pa.RecordBatch]) -> None:
    """Write the edges of one model (`tables.SIMILARITIES`) as Parquet, with how they were made in its schema.

    The same edges made in the same way give the same bytes.
    """
    schema = SIMILARITIES.with_metadata({_MADE: json.dumps(made.to_dict()).encode()})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def made(path: Path) -> SimilaritySet:
    """How the edges in a file were made.

    Raises:
        InputError: It is not what `write` writes.
    """
    try:
        schema = pq.read_schema(path)
        found = SimilaritySet(**json.loads((schema.metadata or {})[_MADE]))
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise _foreign(path, str(error) or type(error).__name__) from error
    if schema.remove_metadata() != SIMILARITIES:
        raise _foreign(path, f"its columns are {', '.join(schema.names)}")
    return found


def _foreign(path: Path, seen: str) -> InputError:
    return InputError(
        f"{path} holds no similarity edges: {seen}", "a file that `ingest similarity` made", "make it anew"
    )
