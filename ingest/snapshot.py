"""Snapshots: what a release says after normalisation, kept under HOME/snapshots/SOURCE/ID/ for as long as it counts.

A snapshot is a folder of one Parquet table and a manifest.json. It is written elsewhere and renamed into its place,
so it is there whole or not at all. It never changes: whoever reads the table compares it with its SHA-256 first.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from groundwork import manifest as files
from groundwork.errors import InputError
from groundwork.manifest import Fault, FileEntry
from groundwork.records import SimilaritySet
from ingest.engine import count
from ingest.normalise import RULES
from ingest.receipt import FileRead, Rows

CONCEPTS = "concepts"
DOCUMENTS = "documents"
PUBMED = "pubmed"
SIMILARITY = "similarity"

#: Sources with a kind of their own; any other name is a source of relations.
RESERVED = frozenset({CONCEPTS, DOCUMENTS, PUBMED, SIMILARITY})

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot is of.

    Attributes:
        source: Whose release.
        release: Its ID.
        sha256: Of all files in order.
        files: The files it was made of.
        rows: Rows read, kept and rejected.
        rejected_by_reason: Rejected rows by reason.
        types: For names: the entity types whose names it holds; else empty.
        rules: Version of the rules of `normalise`.
        table: Rows, bytes and SHA-256 of the Parquet table.
        similarity: For similarity edges: how they were made; else None.
    """

    source: str
    release: str
    sha256: str
    files: tuple[FileRead, ...]
    rows: Rows
    rejected_by_reason: dict[str, int]
    types: tuple[str, ...]
    rules: int
    table: dict[str, int | str]
    similarity: SimilaritySet | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot on the disk: its manifest, and the Parquet table with edges, names, documents or similarities."""

    manifest: Manifest
    table: Path

    @property
    def name(self) -> str:
        """`SOURCE:ID`."""
        return f"{self.manifest.source}:{self.manifest.release}"

    def faults(self, *, thorough: bool) -> list[Fault]:
        """What is wrong with the table; see `groundwork.manifest.faults`."""
        return list(files.faults(self.table.parent, {self.table.name: entry(self.manifest.table)}, thorough=thorough))

    def checked(self) -> Path:
        """The table, after it was read to its end and found as it was written.

        Raises:
            DamagedStore: It was changed from outside; the error names the files to load again.
        """
        if found := self.faults(thorough=True):
            raise files.damaged(f"the snapshot {self.name}", found, self.remedy)
        return self.table

    @property
    def remedy(self) -> str:
        """How to get it back if it is damaged."""
        paths = " ".join(file.path for file in self.manifest.files)
        return f"load its files again: {paths}; or, if the release is not live, remove {self.table.parent}"


class Snapshots:
    """All snapshots under one HOME; several stores may count on them.

    Args:
        home: The folder HOME.
    """

    def __init__(self, home: Path) -> None:
        self._root = home.absolute() / "snapshots"
        self._lent: dict[tuple[str, str], Snapshot] = {}

    def find(self, source: str, release: str) -> Snapshot | None:
        """The snapshot, or None if it is not there, not whole (see `faults`), or made by other rules."""
        if (source, release) in self._lent:
            return self._lent[source, release]
        try:
            found = self._read(self._root / source / release)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return found if found.manifest.rules == RULES and not found.faults(thorough=False) else None

    def faults(self, source: str = "*", release: str = "*", *, thorough: bool = True) -> Iterator[Fault]:
        """The damaged files of the snapshots that are there.

        Args:
            source: Of this source alone.
            release: Of releases with this ID alone.
            thorough: Read the tables to their end, and compare their SHA-256.
        """
        for folder in sorted(self._root.glob(f"{source}/{release}")):
            name = f"{folder.parent.name}:{folder.name}"
            try:
                found = self._read(folder)
            except (OSError, ValueError, KeyError, TypeError) as error:
                wanted, remedy = f"the manifest of the snapshot {name}", f"load the files of {name} again"
                yield Fault(folder / _MANIFEST, f"cannot be read: {error}", wanted, remedy)
            else:
                yield from (replace(fault, remedy=found.remedy) for fault in found.faults(thorough=thorough))

    def _read(self, folder: Path) -> Snapshot:
        manifest = _manifest(files.read(folder / _MANIFEST))
        return Snapshot(manifest, folder / table_name(folder.parent.name))

    def of_relations(self) -> dict[str, Snapshot]:
        """All snapshots of relations, by `SOURCE:ID`, sorted."""
        return {found.name: found for found in self.every() if found.manifest.source not in RESERVED}

    def every(self) -> Iterator[Snapshot]:
        """All snapshots that are whole, by source and ID."""
        for folder in sorted(self._root.glob("*/*")):
            found = self.find(folder.parent.name, folder.name)
            if found is not None:
                yield found

    def lend(self, manifest: Manifest, table: Path) -> Snapshot:
        """Let a table count as the snapshot of a release for as long as this object lives; nothing is written.

        Raises:
            InputError: A snapshot of the same ID is there, made from other bytes.
        """
        snapshot = Snapshot(manifest, table)
        self._check(manifest)
        self._lent[manifest.source, manifest.release] = snapshot
        return snapshot

    def save(self, manifest: Manifest, table: Path) -> Snapshot:
        """Keep a table as the snapshot of a release.

        Args:
            manifest: What it is of.
            table: The Parquet table, in a folder of its own on the same file system, which is taken over.

        Raises:
            InputError: A snapshot of the same ID is there, made from other bytes.
        """
        held = self._check(manifest)
        if held is not None and not held.faults(thorough=True):
            return held
        files.write(table.parent / _MANIFEST, asdict(manifest))
        target = self._root / manifest.source / manifest.release
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():  # not whole, or made by other rules
            target.replace(table.parent.with_name("outdated"))
        table.parent.replace(target)
        return Snapshot(manifest, target / table.name)

    def _check(self, manifest: Manifest) -> Snapshot | None:
        held = self.find(manifest.source, manifest.release)
        if held is not None and held.manifest.sha256 != manifest.sha256:
            raise self._other_bytes(held)
        return held

    def _other_bytes(self, held: Snapshot) -> InputError:
        source, release = held.manifest.source, held.manifest.release
        return InputError(
            f"release {release} of {source} is kept already, made from other bytes "
            f"(SHA-256 {held.manifest.sha256[:12]}...)",
            "one ID for one content",
            f"give this release another --release, or remove {self._root / source / release} if no store counts on it",
        )


def measured(table: Path) -> dict[str, int | str]:
    """Rows, bytes and SHA-256 of a Parquet table."""
    return {"rows": count(table), **asdict(FileEntry.of(table))}


def entry(table: Mapping[str, Any]) -> FileEntry:
    """What `measured` says of the file."""
    return FileEntry(table["bytes"], table["sha256"])


def table_name(source: str) -> str:
    """File name of the table in a snapshot of that source."""
    own = {CONCEPTS: "names.parquet", DOCUMENTS: "documents.parquet", SIMILARITY: "similarities.parquet"}
    return own.get(source, "edges.parquet")


def checked_name(what: str, name: str) -> str:
    """A release ID or source name, which becomes the name of a folder.

    Raises:
        InputError: It holds anything but letters, digits, dot, dash and underscore, or is longer than 100.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{what} {name!r}", "letters, digits, '.', '-' and '_', beginning with a letter or digit", "choose another"
        )
    return name


def _manifest(shape: dict[str, Any]) -> Manifest:
    made = shape.get("similarity")
    return Manifest(
        **{
            **shape,
            "similarity": SimilaritySet(**made) if made else None,
            "files": tuple(FileRead(**file) for file in shape["files"]),
            "rows": Rows(**shape["rows"]),
            "types": tuple(shape["types"]),
        }
    )
