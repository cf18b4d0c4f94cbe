"""Snapshots: what a release says after normalisation, kept under HOME/snapshots/SOURCE/ID/ for as long as it counts.

A snapshot is a folder of one Parquet table and a manifest.json. It is written elsewhere and renamed into its place,
so it is there whole or not at all.
"""

import json
import re
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
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


class Snapshots:
    """All snapshots under one HOME; several stores may count on them.

    Args:
        home: The folder HOME.
    """

    def __init__(self, home: Path) -> None:
        self._root = home.absolute() / "snapshots"
        self._lent: dict[tuple[str, str], Snapshot] = {}

    def find(self, source: str, release: str) -> Snapshot | None:
        """The snapshot, or None if it is not there, not whole, or made by other rules."""
        if (source, release) in self._lent:
            return self._lent[source, release]
        folder = self._root / source / release
        try:
            manifest = _manifest(json.loads((folder / _MANIFEST).read_text("utf-8")))
            table = folder / table_name(source)
            whole = table.stat().st_size == manifest.table["bytes"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return Snapshot(manifest, table) if whole and manifest.rules == RULES else None

    def of_relations(self) -> dict[str, Snapshot]:
        """All snapshots of relations, by `SOURCE:ID`, sorted."""
        folders = sorted(self._root.glob("*/*"))
        names = ((folder.parent.name, folder.name) for folder in folders if folder.parent.name not in RESERVED)
        return {":".join(name): found for name in names if (found := self.find(*name)) is not None}

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
        if held is not None:
            return held
        (table.parent / _MANIFEST).write_text(json.dumps(asdict(manifest), indent=1), "utf-8")
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
    with table.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return {"rows": count(table), "bytes": table.stat().st_size, "sha256": digest}


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
