"""JSON files: records that are written in one step and read back with their fields checked, and files of JSON lines."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from groundwork import manifest
from groundwork.errors import InputError, StoreBusy
from groundwork.files import held, loads
from groundwork.manifest import Fault, content, replace

Kind = TypeVar("Kind")


def write_json(path: Path, shape: object) -> None:
    """Write plain values as indented JSON into a file, with `write_text`."""
    write_text(path, json.dumps(shape, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file. It appears under its name only when it is complete. A missing folder is created.

    Args:
        path: The file.
        text: The content of the file. Unpaired surrogates become escapes.

    Raises:
        InputError: The file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode("utf-8", "backslashreplace").decode("utf-8"))
    except OSError as error:
        seen = f"{path} cannot be written: {error.strerror or error}"
        raise InputError(seen, "a file that can be written", "choose another path") from error


def read_json(path: Path, kind: type[Kind], wanted: str, remedy: str) -> Kind:
    """Return the record in a file.

    Args:
        path: The file.
        kind: The dataclass of the record.
        wanted: Description of the expected file, for the error.
        remedy: What the user can do, for the error.

    Raises:
        InputError: The file cannot be read, or is not such a record; the error names the first wrong field.
    """
    try:
        return parsed(content(path), TypeAdapter(kind))
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read: {told}", wanted, remedy) from None


def parsed(text: bytes, adapter: TypeAdapter[Kind]) -> Kind:
    """Return the record in a JSON text.

    Raises:
        ValueError: The text is not such a record; the message names the first wrong field.
    """
    try:
        return adapter.validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        held = "" if first["type"] == "missing" else f" {first['input']!r:.80}"
        raise ValueError(f"{'.'.join(map(str, first['loc']))}{held}: {first['msg']}".strip()) from None


#: Number of bytes to read at a time when searching for the end of the last complete line.
_BLOCK = 65536


class RecordFile:
    """A file with one JSON record per line.

    A run that is killed leaves at most one incomplete line. This line is not a record, and the next run removes it.

    Args:
        path: Path of the file. The file is created when the first record is appended.
        unsettled: Maximum age, in seconds, of records that a power failure may lose. Killing the run loses no record.
    """

    def __init__(self, path: Path, unsettled: float = 0.0) -> None:
        self.path = path
        self._unsettled = unsettled

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the file against other runs, and remove an incomplete last line.

        Raises:
            StoreBusy: Another process is writing the file.
            InputError: This file, or a file that is written under this lock, cannot be written.
        """
        busy = StoreBusy(f"another run is writing {self.path}", "one run per file", "wait for that run")
        try:
            with held(Path(f"{self.path}.lock"), busy):
                self._remove_incomplete_line()
                yield
        except OSError as error:
            seen = f"{error.filename or self.path}: {error.strerror}"
            raise InputError(seen, "a writable file", "check the path") from None

    @contextmanager
    def appending(self) -> Iterator[Callable[[Mapping[str, Any]], None]]:
        """Yield a function that appends a record."""
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
        """Yield the complete lines, starting at a byte offset. A last line without a line break is skipped.

        Raises:
            OSError: The file cannot be read.
        """
        with self.path.open("rb") as stream:
            stream.seek(start)
            for line in stream:
                if line.endswith(b"\n"):
                    yield line

    def faults(self, remedy: str) -> Iterator[Fault]:
        """Yield a fault if a complete line is not JSON. The whole file is read."""
        wrong = [number for number, line in enumerate(self.lines(), 1) if not is_json(line)]
        if wrong:
            yield Fault(self.path, f"has lines that are not JSON, first line {wrong[0]:,}", "JSON lines", remedy)

    def replace(self, lines: Iterable[bytes]) -> None:
        """Replace all lines of the file in one step."""
        manifest.replace_parts(self.path, lines)

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


def is_json(line: bytes) -> bool:
    """Return whether a line is a JSON value."""
    try:
        loads(line)
    except ValueError:
        return False
    return True
