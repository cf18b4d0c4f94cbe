"""A file of JSON lines that a run appends to and that a later run resumes."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from filelock import FileLock, Timeout

from groundwork.errors import InputError, StoreBusy

#: Bytes read at a time in search of the last line.
_BLOCK = 65536


class RecordFile:
    """One JSON record per line.

    A run that is killed leaves at most one incomplete line behind, which is no record and which the next run removes.

    Args:
        path: The file; made by the first record.
        unsettled: Seconds of records that may be lost if the machine loses its power. A killed run loses none.
    """

    def __init__(self, path: Path, unsettled: float = 0.0) -> None:
        self.path = path
        self._unsettled = unsettled

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs away and remove an incomplete last line. The lock dies with the process.

        Raises:
            StoreBusy: Another process writes the file.
            InputError: The file, or another that is written meanwhile, cannot be written.
        """
        try:
            with FileLock(f"{self.path}.lock", blocking=False):
                self._remove_incomplete_line()
                yield
        except Timeout:
            seen = f"{self.path} is being written by another run"
            raise StoreBusy(seen, "one run per file", "wait for it") from None
        except OSError as error:
            seen = f"{error.filename or self.path}: {error.strerror}"
            raise InputError(seen, "a file to write to", "check the path") from None

    @contextmanager
    def appending(self) -> Iterator[Callable[[Mapping[str, Any]], None]]:
        """Give a function that appends a record."""
        with self.path.open("ab") as stream:
            settled = monotonic()

            def append(record: Mapping[str, Any]) -> None:
                nonlocal settled
                line = json.dumps(record, ensure_ascii=False, allow_nan=False)
                stream.write(line.encode("utf-8", "backslashreplace") + b"\n")
                stream.flush()
                if monotonic() - settled >= self._unsettled:
                    os.fsync(stream.fileno())
                    settled = monotonic()

            try:
                yield append
            finally:
                os.fsync(stream.fileno())

    def lines(self, start: int = 0) -> Iterator[bytes]:
        """Yield the complete lines from a byte on; a last line without its end is still being written, or was cut off.

        Raises:
            OSError: The file cannot be read.
        """
        with self.path.open("rb") as stream:
            stream.seek(start)
            for line in stream:
                if line.endswith(b"\n"):
                    yield line

    def replace(self, lines: Iterator[bytes] | list[bytes]) -> None:
        """Write other lines in place of these, in one step."""
        part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        with part.open("wb") as stream:
            stream.writelines(lines)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(self.path)

    def _remove_incomplete_line(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb+") as stream:
            end = size = stream.seek(0, os.SEEK_END)
            while end:
                begin = max(0, end - _BLOCK)
                stream.seek(begin)
                place = stream.read(end - begin).rfind(b"\n")
                if place >= 0:
                    end = begin + place + 1
                    break
                end = begin
            if end < size:
                stream.truncate(end)
