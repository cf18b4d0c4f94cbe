"""The texts of a file: .txt (one a line), .csv or .jsonl."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundwork.characters import broken
from groundwork.errors import InputError
from groundwork.sheet import read_sheet

#: Names of the column or field that holds the text, in order of preference.
COLUMNS = ("text", "statement", "claim", "hypothesis", "sentence")


@dataclass(frozen=True, slots=True)
class Said:
    """A text of a file.

    Attributes:
        number: Its place there, from 1: the line of .txt and .jsonl, the record of .csv.
        text: The text.
        id: What the column or field `id` calls it; None where there is none.
    """

    number: int
    text: str
    id: str | int | None = None


class Texts(list[Said]):
    """The texts of a file, in order.

    Attributes:
        empty: Records of .csv and .jsonl that hold no text.
    """

    def __init__(self, rows: Iterable[Said], *, counted: bool) -> None:
        held = list(rows)
        super().__init__(said for said in held if said.text.strip())
        self.empty = len(held) - len(self) if counted else 0


def read_texts(path: Path) -> Texts:
    """The texts of a .txt (one a line), .csv or .jsonl file; empty lines are passed over, records without text counted.

    Raises:
        InputError: A file that cannot be read, of another kind, without a text column, or without any text; a quote of
            .csv that is not closed, or a row of it with more columns than the header (see `groundwork.sheet`).
    """
    readers, wanted = {".txt": _lines, ".csv": _csv, ".jsonl": _jsonl}, "a .txt, .csv or .jsonl file"
    if path.is_dir():
        raise InputError(f"{path} is a directory", wanted, "name a file in it")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path} ends in {path.suffix!r}", wanted, "convert or rename it")
    try:
        found = reader(path)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start}", "UTF-8 text", "convert the file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "a file of texts", "check the path") from None
    texts = Texts(found, counted=reader is not _lines)
    for said in texts:
        if broken(said.text):
            seen = f"{path}, text {said.number}: half of a surrogate pair"
            raise InputError(seen, "whole characters", "write the character whole in UTF-8, or leave its escape out")
        if "\0" in said.text:
            seen = f"{path}, text {said.number}: a NUL"
            raise InputError(seen, "text without NUL characters", "take them out, or save the file as UTF-8 text")
    if not texts:
        raise InputError(f"{path} holds no text", "at least one", "check the file")
    return texts


def _lines(path: Path) -> list[Said]:
    return [Said(number, line) for number, line in enumerate(_split(path), 1)]


def _split(path: Path) -> list[str]:
    """Lines as files have them, ended by LF or CRLF; `splitlines` would end them at U+2028 and the like too."""
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def _csv(path: Path) -> list[Said]:
    sheet = read_sheet(path)
    column = next((name for name in COLUMNS if name in sheet.header), None)
    if column is None:
        seen, wanted = f"{path} has the columns {', '.join(sheet.header)}", f"one named {' or '.join(COLUMNS)}"
        raise InputError(seen, wanted, "rename the column of the texts")
    return [Said(number, row[column] or "", row.get("id") or None) for number, row in enumerate(sheet.rows, 1)]


def _jsonl(path: Path) -> list[Said]:
    found = []
    for number, line in enumerate(_split(path), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            remedy = f'write line {number} as {{"{COLUMNS[0]}": "..."}}, or give the texts as .txt, one a line'
            raise InputError(f"{path} line {number} is not JSON: {error}", "an object a line", remedy) from None
        fields = record if isinstance(record, dict) else {}
        text = next((fields[name] for name in COLUMNS if isinstance(fields.get(name), str)), None)
        if text is None:
            wanted = f"an object with a text in the field {' or '.join(COLUMNS)}"
            remedy = f"name the field of line {number} that holds the text so, or leave the line out"
            raise InputError(
                f"{path} line {number} has no text; it has {', '.join(fields) or 'no field'}", wanted, remedy
            )
        found.append(Said(number, text, _id(fields, f"{path} line {number}")))
    return found


def _id(fields: Mapping[str, Any], where: str) -> str | int | None:
    """What a record is called; None where it is not."""
    match fields.get("id"):
        case None | "":
            return None
        case str() | int() as called if not isinstance(called, bool):
            return called
    seen = f"{where} has an id that is neither a text nor a whole number: {json.dumps(fields['id'])[:60]}"
    raise InputError(seen, "one of them", "put the id in quotes, or leave it out")
