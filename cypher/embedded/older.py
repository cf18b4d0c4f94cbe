"""Carry over the graph that an earlier version of the program kept in a ladybug database.

That version read the database for its look-ups. The folder had the database, an index of names, an atlas, a manifest
with the checksums of the files, and the file `format`.
"""

import shutil
import warnings
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from cypher import schema
from cypher.catalog import query
from cypher.embedded.concepts import REMEDY
from cypher.embedded.draft import Draft
from cypher.embedded.session import Session
from cypher.embedded.state import State
from cypher.rows import concept_of
from groundwork import manifest
from groundwork.errors import AtlasMissing, StoreError
from groundwork.records import Contradiction, Release
from groundwork.settings import Settings
from groundwork.tables import EDGES, SIMILARITIES, concept_batch
from groundwork.vocabulary import RELATIONS

DATABASE = "graph.lbug"
_CONCEPTS = 20_000  # concepts that are read together
_FORMAT, _MANIFEST = "format", "manifest.json"
_LEFT = (
    *(DATABASE, f"{DATABASE}.wal", f"{DATABASE}.wal.checkpoint", f"{DATABASE}.shadow"),
    *("names.sqlite", _MANIFEST, _FORMAT, "served", "wanted", "atlas"),
)


def carried_over(folder: Path, target: Path, settings: Settings, *, read_only: bool = False) -> list[Release]:
    """Write the content of the database as a state, and return the releases.

    Args:
        folder: The folder of the graph. The caller holds its lock.
        target: The folder for the state.
        settings: Settings with the number of threads.
        read_only: Whether the folder cannot be written, so that what a killed load left cannot be repaired.

    Raises:
        StoreError: The database has tables of another format.
        DamagedStore: A file is missing or was changed from outside.
    """
    _check(folder)
    told = f"the graph {folder} was made by an earlier version of this program; it is carried over now, once"
    warnings.warn(told, AtlasMissing, stacklevel=2)
    draft = Draft(State.empty(), target)
    # Opening the database for writing repairs what a killed load left.
    with closing(Session(folder / DATABASE, settings, read_only=read_only)) as session:
        if not read_only:
            schema.create(session)
        draft.put_concepts(_concepts(session))
        for relation in RELATIONS:
            rows = session.arrow(query("embedded", "relation_rows").naming(relation))
            names = pa.array([relation] * rows.num_rows, pa.string())
            edges = pa.table([rows["from"], names, rows["to"], rows["pmids"]], EDGES.names).cast(EDGES)
            for release in rows["changed_in"].unique().to_pylist():
                draft.put_edges(edges.filter(_equal(rows["changed_in"], release)).to_batches(), release)
        rows = session.arrow(query("embedded", "similarity_rows").text).rename_columns(
            ["head", "tail", "cosine", "model"]
        )
        draft.put_similarities(rows.select(SIMILARITIES.names).cast(SIMILARITIES).to_batches())
        rows = session.arrow(query("embedded", "contradiction_rows").text)
        for source in rows["source"].unique().to_pylist():
            some = rows.filter(_equal(rows["source"], source)).to_pylist()
            draft.put_contradictions(source, [Contradiction(row["from"], row["to"], source) for row in some])
        releases = [Release.of(found) for (found,) in session.rows(query("embedded", "releases").text)]
    draft.finish()
    return releases


def remove(folder: Path) -> None:
    """Remove the files of the earlier version."""
    for path in (folder / name for name in _LEFT):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _check(folder: Path) -> None:
    """Refuse another format, and files that differ from what the last load wrote: ladybug can crash on them."""
    try:
        said = (folder / _FORMAT).read_text("ascii", "replace").split()
    except FileNotFoundError:
        said = []
    if said[:1] != [str(schema.FORMAT)]:
        told = f"format {said[0][:20]}" if said else "no format number"
        raise StoreError(
            f"the graph {folder} has {told}: another version of this program made it",
            f"a graph of format {schema.FORMAT} or later",
            "use that version, or load the files again into a new folder: another --home or --graph embedded:PATH",
        )
    try:
        noted = manifest.read(folder / _MANIFEST)
        files = manifest.entries(noted["files"]) if noted["state"] == "whole" else {}
    except FileNotFoundError:
        return  # its first versions wrote none
    except (ValueError, KeyError, TypeError) as error:
        fault = manifest.Fault(folder / _MANIFEST, f"cannot be read: {error}", "a manifest written by a load")
        raise manifest.damaged(f"the graph store {folder}", [fault], REMEDY) from error
    if found := list(manifest.faults(folder, files, thorough=True)):
        raise manifest.damaged(f"the graph store {folder}", found, REMEDY)


def _concepts(session: Session) -> Iterator[pa.RecordBatch]:
    rows = map(concept_of, session.rows(query("embedded", "every_concept").text))
    while concepts := list(islice(rows, _CONCEPTS)):
        yield concept_batch(concepts)


def _equal(column: pa.ChunkedArray, value: Any) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    return pc.equal(column, value)
