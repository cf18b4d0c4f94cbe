"""Records in JSON files: written in one step, and read back with their fields checked."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from groundwork.errors import InputError
from groundwork.manifest import content, replace

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
