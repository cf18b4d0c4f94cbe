"""The kinds of releases that make up a graph: how the files of each kind are read, and what its snapshots contain."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from ibis.expr.types import Table

from groundwork.ports import Progress
from ingest import concepts, normalise, relations, snapshot, state, thesauri
from ingest.documents import document, pubtator
from ingest.engine import Engine, Expressions, count
from ingest.intake import Intake, Reader
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile
from ingest.snapshot import Manifest, measured, table_name


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of release: relations, names, thesauri or documents.

    Attributes:
        name: The name of the kind; see `Release.kind`.
        reader: Returns the reader for files of this kind, given a folder. The reader may write further tables into the
            folder.
        schema: Schema of the reader's batches.
        normalised: Writes the table of the snapshot and returns its path. The arguments are the file with the rows that
            were read, an engine, and the path of the table.
        types: Returns the entity types whose names, or the organisms whose genes, a snapshot of this kind replaces. The
            arguments are the table of the snapshot and an engine.
    """

    name: str
    reader: Callable[[Path], Reader]
    schema: pa.Schema
    normalised: Callable[[Path, Expressions, Path], Path]
    types: Callable[[Table, Engine], Sequence[str]] = lambda _table, _engine: ()

    def snapshot(self, taken: Intake, engine: Engine, on: Expressions, folder: Path) -> tuple[Manifest, Path]:
        """Normalise the rows, and return the manifest and the path of the table.

        Args:
            taken: The result of reading the files.
            engine: Reads the entity types from the table.
            on: The engine that normalises the rows.
            folder: The folder for the table; it is created.
        """
        receipt = taken.receipt
        folder.mkdir()
        table = self.normalised(taken.table, on, folder / table_name(self.name))
        repeated = count(taken.table) - count(table) if self.name == snapshot.DOCUMENTS else 0
        manifest = Manifest(
            source=receipt.source,
            release=receipt.release,
            sha256=taken.sha256,
            files=receipt.files,
            rows=replace(receipt.rows, repeated=repeated),
            rejected_by_reason=dict(receipt.rejected_by_reason),
            types=tuple(self.types(engine.table(table), engine)),
            rules=normalise.RULES,
            table=measured(table),
            organisms=taken.counts.organisms,
            kind=self.name,
        )
        return manifest, table


def _edges(rows: Path, engine: Expressions, file: Path) -> Path:
    keys = engine.table(relations.keys_file(rows.parent))
    return state.as_edges(engine.table(rows), keys, "code", engine, file)


def _names(rows: Path, engine: Expressions, file: Path) -> Path:
    return engine.write(normalise.names(engine.table(rows)), file)


def _named_types(names: Table, engine: Engine) -> Sequence[str]:
    return engine.values(normalise.kind(names.key))


def _added(rows: Path, engine: Expressions, file: Path) -> Path:
    added = engine.table(rows)
    return engine.write(added.distinct().order_by(*thesauri.ADDED.names), file)


def _organisms(added: Table, engine: Engine) -> Sequence[str]:
    return engine.values(added.filter(added.organism != "").organism)


def _read_documents(
    files: Sequence[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[pa.RecordBatch]:
    return document.from_documents(pubtator.read(files, rejects, rows, progress))


def _last(rows: Path, engine: Expressions, file: Path) -> Path:
    return engine.write(normalise.last(engine.table(rows)), file)


RELATIONS = Kind(snapshot.RELATIONS, relations.RelationReader, relations.ROWS, _edges)
NAMES = Kind(snapshot.CONCEPTS, lambda _: concepts.read, concepts.NAMES, _names, _named_types)
GENES = Kind(snapshot.GENES, lambda _: thesauri.read_genes, thesauri.ADDED, _added, _organisms)
ADDED_NAMES = Kind(snapshot.NAMES, lambda _: thesauri.read_names, thesauri.ADDED, _added)
DOCUMENTS = Kind(snapshot.DOCUMENTS, lambda _: _read_documents, document.DOCUMENTS, _last)
