"""The changes of one load, kept on disk until the load is over.

The changes are written into the store when the load ends, and into Elasticsearch also at each `keep`. Each time, an
article is written only once, in its last version, even if the load changed it often. The order is by ascending PMID.

A load of the embedded store keeps its changes in a folder (`Draft`), so that a later process can resume it from what
the last call of `keep` saved. The folder holds `changes` (the file of a `Spool`), `places` (where the changes lie in
that file) and `draft.json`. `draft.json` says how much of the other two files is valid, and is replaced in one step.
"""

import os
import shutil
from array import array
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from groundwork.manifest import replace
from groundwork.records import Abstract, Release
from literature import manifest, stored


class SpooledLoad:
    """A load that collects its changes in a spool.

    Attributes:
        spool: The changed documents.
        releases: New and changed releases, by (source, id).
    """

    spool: "Spool"
    releases: dict[tuple[str, str], Release]

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """See `LiteratureWriter.put`."""
        self.spool.put(abstracts)

    def drop(self, pmids: Iterable[int]) -> None:
        """See `LiteratureWriter.drop`."""
        self.spool.drop(pmids)

    def put_release(self, release: Release) -> None:
        """See `LiteratureWriter.put_release`."""
        self.releases[release.source, release.id] = release


class Spool:
    """The changes of one load: for each PMID, the fields to store or a deletion. The last change of a PMID counts.

    The spool needs 16 bytes of memory per change.

    Args:
        file: The file that holds the changes, open for reading and writing. The spool alone uses it.
        places: Two numbers for each change that the file holds already: the PMID, and the position in the file after
            the end of the change.
    """

    def __init__(self, file: IO[bytes], places: Iterable[int] = ()) -> None:
        self._file = file
        self._places = array("Q", places)
        self._end = self._places[-1] if self._places else 0
        file.truncate(self._end)
        file.seek(self._end)

    def __len__(self) -> int:
        return len(self._places) // 2

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """Record abstracts to store."""
        for abstract in abstracts:
            self._note(stored.check_pmid(abstract.pmid), dumps(stored.fields(abstract), separators=(",", ":")).encode())

    def drop(self, pmids: Iterable[int]) -> None:
        """Record documents to delete."""
        for pmid in pmids:
            self._note(stored.check_pmid(pmid), b"")

    def places(self, since: int = 0) -> bytes:
        """Return the argument `places` of `Spool` for all changes but the first `since`, as native 64-bit integers."""
        return self._places[2 * since :].tobytes()

    def pmids(self) -> list[int]:
        """Return the PMIDs of all changes, distinct and ascending."""
        return list(np.unique(self._table()[:, 0]).tolist())

    def changes(self) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """Yield (PMID, fields), or (PMID, None) for a deletion; each PMID once, ascending."""
        return ((pmid, loads(line) if line else None) for pmid, line in self.lines())

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (PMID, JSON of the fields), or (PMID, b"") for a deletion; each PMID once, ascending."""
        table = self._table()
        order = np.argsort(table[:, 0], kind="stable")
        last = np.append(np.diff(table[order, 0]) != 0, True)[: len(order)]
        for at in order[last].tolist():
            start = int(table[at - 1, 1]) if at else 0
            self._file.seek(start)
            yield int(table[at, 0]), self._file.read(int(table[at, 1]) - start)

    def sync(self) -> None:
        """Write the recorded changes to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _note(self, pmid: int, line: bytes) -> None:
        self._end += self._file.write(line)
        self._places.extend((pmid, self._end))

    def _table(self) -> np.ndarray[Any, np.dtype[np.uint64]]:
        return np.array(self._places, dtype=np.uint64).reshape(-1, 2)


@dataclass
class Draft(SpooledLoad):
    """The changes of a load so far.

    Attributes:
        folder: The folder of the draft.
        base: The version of the index when the load began.
        spool: The changed documents.
        fresh: Whether the load replaces the whole index.
        releases: New and changed releases, by (source, id).
        reached: The note given to the last `keep`, which says how far the load had come; "" if there was none.
    """

    folder: Path
    base: int
    spool: Spool
    fresh: bool
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)
    reached: str = ""
    _kept: int = 0  # number of changes that `places` holds

    @classmethod
    @contextmanager
    def open(cls, folder: Path, base: int, resume: Collection[str], fresh: bool) -> Iterator[Self]:
        """Open the draft of a folder, or begin a new one.

        The draft in the folder is resumed if `resume` contains the note of its last `keep`, and if the index has not
        changed since the draft began. The folder is removed at the end of the block, unless the block fails and the
        draft holds changes that `keep` has saved.
        """
        known = _read(folder)
        if known.get("note") not in resume or known.get("base") != base or not _is_complete(folder, known["places"]):
            shutil.rmtree(folder, ignore_errors=True)
            known = {"note": "", "places": 0, "releases": []}
        folder.mkdir(parents=True, exist_ok=True)
        places = array("Q")
        if known["places"]:
            places.frombytes((folder / "places").read_bytes()[: 16 * known["places"]])
        releases = manifest.by_id(Release.of(release) for release in known["releases"])
        with Spool((folder / "changes").open("r+b" if places else "w+b"), places) as spool:
            draft = cls(folder, base, spool, fresh, releases, known["note"], known["places"])
            try:
                yield draft
                draft.reached = ""
            finally:
                if not draft.reached:
                    shutil.rmtree(folder, ignore_errors=True)

    def keep(self, note: str) -> None:
        """See `LiteratureWriter.keep`. The changes are on the disk when this method returns."""
        self.spool.sync()
        with (self.folder / "places").open("r+b" if self._kept else "w+b") as file:
            file.seek(16 * self._kept)
            file.write(self.spool.places(self._kept))
            file.flush()
            os.fsync(file.fileno())
        releases = [release.flat for release in self.releases.values()]
        shape = {"note": note, "base": self.base, "places": len(self.spool), "releases": releases}
        replace(self.folder / "draft.json", dumps(shape))
        self._kept, self.reached = len(self.spool), note


def _is_complete(folder: Path, places: int) -> bool:
    """Return whether the files hold all that the last `keep` wrote. If not, the load starts from the beginning."""
    try:
        with (folder / "places").open("rb") as file:
            file.seek(max(0, 16 * places - 8))
            end = array("Q", file.read(8) if places else b"")
        return len(end) == bool(places) and (folder / "changes").stat().st_size >= sum(end)
    except (FileNotFoundError, ValueError):
        return False


def _read(folder: Path) -> dict[str, Any]:
    """Return the content of `draft.json`; empty if there is no readable file."""
    try:
        known: dict[str, Any] = loads((folder / "draft.json").read_text("utf-8"))
    except (FileNotFoundError, JSONDecodeError, UnicodeDecodeError):
        return {}
    return known
