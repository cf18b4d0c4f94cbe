"""The marks of persons under HOME, in one sealed file that is replaced as a whole.

The folder of the file appears together with the complete file. So if the folder has no file, the marks were lost.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from groundwork import manifest
from groundwork.errors import InputError, StoreBusy
from groundwork.files import held, read_bytes
from groundwork.readable import broken
from groundwork.records import Record
from knowhd.judge import CONTRARY, Stance
from knowhd.marks import FILE, Mark, Marks, text_of
from knowhd.pieces import Said
from truthhypo.json_files import parsed, write_text

if TYPE_CHECKING:
    from truthhypo.world import World

#: Name of the lock under HOME.
LOCK = "marks.lock"
#: Maximum number of characters of a note.
LONGEST = 2_000
_MARK, _MARKS = TypeAdapter(Mark), TypeAdapter(tuple[Mark, ...])


class UnknownMark(InputError):
    """No mark has this id.

    Args:
        id: The id.
    """

    def __init__(self, id: str) -> None:
        super().__init__(f"no mark has the id {id!r}", "the id of a mark", "see: truthhypo mark list")


@dataclass(frozen=True, slots=True)
class Imported(Record):
    """The counts of an import.

    Attributes:
        added: New marks.
        replaced: Marks that replaced an older mark on the same claim and piece.
        kept: Marks that were left out, because the file under HOME has the same mark or a newer one.
    """

    added: int
    replaced: int
    kept: int


class MarkList:
    """The marks under HOME. Any thread and any process may use it.

    Args:
        home: The folder HOME.
    """

    def __init__(self, home: Path) -> None:
        self._home, self._path = home, home / FILE

    def all(self) -> Marks:
        """Return the marks by key, in the order of their times.

        Raises:
            InputError: The file is damaged.
        """
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            if not self._path.parent.exists():
                return {}
            raise _unreadable(self._path, "it is missing") from None
        except OSError as error:
            raise _unreadable(self._path, error.strerror) from None
        return _read(self._path, stat.st_mtime_ns, stat.st_size)

    def put(self, marks: Iterable[Mark]) -> Imported:
        """Keep marks. Of two marks on the same claim and piece, the later one is kept.

        Raises:
            StoreBusy: Another command changes the marks.
            InputError: The file is damaged or cannot be written.
        """
        counts = {"added": 0, "replaced": 0, "kept": 0}
        with self._changing() as kept:
            for mark in marks:
                older = kept.get(mark.key)
                name = "added" if older is None else "replaced" if older.time < mark.time else "kept"
                counts[name] += 1
                if name != "kept":
                    kept[mark.key] = mark
        return Imported(**counts)

    def remove(self, id: str) -> None:
        """Remove a mark.

        Raises:
            UnknownMark: No mark has this id.
            StoreBusy, InputError: As `put`.
        """
        with self._changing() as kept:
            key = next((key for key, mark in kept.items() if mark.id == id), None)
            if key is None:
                raise UnknownMark(id)
            del kept[key]

    @contextmanager
    def _changing(self) -> Iterator[dict[tuple[str, str], Mark]]:
        """Yield the marks; write them when the block ends without an error and has changed them."""
        try:
            self._home.mkdir(parents=True, exist_ok=True)
            busy = StoreBusy("another command changes the marks", "one change at a time", "try again")
            with held(self._home / LOCK, busy):
                before = dict(self.all())
                kept = dict(before)
                yield kept
                if kept != before:
                    ordered = sorted(kept.values(), key=lambda mark: (mark.time, mark.key))
                    self._write(manifest.sealed({"marks": [mark.to_dict() for mark in ordered]}))
        except OSError as error:
            seen = f"{self._path} cannot be written: {error.strerror or error}"
            raise InputError(seen, "a file that can be written", "choose another HOME") from error

    def _write(self, text: str) -> None:
        folder = self._path.parent
        if folder.exists():
            write_text(self._path, text)
            return
        fresh = folder.with_name(f"{folder.name}.{os.getpid()}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            write_text(fresh / self._path.name, text)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


@lru_cache(maxsize=4)
def _read(path: Path, _modified: int, _size: int) -> Marks:
    """Return the marks in a file with this time and size, which are arguments so that a changed file is read again."""
    try:
        marks = parsed(json.dumps(manifest.read(path).get("marks")).encode(), _MARKS)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return {mark.key: mark for mark in marks}


def _unreadable(path: Path, why: object) -> InputError:
    remedy = f"restore it from a copy, or remove {path.parent} and import a file of `truthhypo mark export`"
    return InputError(f"{path} cannot be read: {why}", "the marks that this program wrote", remedy)


def marked(world: World, claim: str, piece: str, said: Said, note: str = "", by: str = "") -> Mark:
    """Return a person's word on a piece of evidence as a mark, with the side that the judge gives to the piece now.

    Args:
        world: The stores and the judge.
        claim: Text of the claim, as a report shows it.
        piece: Id of the piece.
        said: `right`: the stance is right; `wrong`: the piece takes no side; `other`: it takes the opposite side.
        note: Why, in at most LONGEST characters.
        by: Name of the person.

    Raises:
        InputError: There is no such claim or piece, it takes no side and `said` is not `right`, or a text is too long.
        StoreUnreachable, ModelUnreachable: A store or the model cannot be reached.
    """
    for name, text in (("note", note), ("name", by)):
        if len(text) > LONGEST or broken(text):
            wanted = f"at most {LONGEST:,} characters of text"
            raise InputError(f"a {name} of {len(text):,} characters", wanted, f"shorten or correct the {name}")
    read, found, side = world.checker().piece(claim, piece)
    if side is None and said != "right":
        remedy = "mark it `right` to confirm that it takes no side"
        raise InputError(f"{piece} takes no side", f"a piece that takes a side, for {said}", remedy)
    sides: dict[Said, Stance | None] = {"right": side, "wrong": None, "other": CONTRARY[side] if side else None}
    now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return Mark(read.text, piece, said, sides[said], by, note, text_of(found), now)


def written(marks: Iterable[Mark]) -> str:
    """Return marks as JSON lines, which `read_marks` reads."""
    return "".join(f"{json.dumps(mark.to_dict(), ensure_ascii=False)}\n" for mark in marks)


def read_marks(path: Path) -> list[Mark]:
    """Return the marks in a file of JSON lines.

    Raises:
        InputError: The file cannot be read, or a line is no mark. No mark of the file is returned then.
    """
    try:
        lines = read_bytes(path).splitlines()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "a file of marks", "correct the path") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found += [parsed(line, _MARK)] if line.strip() else []
        except ValueError as error:
            wanted = "a mark as `truthhypo mark export` writes it"
            raise InputError(f"{path} line {number}: {error}", wanted, f"correct line {number}") from None
    return found
