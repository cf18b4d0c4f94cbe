"""What a load changes, kept on disk until the load is over.

A store is written only when the load has come to its end, so an abandoned load leaves no trace; each PMID is written
once however often the load spoke of it, so no document is dead on arrival; and in ascending order of PMID.
"""

from array import array
from collections.abc import Iterable, Iterator
from json import dumps, loads
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self

import numpy as np

from groundwork.records import Abstract
from literature import stored


class Spool:
    """The changes of one load: for each PMID the fields now wanted, or that it goes. The last word wins.

    Memory is 16 bytes a change; the file has no name and goes with its process.

    Args:
        folder: Where the file lies.
    """

    def __init__(self, folder: Path) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  # open for as long as the spool is
        self._pmids = array("Q")
        self._ends = array("Q")
        self._end = 0

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """Note that these are wanted."""
        for abstract in abstracts:
            self._note(stored.check_pmid(abstract.pmid), dumps(stored.fields(abstract), separators=(",", ":")).encode())

    def drop(self, pmids: Iterable[int]) -> None:
        """Note that these are to go."""
        for pmid in pmids:
            self._note(stored.check_pmid(pmid), b"")

    def pmids(self) -> list[int]:
        """The PMIDs spoken of, distinct and ascending."""
        return list(np.unique(self._numbers(self._pmids)).tolist())

    def changes(self) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """(PMID, fields or None where it goes), each PMID once, ascending."""
        pmids = self._numbers(self._pmids)
        order = np.argsort(pmids, kind="stable")
        last = np.append(np.diff(pmids[order]) != 0, True)[: len(order)]
        for at in order[last].tolist():
            start = self._ends[at - 1] if at else 0
            self._file.seek(start)
            line = self._file.read(self._ends[at] - start)
            yield self._pmids[at], loads(line) if line else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _note(self, pmid: int, line: bytes) -> None:
        self._end += self._file.write(line)
        self._pmids.append(pmid)
        self._ends.append(self._end)

    @staticmethod
    def _numbers(values: "array[int]") -> np.ndarray[Any, np.dtype[np.uint64]]:
        return np.array(values, dtype=np.uint64)
