"""What a load changes, kept on disk until the load is over.

A store is written only when the load has come to its end, so an abandoned load leaves no trace; each PMID is written
once however often the load spoke of it, so no document is dead on arrival; and in ascending order of PMID.
"""

import os
from array import array
from collections.abc import Iterable, Iterator
from json import dumps, loads
from typing import IO, Any, Self

import numpy as np

from groundwork.records import Abstract
from literature import stored


class Spool:
    """The changes of one load: for each PMID the fields now wanted, or that it goes. The last word wins.

    Memory is 16 bytes a change.

    Args:
        file: Where they are written: a file of its own, for reading and writing.
        places: Where the changes lie that it holds already: (PMID, end in the file) one after the other.
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
        """Note that these are wanted."""
        for abstract in abstracts:
            self._note(stored.check_pmid(abstract.pmid), dumps(stored.fields(abstract), separators=(",", ":")).encode())

    def drop(self, pmids: Iterable[int]) -> None:
        """Note that these are to go."""
        for pmid in pmids:
            self._note(stored.check_pmid(pmid), b"")

    def places(self, since: int = 0) -> bytes:
        """Where the changes from number `since` on lie, as `Spool` takes them: 64-bit numbers of this machine."""
        return self._places[2 * since :].tobytes()

    def pmids(self) -> list[int]:
        """The PMIDs spoken of, distinct and ascending."""
        return list(np.unique(self._table()[:, 0]).tolist())

    def changes(self) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """(PMID, fields or None where it goes), each PMID once, ascending."""
        return ((pmid, loads(line) if line else None) for pmid, line in self.lines())

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """(PMID, JSON of its fields or nothing where it goes), each PMID once, ascending."""
        table = self._table()
        order = np.argsort(table[:, 0], kind="stable")
        last = np.append(np.diff(table[order, 0]) != 0, True)[: len(order)]
        for at in order[last].tolist():
            start = int(table[at - 1, 1]) if at else 0
            self._file.seek(start)
            yield int(table[at, 0]), self._file.read(int(table[at, 1]) - start)

    def sync(self) -> None:
        """Bring what was noted to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
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
