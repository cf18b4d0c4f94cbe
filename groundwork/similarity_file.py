"""Files of similarity edges with a description of how they were made: written by a build, read by a load."""

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError
from groundwork.json_text import loads
from groundwork.records import SimilaritySet
from groundwork.tables import SIMILARITIES

_MADE = b"truthhypo.similarity"


def write(path: Path, made: SimilaritySet, batches: Iterable[pa.RecordBatch]) -> None:
    """Write the similarity edges of one model as Parquet, with the description in the schema's metadata.

    The batches have the schema `tables.SIMILARITIES`. The same edges with the same description always give the same
    bytes.
    """
    schema = SIMILARITIES.with_metadata({_MADE: json.dumps(made.to_dict()).encode()})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def made(path: Path) -> SimilaritySet:
    """Return the description of the edges in a file.

    Raises:
        InputError: If the file was not written by `write`.
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
