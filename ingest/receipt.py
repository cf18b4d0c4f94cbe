"""What a load says when it is done (contract.md, Ingest)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from groundwork.records import Record, plain
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFiles

#: Fields of a receipt that are not in its JSON where the load does not touch what they tell of.
_OPTIONAL = (
    "annotations",
    "edges",
    "concepts",
    "documents",
    "similarities",
    "contradictions",
    "verified",
    "offline",
    "older",
)


@dataclass(frozen=True, slots=True)
class Effect(Record):
    """What a load did to all edges, concepts or documents of a store.

    Attributes:
        total: How many there are after it.
        added: New ones.
        changed: Those with other evidence, names or text than before.
        removed: Those that are gone.
        unchanged: Those that stayed as they were; total = added + changed + unchanged.
    """

    total: int
    added: int
    changed: int
    removed: int
    unchanged: int

    @classmethod
    def of(cls, total: int, added: int, changed: int, removed: int) -> "Effect":
        """With `unchanged` as the rest of the total."""
        return cls(total, added, changed, removed, total - added - changed)


@dataclass(frozen=True, slots=True)
class FileRead(Record):
    """A file that was read: path as given, bytes and SHA-256 as it is on the disk."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Rows(Record):
    """Rows of all files; read = kept + rejected."""

    read: int
    kept: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Verified(Record):
    """What was found to be as it should be.

    Attributes:
        concepts: How many were counted, by type.
        edges: How many were counted, by relation.
        looked_at: Concepts and edges compared one by one, those that should be gone included.
        digest: That of all edges, if all were compared; else None.
        similarities: How many similarity edges were counted.
    """

    concepts: int
    edges: int
    looked_at: int
    digest: str | None = None
    similarities: int = 0


@dataclass(frozen=True, slots=True)
class Effects:
    """What a change of a graph did.

    Attributes:
        edges: To the relation edges.
        concepts: To the concepts.
        similarities: To the similarity edges; None if there are none and were none.
        documents: To the literature, if it was of documents.
        verified: What was found to be as it should; None in a dry run.
    """

    edges: Effect
    concepts: Effect
    similarities: Effect | None
    documents: Effect | None = None
    verified: Verified | None = None


@dataclass(frozen=True, slots=True)
class Offline(Record):
    """How far a load through the server's own importer has come.

    Attributes:
        step: `written`: a person is to run the importer; `imported`: the server is to be started.
        command: The importer's command, quoted for a shell; None if it was run.
        next: What is to be done.
    """

    step: Literal["written", "imported"]
    command: str | None
    next: str


@dataclass(frozen=True, slots=True)
class Older(Record):
    """PubMed's files older than some that were loaded before: where both speak of an article, the old record stands.

    Attributes:
        file: The oldest one of this load.
        newer: How many newer ones were loaded before and are no part of this load ...
        first: ... the first of them ...
        last: ... and the last.
    """

    file: str
    newer: int
    first: str
    last: str

    @property
    def told(self) -> str:
        """What was seen, and how to mend it."""
        others = self.first if self.newer == 1 else f"{self.newer} files from {self.first} to {self.last}"
        return (
            f"{self.file} is older than {others} loaded before: where both speak of an article, its old record stands "
            "now; to mend it load the newer ones again, all in one command"
        )


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """The receipt of a load.

    Attributes:
        release: Its ID.
        files: In the order read.
        rows: How many there were.
        rejected_by_reason: Rejected rows by reason, most frequent first.
        rejects_file: Absolute path of the rejects, None if there are none.
        seconds: From the first byte read to the last write.
        source: Whose release it is.
        dry_run: Nothing was changed; the effects are what a load would do.
        annotations: For documents: annotations kept and, without an id, left out. For PubMed's records with entity
            files joined on: rows of these kept and rejected, and the rejected by reason. None for other loads.
        edges: Effect on the graph's relation edges, None if the load does not touch them.
        concepts: Effect on the graph's concepts, likewise.
        documents: Effect on the literature's documents, likewise.
        similarities: Effect on the graph's similarity edges, None if it has none and had none.
        contradictions: Effect on the graph's pairs that exclude each other, None if the load does not touch them.
        verified: What was found in the graph to be as it should be, None if nothing was written there.
        offline: For a load through the server's own importer that is not live yet: how far it is; else None.
        older: For PubMed's files that are older than some loaded before: which; else None.
    """

    release: str
    files: tuple[FileRead, ...]
    rows: Rows
    rejected_by_reason: Mapping[str, int]
    rejects_file: str | None
    seconds: float
    source: str
    dry_run: bool = False
    annotations: Mapping[str, int] | None = None
    edges: Effect | None = None
    concepts: Effect | None = None
    documents: Effect | None = None
    similarities: Effect | None = None
    contradictions: Effect | None = None
    verified: Verified | None = None
    offline: Offline | None = None
    older: Older | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape; what the load does not touch is not there."""
        shape: dict[str, Any] = plain(self)
        untouched = [name for name in _OPTIONAL if shape[name] is None]
        return {name: value for name, value in shape.items() if name not in untouched}


def files_read(files: SourceFiles) -> tuple[FileRead, ...]:
    """What was read of each file so far."""
    return tuple(FileRead(file.path, file.bytes, file.sha256) for file in files)


def rows_read(rows: RowCount, rejects: Rejects) -> Rows:
    """The sum that always adds up."""
    return Rows(rows.kept + rejects.total, rows.kept, rejects.total)
