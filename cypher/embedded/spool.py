"""Sort the rows of a load by relation on disk, so that each relation's table is written once, in constant memory."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from groundwork.vocabulary import RELATIONS


@contextmanager
def spooled(batches: Iterable[pa.RecordBatch], schema: pa.Schema, folder: Path) -> Iterator[dict[str, pa.Table]]:
    """Yield the rows of each relation as a table that is mapped from disk, not held in memory.

    Args:
        batches: Rows with a column `relation`.
        schema: The schema of the batches.
        folder: The folder for temporary files.

    Yields:
        A dict from each relation that occurs in the batches to the table of its rows, in their original order.
    """
    with TemporaryDirectory(dir=folder, prefix="spool-", ignore_cleanup_errors=True) as place, ExitStack() as mapped:
        found = _write_files(batches, schema, Path(place))
        yield {relation: _map_file(Path(place) / relation, mapped) for relation in found}


def _write_files(batches: Iterable[pa.RecordBatch], schema: pa.Schema, place: Path) -> list[str]:
    """Write one file per relation. Return the relations that have rows, sorted."""
    import pyarrow.compute as pc

    with ExitStack() as files:
        writers: dict[str, pa.RecordBatchFileWriter] = {}
        for batch in batches:
            rows = pa.RecordBatch.from_arrays(
                [batch[name].cast(schema.field(name).type) for name in schema.names], schema=schema
            )
            for relation in rows["relation"].unique().to_pylist():
                if relation not in writers:
                    path = place / RELATIONS[RELATIONS.index(relation)]
                    writers[relation] = files.enter_context(pa.ipc.new_file(str(path), schema))
                writers[relation].write_batch(rows.filter(pc.equal(rows["relation"], relation)))
    return sorted(writers)


def _map_file(path: Path, mapped: ExitStack) -> pa.Table:
    return pa.ipc.open_file(mapped.enter_context(pa.memory_map(str(path)))).read_all()
