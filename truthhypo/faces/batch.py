"""Many texts in, JSON lines out, a record at a time; a second run goes on where the first was stopped."""

import csv
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from groundwork.errors import InputError, StoreBusy

#: Names of the column or field that holds the text, in order of preference.
COLUMNS = ("text", "statement", "claim", "hypothesis", "sentence")


@dataclass(frozen=True, slots=True)
class Said:
    """A text of a file and its number there: the line of .txt, the record of .csv and .jsonl; from 1."""

    number: int
    text: str


def read_texts(path: Path) -> list[Said]:
    """The texts of a .txt (one a line), .csv or .jsonl file; empty lines are passed over.

    Raises:
        InputError: A file that cannot be read, of another kind, without a text column, or without any text.
    """
    readers = {".txt": _lines, ".csv": _csv, ".jsonl": _jsonl}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path} ends in {path.suffix!r}", "a .txt, .csv or .jsonl file", "convert or rename it")
    try:
        found = reader(path)
    except csv.Error as error:
        raise InputError(f"{path} is not CSV: {error}", "fields of at most 131,072 characters", "mend it") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start}", "UTF-8 text", "convert the file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "a file of texts", "check the path") from None
    texts = [said for said in found if said.text.strip()]
    for said in texts:
        if any(0xD800 <= ord(letter) <= 0xDFFF for letter in said.text):
            raise InputError(f"{path}, text {said.number}: half of a surrogate pair", "whole characters", "mend it")
    if not texts:
        raise InputError(f"{path} holds no text", "at least one", "check the file")
    return texts


def _lines(path: Path) -> list[Said]:
    return [Said(number, line) for number, line in enumerate(_split(path), 1)]


def _split(path: Path) -> list[str]:
    """Lines as files have them, ended by LF or CRLF; `splitlines` would end them at U+2028 and the like too."""
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def _csv(path: Path) -> list[Said]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        column = next((name for name in COLUMNS if name in (reader.fieldnames or ())), None)
        if column is None:
            raise InputError(
                f"{path} has the columns {', '.join(reader.fieldnames or ())}",
                f"one named {' or '.join(COLUMNS)}",
                "rename the column of the texts",
            )
        return [Said(number, row[column] or "") for number, row in enumerate(reader, 1)]


def _jsonl(path: Path) -> list[Said]:
    found = []
    for number, line in enumerate(_split(path), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{path} line {number} is not JSON: {error}", "an object a line", "mend it") from None
        fields = record if isinstance(record, dict) else {}
        text = next((fields[name] for name in COLUMNS if isinstance(fields.get(name), str)), None)
        if text is None:
            raise InputError(f"{path} line {number} has no text", f"a field {' or '.join(COLUMNS)}", "mend it")
        found.append(Said(number, text))
    return found


class Batch:
    """A run over many texts, kept as JSON lines.

    Each record is the judgement with `number` (its place in the file) and `run` (a fingerprint of the options) in
    front, so that a second run can tell what is done and that it was asked the same way.

    Args:
        out: The JSON lines file, made if absent.
        options: What the judgement was asked with.
    """

    def __init__(self, out: Path, options: dict[str, Any]) -> None:
        self.out = out
        self.run_id = sha256(json.dumps(options, sort_keys=True, default=str).encode()).hexdigest()[:12]

    def run(self, texts: Sequence[Said], check: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
        """Judge what is not judged yet.

        Returns:
            texts, written (by this run), kept (from earlier runs), out.

        Raises:
            InputError: The file out was written with other options or for other texts, or cannot be written.
        """
        try:
            # An empty file beside the output, locked by the system for as long as this process lives.
            with FileLock(f"{self.out}.lock", blocking=False), self.out.open("ab") as stream:
                done = self._done({said.number: said.text for said in texts})
                for said in texts:
                    if said.number not in done:
                        record = {"number": said.number, "run": self.run_id, **check(said.text)}
                        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
                        stream.write(line.encode("utf-8", "backslashreplace") + b"\n")
                        stream.flush()
                        os.fsync(stream.fileno())
        except Timeout:
            raise StoreBusy(f"{self.out} is being written by another run", "one run a file", "wait for it") from None
        except OSError as error:
            raise InputError(f"{self.out}: {error.strerror}", "a file to write to", "check the path") from None
        return {"texts": len(texts), "written": len(texts) - len(done), "kept": len(done), "out": str(self.out)}

    def _done(self, texts: dict[int, str]) -> set[int]:
        """Numbers already judged; a last line that was cut off is removed, so that it is judged again."""
        if not self.out.exists():
            return set()
        held = self.out.read_bytes()
        whole = held[: held.rfind(b"\n") + 1]
        if len(whole) < len(held):
            os.truncate(self.out, len(whole))
        done = set()
        for line in whole.splitlines():
            number = self._checked(line, texts)
            done.add(number)
        return done

    def _checked(self, line: bytes, texts: dict[int, str]) -> int:
        try:
            record = json.loads(line)
            number, run, text = record["number"], record["run"], record["text"]
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
            raise InputError(
                f"{self.out} is not an earlier run's output", "its own records", "choose another --out"
            ) from None
        if run != self.run_id or texts.get(number) != text:
            what = "other options" if run != self.run_id else "other texts"
            raise InputError(
                f"{self.out} was written with {what}", "the same run", "choose another --out, or remove it"
            )
        return int(number)
