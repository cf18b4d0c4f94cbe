"""Snapshots: the content of a release after normalisation, stored under HOME/snapshots/SOURCE/ID/ while it is needed.

A snapshot is a folder with one Parquet table and a manifest.json. It is written elsewhere and then renamed, so it is
never incomplete. It never changes, and its SHA-256 is compared before the table is read.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from groundwork import manifest as files
from groundwork.errors import InputError
from groundwork.inventory import MANIFEST, SNAPSHOTS
from groundwork.manifest import Fault, FileEntry
from groundwork.records import SimilaritySet
from groundwork.records.release import OTHER_KINDS, kind_of, label
from ingest.engine import count
from ingest.normalise import RULES
from ingest.receipt import FileRead, Rows

RELATIONS = "relations"
CONCEPTS = "concepts"
DOCUMENTS = "documents"
GENES = "genes"
NAMES = "names"
PUBMED = "pubmed"
SIMILARITY = "similarity"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a snapshot.

    Attributes:
        source: Source of the release.
        release: ID of the release.
        sha256: Hash of all files in order.
        files: The files it was made from.
        rows: Numbers of rows read, kept and rejected.
        rejected_by_reason: Number of rejected rows by reason.
        types: For concepts, the entity types that the snapshot contains; for genes, their organisms; else empty.
        rules: Version of the rules of `normalise`.
        table: Rows, bytes and SHA-256 of the Parquet table.
        similarity: For similarity edges, how they were made; else None.
        organisms: Taxon id of each gene whose organism the files tell behind its id, by key.
        kind: The kind of the release; see `Release.kind`.
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
    organisms: dict[str, str] = field(default_factory=dict)
    kind: str = ""

    def __post_init__(self) -> None:
        if not self.kind:
            object.__setattr__(self, "kind", kind_of(self.source))


_MANIFESTS = TypeAdapter(Manifest)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot on the disk: its manifest, and the Parquet table of edges, names, documents or similarities."""

    manifest: Manifest
    table: Path

    @property
    def name(self) -> str:
        """`SOURCE:ID`."""
        return f"{self.manifest.source}:{self.manifest.release}"

    @property
    def label(self) -> str:
        """The ID of the release with the names of its files."""
        return label(self.manifest.release, [file.path for file in self.manifest.files])

    def faults(self, *, thorough: bool) -> list[Fault]:
        """Return what is wrong with the table; see `groundwork.manifest.faults`."""
        return list(files.faults(self.table.parent, {self.table.name: entry(self.manifest.table)}, thorough=thorough))

    def checked(self) -> Path:
        """Return the table's path, after reading the table and checking that it is unchanged.

        Raises:
            DamagedStore: If another program changed it; the message names the files to load again.
        """
        if found := self.faults(thorough=True):
            raise files.damaged(f"the snapshot {self.manifest.source}:{self.label}", found, self.remedy)
        return self.table

    @property
    def command(self) -> str:
        """The command that loads the release again."""
        held = self.manifest
        if held.kind == SIMILARITY:
            return "truthhypo ingest similarity"
        source = [] if held.source == held.kind else ["--source", held.source]
        paths = [file.path for file in held.files]
        return shlex.join(["truthhypo", "ingest", held.kind, *paths, *source, "--release", held.release])

    @property
    def remedy(self) -> str:
        """How to restore the snapshot if it is damaged."""
        paths = " ".join(file.path for file in self.manifest.files)
        return f"load its files again: {paths}; or, if the release is not live, remove {self.table.parent}"


class Snapshots:
    """All snapshots under one HOME; several stores may use them.

    Args:
        home: The folder HOME.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._root = home.absolute() / SNAPSHOTS
        self._lent: dict[tuple[str, str], Snapshot] = {}

    def find(self, source: str, release: str) -> Snapshot | None:
        """Return a snapshot; None if it is missing, damaged (only sizes are compared), or made by other rules."""
        if (source, release) in self._lent:
            return self._lent[source, release]
        found = self._whole(source, release)
        return found if found and found.manifest.rules == RULES else None

    def outdated(self, source: str, release: str) -> Snapshot | None:
        """Return a snapshot that was made by the rules of another version of this program; else None."""
        found = self._whole(source, release)
        return found if found and found.manifest.rules != RULES else None

    def _whole(self, source: str, release: str) -> Snapshot | None:
        """Return a snapshot made by any rules; None if it is missing or damaged (only sizes are compared)."""
        try:
            found = self._read(self._root / source / release)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return None if found.faults(thorough=False) else found

    def faults(self, source: str = "*", release: str = "*", *, thorough: bool = True) -> Iterator[Fault]:
        """Yield the damaged files of the existing snapshots.

        Args:
            source: Check only this source.
            release: Check only releases with this ID.
            thorough: Whether to read the tables completely and compare their SHA-256.
        """
        for folder in sorted(self._root.glob(f"{source}/{release}")):
            name = f"{folder.parent.name}:{folder.name}"
            try:
                found = self._read(folder)
            except (OSError, ValueError, KeyError, TypeError) as error:
                wanted, remedy = f"the manifest of the snapshot {name}", f"load the files of {name} again"
                yield Fault(folder / MANIFEST, f"cannot be read: {error}", wanted, remedy)
            else:
                yield from (replace(fault, remedy=found.remedy) for fault in found.faults(thorough=thorough))

    def absent(self, source: str, release: str) -> Fault | None:
        """Return the fault of a snapshot whose folder does not exist; None if it exists."""
        name, folder = f"{source}:{release}", self._root / source / release
        if folder.is_dir():
            return None
        return Fault(folder, "is missing", f"the snapshot {name}", f"load the files of {name} again")

    def undamaged(self, source: str, release: str) -> bool:
        """Return whether a snapshot can be read to its end and has the content that its manifest says."""
        return self.find(source, release) is not None and not any(self.faults(source, release))

    def _read(self, folder: Path) -> Snapshot:
        manifest = _MANIFESTS.validate_python(files.read(folder / MANIFEST))
        return Snapshot(manifest, folder / table_name(manifest.kind))

    def of_relations(self) -> dict[str, Snapshot]:
        """Return all snapshots of relations by `SOURCE:ID`, sorted."""
        return {found.name: found for found in self.every() if found.manifest.kind == RELATIONS}

    def every(self) -> Iterator[Snapshot]:
        """Yield all snapshots that `find` returns, sorted by source and ID."""
        for folder in sorted(self._root.glob("*/*")):
            found = self.find(folder.parent.name, folder.name)
            if found is not None:
                yield found

    def lend(self, manifest: Manifest, table: Path) -> Snapshot:
        """Use a table as the snapshot of a release while this object lives; nothing is written.

        Raises:
            InputError: If a snapshot with the same ID was made from other bytes.
        """
        snapshot = Snapshot(manifest, table)
        self._check(manifest)
        self._lent[manifest.source, manifest.release] = snapshot
        return snapshot

    def save(self, manifest: Manifest, table: Path) -> Snapshot:
        """Store a table as the snapshot of a release.

        Args:
            manifest: Description of the snapshot.
            table: The Parquet table, in a folder of its own on the file system of HOME. This folder is moved.

        Raises:
            InputError: If a snapshot with the same ID was made from other bytes.
        """
        held = self._check(manifest)
        if held is not None and not held.faults(thorough=True):
            return held
        files.write(table.parent / MANIFEST, asdict(manifest))
        target = self._root / manifest.source / manifest.release
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():  # it is damaged, or made by other rules
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
            f"there is already a release {source}:{held.label}, made from other bytes "
            f"(SHA-256 {held.manifest.sha256[:12]}...)",
            "a different ID for different content",
            f"give another ID with --release, or remove {self._root / source / release} if no store uses it",
        )


def measured(table: Path) -> dict[str, int | str]:
    """Return rows, bytes and SHA-256 of a Parquet table."""
    return {"rows": count(table), **asdict(FileEntry.of(table))}


def entry(table: Mapping[str, Any]) -> FileEntry:
    """Return size and SHA-256 of a table from the result of `measured`."""
    return FileEntry(table["bytes"], table["sha256"])


def table_name(kind: str) -> str:
    """Return the file name of the table in a snapshot of a kind of release."""
    added = dict.fromkeys((GENES, NAMES), "added.parquet")
    own = {CONCEPTS: "names.parquet", DOCUMENTS: "documents.parquet", SIMILARITY: "similarities.parquet", **added}
    return own.get(kind, "edges.parquet")


def checked_source(source: str, kind: str) -> str:
    """Return the name of a source unchanged if it can name a source of relations or documents.

    Args:
        source: The name.
        kind: `relations` or `documents`.

    Raises:
        InputError: If it is the name of another kind of load, or `checked_name` refuses it.
    """
    if source != kind and source in OTHER_KINDS:
        raise InputError(
            f"--source {source} is the name of another kind of load",
            "a name that is not a kind of load",
            "choose another source name",
        )
    return checked_name("source", source)


def checked_name(what: str, name: str) -> str:
    """Return a release ID or source name unchanged if it can be the name of a folder.

    Raises:
        InputError: If it contains other characters than letters, digits, dot, dash and underscore, does not begin with
            a letter or digit, or has more than 100 characters.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{what} {name!r}", "letters, digits, '.', '-' and '_', beginning with a letter or digit", "choose another"
        )
    return name
