"""Instances of the benchmark: the published columns, read and written.

`relation` is the gold: it stands in instances.tsv and never in cases.jsonl, which is what a model is shown.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from groundwork.errors import InputError
from groundwork.records import Record, split_key
from truthhypo.hypotheses.tasks import NO_RELATION, question, task_of


@dataclass(frozen=True, slots=True)
class Instance(Record):
    """One query with its gold.

    Attributes:
        x_id: Key of the concept named first.
        y_id: Key of the other.
        x_type: Type of the first.
        y_type: Type of the other.
        rel_type: The task, e.g. `Chemical & Gene`.
        relation: The gold: one of the task's three labels.
        question: The query in words.
    """

    x_id: str
    y_id: str
    x_type: str
    y_type: str
    rel_type: str
    relation: str
    question: str

    @property
    def related(self) -> bool:
        """Whether the gold is any relation."""
        return self.relation != NO_RELATION

    def case(self) -> dict[str, str]:
        """What a model may be shown of it: everything but the gold."""
        return {name: value for name, value in self.to_dict().items() if name != "relation"}


COLUMNS = tuple(field.name for field in fields(Instance))


def instance(x: str, y: str, relation: str, x_name: str, y_name: str) -> Instance:
    """An instance of two keys in the order they are asked in.

    Args:
        x: Key of the concept named first.
        y: Key of the other.
        relation: The gold.
        x_name: Its preferred name; white space becomes single blanks, so that a row stays a row.
        y_name: The other's.
    """
    asked = question(x, y, " ".join(x_name.split()), " ".join(y_name.split()))
    return Instance(x, y, split_key(x)[0], split_key(y)[0], task_of(x, y).name, relation, asked)


def read(path: Path) -> tuple[Instance, ...]:
    """The instances of a file with the published columns.

    Raises:
        InputError: Not readable as UTF-8, other columns, no row, or a row that is no instance; it names the line.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", "a readable UTF-8 file", "correct the path or the file") from error
    if tuple(lines[0].rstrip("\r").split("\t")) != COLUMNS:
        wanted = f"the columns {' '.join(COLUMNS)}, parted by tabs"
        raise InputError(f"{path} begins with {lines[0][:200]!r}", wanted, "give an instances.tsv")
    found = tuple(_read(path, number, line) for number, line in enumerate(lines[1:], 2) if line.rstrip("\r"))
    if not found:
        raise InputError(f"{path} holds no instance", "at least one row", "build the set again")
    return found


def write(folder: Path, instances: Sequence[Instance]) -> tuple[Path, Path]:
    """Write instances.tsv and cases.jsonl, in one order; both are there whole or not at all.

    Raises:
        InputError: The folder cannot be written.
    """
    table, cases = folder / "instances.tsv", folder / "cases.jsonl"
    rows = [COLUMNS, *(tuple(each.to_dict().values()) for each in instances)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _put(table, _lines("\t".join(row) for row in rows))
        _put(cases, _lines(json.dumps(each.case(), ensure_ascii=False) for each in instances))
    except OSError as error:
        raise InputError(f"{folder}: {error}", "a folder that can be written", "give another --out") from error
    return table, cases


def _put(path: Path, text: str) -> None:
    draft = path.with_name(path.name + ".draft")
    draft.write_text(text, "utf-8", newline="\n")
    draft.replace(path)


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _read(path: Path, number: int, line: str) -> Instance:
    columns = line.rstrip("\r").split("\t")
    if len(columns) != len(COLUMNS):
        raise InputError(f"{path}:{number}: {len(columns)} columns", f"{len(COLUMNS)}", "correct the row")
    found = Instance(*columns)
    try:
        task = task_of(found.x_id, found.y_id)
    except InputError as error:
        raise InputError(f"{path}:{number}: {error.seen}", error.wanted, "correct the row") from error
    if found.rel_type != task.name or found.relation not in task.labels:
        seen = f"{path}:{number}: task {found.rel_type!r}, relation {found.relation!r}"
        raise InputError(seen, f"task {task.name!r} and one of {', '.join(task.labels)}", "correct the row")
    return found
