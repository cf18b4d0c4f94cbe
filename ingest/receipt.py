"""The receipt of a load."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from groundwork.records import Record, plain
from groundwork.records.base import counted
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFiles

#: Fields that are left out of a receipt's JSON if they are None.
_OPTIONAL = (
    "annotations",
    "edges",
    "concepts",
    "documents",
    "similarities",
    "contradictions",
    "replaced",
    "verified",
    "offline",
    "older",
)


@dataclass(frozen=True, slots=True)
class OlderFilesWarning(Record):
    """A warning that PubMed files are older than files loaded before, so their old records replaced newer ones.

    Attributes:
        file: The oldest file of this load.
        newer: Number of newer files that were loaded before and are not part of this load.
        first: The first of these newer files.
        last: The last of these newer files.
    """

    file: str
    newer: int
    first: str
    last: str

    @property
    def told(self) -> str:
        """The text of the warning: what was seen, and how to fix it."""
        others = self.first if self.newer == 1 else f"{self.newer} files from {self.first} to {self.last}"
        return (
            f"{self.file} is older than {others} loaded before. For articles that are in both, the old records are "
            "used now. To fix it, load the newer files again, all in one command"
        )


@dataclass(frozen=True, slots=True)
class Effect(Record):
    """The effect of a load on all edges, concepts or documents of a store.

    Attributes:
        total: Number after the load.
        added: Number of new ones.
        changed: Number of those with other evidence, names or text than before.
        removed: Number of those removed.
        unchanged: Number of those that stayed the same; total = added + changed + unchanged.
    """

    total: int
    added: int
    changed: int
    removed: int
    unchanged: int

    @classmethod
    def of(cls, total: int, added: int, changed: int, removed: int) -> "Effect":
        """Return an effect, with `unchanged` as the rest of the total."""
        return cls(total, added, changed, removed, total - added - changed)


@dataclass(frozen=True, slots=True)
class FileRead(Record):
    """A file that was read: its path as the user gave it, and number and SHA-256 of its bytes on the disk."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Rows(Record):
    """Numbers of rows in all files; read = kept + rejected.

    Attributes:
        read: Number of rows read.
        kept: Number of rows kept.
        rejected: Number of rows rejected.
        repeated: Number of documents or PubMed records that do not stand, because one with the same PMID follows in the
            same load. It is beside the other numbers, and left out of the JSON if it is 0.
    """

    read: int
    kept: int
    rejected: int
    repeated: int = 0


@dataclass(frozen=True, slots=True)
class Verification(Record):
    """What was checked after a load and found correct.

    Attributes:
        concepts: Number of concepts, counted by type.
        edges: Number of edges, counted by relation.
        looked_at: Number of concepts and edges compared one by one, including those that should be gone.
        similarities: Number of similarity edges.
    """

    concepts: int
    edges: int
    looked_at: int
    similarities: int = 0


@dataclass(frozen=True, slots=True)
class Replaced(Record):
    """The documents of earlier releases of a source that a load replaced by different documents of the same PMID.

    Attributes:
        documents: Number of documents replaced.
        edges: Number of edges that they gave and that the graph no longer contains.
        releases: The releases whose documents were replaced; see `groundwork.records.release.label`.
    """

    documents: int
    edges: int
    releases: tuple[str, ...]

    @property
    def told(self) -> str:
        """The text of a warning: what was replaced, what went with it, and how to keep both."""
        return (
            f"{counted(self.documents, 'document')} of {', '.join(self.releases)} replaced, and "
            f"{counted(self.edges, 'edge')} removed with them, because a later document of the same PMID and source "
            "stands. To keep what both files state, load them as two sources, with --source"
        )


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a change of a graph.

    Attributes:
        edges: Effect on the relation edges.
        concepts: Effect on the concepts.
        similarities: Effect on the similarity edges; None if the graph has none and had none.
        documents: Effect on the literature; None if the change is not a load of documents.
        verified: What was checked afterwards; None in a dry run.
        replaced: The documents that the change replaces; None if it is not a load of documents.
    """

    edges: Effect
    concepts: Effect
    similarities: Effect | None
    documents: Effect | None = None
    verified: Verification | None = None
    replaced: Replaced | None = None


@dataclass(frozen=True, slots=True)
class Offline(Record):
    """The progress of a load with the server's own importer.

    Attributes:
        step: `written` if a person must run the importer; `imported` if the server must be started.
        command: The importer's command, quoted for a shell; None if it was run.
        next: What to do next.
    """

    step: Literal["written", "imported"]
    command: str | None
    next: str


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """The receipt of a load.

    Attributes:
        release: ID of the release.
        files: The files in the order read.
        rows: Numbers of rows.
        rejected_by_reason: Number of rejected rows by reason, most frequent first.
        rejects_file: Absolute path of the file with the rejected rows; None if no row was rejected.
        seconds: Time from the first byte read to the last write.
        source: Source of the release.
        dry_run: Whether this was a dry run. It changes nothing, and the effects are those that the load would have.
        annotations: For documents: number of annotations kept, number left out because they have no id, and numbers of
            other problems by kind. For PubMed records with entity files: numbers of rows of the entity files kept and
            rejected, and number rejected for each reason. None for other loads.
        edges: Effect on the graph's relation edges; None for loads of PubMed records and of contradictions.
        concepts: Effect on the graph's concepts; None for loads of PubMed records and of contradictions.
        documents: Effect on the literature; None unless documents or PubMed records were loaded.
        similarities: Effect on the graph's similarity edges; None if the graph has none and had none.
        contradictions: Effect on the pairs of concepts that exclude each other; None for other loads.
        replaced: The replaced documents, and the edges that went with them; None unless documents were loaded.
        verified: What was checked in the graph and found correct; None if the graph was not checked.
        offline: Progress of a load with the server's own importer, while its release is not live yet; else None.
        older: Warning that PubMed files are older than some loaded before; None if there is nothing to warn of.
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
    replaced: Replaced | None = None
    verified: Verification | None = None
    offline: Offline | None = None
    older: OlderFilesWarning | None = None

    def completed(self, effects: Effects, seconds: float) -> "Receipt":
        """Return the receipt with the effects of the load and its time."""
        return replace(
            self,
            seconds=seconds,
            edges=effects.edges,
            concepts=effects.concepts,
            documents=effects.documents,
            similarities=effects.similarities,
            replaced=effects.replaced,
            verified=effects.verified,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON shape, without the optional fields that are None."""
        shape: dict[str, Any] = plain(self)
        if not shape["rows"]["repeated"]:
            del shape["rows"]["repeated"]
        untouched = [name for name in _OPTIONAL if shape[name] is None]
        return {name: value for name, value in shape.items() if name not in untouched}


def files_read(files: SourceFiles) -> tuple[FileRead, ...]:
    """Return the path of each file, with the number and SHA-256 of the bytes that have been read from it."""
    return tuple(FileRead(file.path, file.bytes, file.sha256) for file in files)


def rows_read(rows: RowCount, rejects: Rejects) -> Rows:
    """Return the numbers of rows, in which read is always kept + rejected."""
    return Rows(rows.kept + rejects.total, rows.kept, rejects.total)
