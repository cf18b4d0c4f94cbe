"""What an embedded index consists of: its releases, and its segments with size and SHA-256 of their files.

It is a JSON file that each load replaces in one step, which shows readers all that the load changed. Segments that it
does not list are those of loads that came to no end, or replaced by the load before; the next load removes them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from groundwork import manifest
from groundwork.errors import DamagedStore, StoreError
from groundwork.manifest import Fault, FileEntry, Files
from groundwork.records import Release

#: Rises when an index of an older version can no longer be read.
FORMAT = 3
REMEDY = "restore the index from the snapshots under HOME: truthhypo ingest rebuild"


@dataclass(frozen=True, slots=True)
class Listed:
    """A segment.

    Attributes:
        name: Of its file; no other segment ever has it.
        documents: How many it holds.
        worded: How many of them hold a token. The others count in no score.
        tokens: How many tokens they hold in all.
        bytes: Size of its file.
        sha256: Hash of its file.
    """

    name: str
    documents: int
    worded: int
    tokens: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed state.

    Attributes:
        version: Rises with each load.
        releases: By (source, id).
        segments: No two hold the same PMID.
    """

    version: int = 0
    releases: Mapping[tuple[str, str], Release] = field(default_factory=dict)
    segments: tuple[Listed, ...] = ()

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(segment.documents for segment in self.segments)

    @property
    def files(self) -> Files:
        """The files of the segments."""
        return {segment.name: FileEntry(segment.bytes, segment.sha256) for segment in self.segments}


def read(path: Path) -> Manifest | None:
    """Read the manifest at a path; None where there is none.

    Raises:
        DamagedStore: It cannot be read, or an earlier version of this program made the index.
        StoreError: A later version of this program made the index.
    """
    try:
        found = manifest.read(path)
        if found["format"] != FORMAT:
            raise _unknown(path, int(found["format"]))
        releases = by_id(Release(**release) for release in found["releases"])
        return Manifest(found["version"], releases, tuple(Listed(**segment) for segment in found["segments"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        fault = Fault(path, f"cannot be read: {error!r}", f"a manifest of format {FORMAT}")
        raise manifest.damaged(f"the literature store {path.parent}", [fault], REMEDY) from error


def write(path: Path, state: Manifest) -> None:
    """Replace the manifest at a path in one step, on disk when this returns.

    Raises:
        OSError: It cannot be written.
    """
    releases = [release.to_dict() for release in in_order(state.releases.values())]
    segments = [asdict(segment) for segment in state.segments]
    manifest.write(path, {"format": FORMAT, "version": state.version, "releases": releases, "segments": segments})


def by_id(releases: Iterable[Release]) -> dict[tuple[str, str], Release]:
    """Releases by what makes them unique."""
    return {(release.source, release.id): release for release in releases}


def in_order(releases: Iterable[Release]) -> tuple[Release, ...]:
    """By source, then order of loading."""
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
