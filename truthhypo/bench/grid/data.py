"""Read statements that people labelled true, false or maybe, from PubMedQA's questions or from any table."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from groundwork.errors import InputError
from groundwork.files import loads, read_text
from truthhypo.bench.grid.questions import statement
from truthhypo.bench.labelled_rows import rows
from truthhypo.faces.many.sources import COLUMNS

Gold = Literal["true", "false", "maybe"]

#: Meaning of each accepted label. Labels may be in upper or lower case.
MEANINGS: Mapping[str, Gold] = {
    **dict.fromkeys(("yes", "true", "1", "supported", "supports", "support"), "true"),
    **dict.fromkeys(("no", "false", "0", "contradicted", "contradicts", "refutes", "refute", "hallucinated"), "false"),
    **dict.fromkeys(("maybe", "unknown", "neutral", "not_enough", "nei"), "maybe"),
}
_LABELS = ("label", "final_decision", "gold", "answer", "verdict")


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A statement and the label that people gave it."""

    text: str
    gold: Gold


def load(path: Path) -> list[LabelledStatement]:
    """Read labelled statements from PubMedQA's .json, or from a .csv or .jsonl.

    The fields are QUESTION and final_decision in PubMedQA, and for example `text` and `label` in the other formats.

    Raises:
        InputError: The file cannot be read, a field is missing, or a label is unknown.
    """
    readers = {".json": _pubmedqa, ".csv": rows, ".jsonl": rows}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        wanted = "PubMedQA's .json, a .csv or a .jsonl"
        raise InputError(f"{path} ends in {path.suffix!r}", wanted, "convert or rename the file")
    try:
        found = [_labelled(row, f"{path}, record {n}") for n, row in enumerate(reader(path), 1)]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", "labelled statements", "check the file") from error
    if not found:
        raise InputError(f"{path} contains no statement", "at least one statement", "check the file")
    return found


def _labelled(row: Any, place: str) -> LabelledStatement:
    """Return the labelled statement of a record, after checking the fields of the record."""
    fields = row if isinstance(row, Mapping) else {}
    text = next((fields[name] for name in ("QUESTION", "question", *COLUMNS) if fields.get(name)), None)
    label = next((fields[name] for name in _LABELS if fields.get(name) not in {None, ""}), None)
    if not isinstance(text, str) or label is None:
        named = f"a question or {' or '.join(COLUMNS)}, and a {' or '.join(_LABELS)}"
        raise InputError(f"{place} has the fields {', '.join(map(str, fields))}", named, "rename the fields")
    gold = MEANINGS.get(str(label).strip().lower())
    if gold is None:
        raise InputError(
            f"{place}: label {label!r}", f"one of {', '.join(MEANINGS)}", "replace the label by one of these"
        )
    return LabelledStatement(statement(text), gold)


def _pubmedqa(path: Path) -> Iterator[Any]:
    shape = loads(read_text(path))
    yield from shape.values() if isinstance(shape, dict) else shape
