"""The changes of one load, kept on disk until the load is over.

The changes are written into the store when the load ends, and into Elasticsearch also at each `keep`. Each time, an
article is written only once, in its last version, even if the load changed it often. The order is by ascending PMID.
"""

import os
from array import array
from collections.abc import Iterable, Iterator
from json import dumps, loads
from typing import IO, Any, Self

import numpy as np

from groundwork.records import Abstract, Release
from literature import stored


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
