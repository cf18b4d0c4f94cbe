"""The manifest of an embedded index: its releases, and its segments with the size and SHA-256 of their files.

The manifest is a JSON file that each load replaces in one step, which shows readers all changes of the load at once.
Segments that the manifest does not list belong to unfinished loads, or the previous load replaced them. The next load
deletes them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from groundwork import manifest
from groundwork.errors import DamagedStore, StoreError
from groundwork.manifest import Fault, FileEntry, Files
from groundwork.records import Release

#: Version of the format. Increase it if an older program could not read the index. Since version 4, segments hold the
#: years of their documents, since version 5, which documents are notices, and since version 6, their designs,
#: organisms and DOIs.
FORMAT = 6
#: The formats that this program reads. A load writes the manifest in the newest format, but does not
#: rewrite all segments. Segments of an earlier format lack these arrays.
READ = (3, 4, 5, FORMAT)
REMEDY = "restore the index from the snapshots under HOME: truthhypo ingest rebuild"


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment, as the manifest lists it.

    Attributes:
        name: The name of its file, which no other segment ever gets.
        documents: The number of documents in the segment.
        worded: The number of documents with at least one token. Only these documents count in scores.
        tokens: The total number of tokens in its documents.
        bytes: The size of its file.
        sha256: The SHA-256 of its file.
    """

    name: str
    documents: int
    worded: int
    tokens: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a manifest: one committed state of the index.

    Attributes:
        version: A number that increases with each load.
        releases: The releases by (source, id).
        segments: The segments. No two hold the same PMID.
    """

    version: int = 0
    releases: Mapping[tuple[str, str], Release] = field(default_factory=dict)
    segments: tuple[SegmentEntry, ...] = ()

    @property
    def documents(self) -> int:
        """The number of documents in all segments."""
        return sum(segment.documents for segment in self.segments)

    @property
    def files(self) -> Files:
        """The files of the segments."""
        return {segment.name: FileEntry(segment.bytes, segment.sha256) for segment in self.segments}


def read(path: Path) -> Manifest | None:
    """Read the manifest at a path; None if there is none.

    Raises:
        DamagedStore: The manifest cannot be read, or has an older format that this program does not read.
        StoreError: A later version of this program made the index.
    """
    try:
        found = manifest.read(path)
        if found["format"] not in READ:
            raise _unknown(path, int(found["format"]))
        releases = by_id(Release.of(release) for release in found["releases"])
        return Manifest(found["version"], releases, tuple(SegmentEntry(**segment) for segment in found["segments"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        fault = Fault(path, f"cannot be read: {error!r}", f"a manifest of format {FORMAT}")
        raise manifest.damaged(f"the literature store {path.parent}", [fault], REMEDY) from error


def write(path: Path, state: Manifest) -> None:
    """Replace the manifest at a path in one step. It is on the disk when this function returns.

    Raises:
        OSError: The manifest cannot be written.
    """
    releases = [release.flat for release in in_order(state.releases.values())]
    segments = [asdict(segment) for segment in state.segments]
    manifest.write(path, {"format": FORMAT, "version": state.version, "releases": releases, "segments": segments})


def by_id(releases: Iterable[Release]) -> dict[tuple[str, str], Release]:
    """Return releases by their source and id, which identify a release."""
    return {(release.source, release.id): release for release in releases}


def in_order(releases: Iterable[Release]) -> tuple[Release, ...]:
    """Return releases sorted by source, then by order of loading."""
    return tuple(sorted(releases, key=lambda release: (release.source, release.order, release.id)))


def _unknown(path: Path, seen: int) -> StoreError:
    wanted = f"an index of format {FORMAT}"
    if seen < FORMAT:
        return DamagedStore(
            f"{path} is a manifest of format {seen}: an earlier version of this program wrote it", wanted, REMEDY
        )
    return StoreError(
        f"{path} is a manifest of format {seen}: a later version of this program wrote it",
        wanted,
        "use that version, or load the files again into a new folder: another --home or --literature embedded:PATH",
    )
