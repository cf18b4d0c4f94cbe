"""Read and write instances of the benchmark, in the columns of the published benchmark.

The column `relation` is the gold label. It is in instances.tsv but never in cases.jsonl, which models are shown.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from groundwork.errors import InputError
from groundwork.files import read_text
from groundwork.records import Record, split_key
from truthhypo.hypotheses.options import NO_RELATION, TASKS, Task, question, task_of
from truthhypo.json_files import write_text


@dataclass(frozen=True, slots=True)
class Case(Record):
    """One question without its gold label. The fields are those of cases.jsonl."""

    x_id: str
    y_id: str
    x_type: str
    y_type: str
    rel_type: str
    question: str

    @property
    def id(self) -> str:
        """The id of the question. It is the same in every run over the same dataset."""
        return f"{self.x_id}~{self.y_id}"

    @property
    def task(self) -> Task:
        """The task, with the pair in canonical order."""
        return task_of(self.x_id, self.y_id)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two concepts in the order of the question; their keys if the question has another form."""
        x, y = (key.partition("|")[2] for key in (self.x_id, self.y_id))
        _, began, rest = self.question.partition(f"between {self.x_type} ")
        rest, ended, _ = rest.rpartition(f" ({y})?")
        first, parted, second = rest.rpartition(f" ({x}) and {self.y_type} ")
        return (first, second) if began and ended and parted else (self.x_id, self.y_id)


@dataclass(frozen=True, slots=True)
class Instance(Record):
    """One question with its gold label.

    Attributes:
        x_id: Key of the first concept in the question.
        y_id: Key of the second concept.
        x_type: Type of the first concept.
        y_type: Type of the second concept.
        rel_type: The task, e.g. `Chemical & Gene`.
        relation: The gold label: one of the task's three labels.
        question: The question as text.
    """

    x_id: str
    y_id: str
    x_type: str
    y_type: str
    rel_type: str
    relation: str
    question: str

    @property
    def id(self) -> str:
        """The id of the instance. It is the same in every run over the same dataset."""
        return f"{self.x_id}~{self.y_id}"

    @property
    def related(self) -> bool:
        """Whether the gold label is a relation."""
        return self.relation != NO_RELATION

    def case(self) -> Case:
        """Return what a model may be shown: all fields except the gold label."""
        return Case(self.x_id, self.y_id, self.x_type, self.y_type, self.rel_type, self.question)


COLUMNS = tuple(field.name for field in fields(Instance))


def instance(x: str, y: str, relation: str, x_name: str, y_name: str) -> Instance:
    """Make an instance from two keys, in the order of the question.

    Args:
        x: Key of the first concept in the question.
        y: Key of the second concept.
        relation: The gold label.
        x_name: Preferred name of the first concept. White space in names becomes single blanks, so that a row is
            one line.
        y_name: Preferred name of the second concept.
    """
    asked = question(x, y, " ".join(x_name.split()), " ".join(y_name.split()))
    return Instance(x, y, split_key(x)[0], split_key(y)[0], task_of(x, y).name, relation, asked)


def names_of(cases: Iterable[Case]) -> dict[str, str]:
    """Return the names of the concepts in the questions, by key."""
    return {key: name for case in cases for key, name in zip((case.x_id, case.y_id), case.names, strict=True)}


def read(path: Path) -> tuple[Instance, ...]:
    """Return the instances of a file with the published columns.

    Raises:
        InputError: The file is not readable as UTF-8, or has other columns or no row. Or a row is not an instance; then
            the error names the line.
    """
    try:
        lines = read_text(path).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", "a readable UTF-8 file", "correct the path or the file") from error
    if tuple(lines[0].rstrip("\r").split("\t")) != COLUMNS:
        wanted = f"the columns {' '.join(COLUMNS)}, separated by tabs"
        raise InputError(f"{path} begins with {lines[0][:200]!r}", wanted, "give the file instances.tsv of a set")
    found = tuple(_read(path, number, line) for number, line in enumerate(lines[1:], 2) if line.rstrip("\r"))
    if not found:
        raise InputError(f"{path} contains no instance", "at least one row", "build the set again")
    return found


def write(folder: Path, instances: Sequence[Instance]) -> tuple[Path, Path]:
    """Write instances.tsv and cases.jsonl in the same order. Each file appears only when it is complete.

    Raises:
        InputError: The folder cannot be written.
    """
    table, cases = folder / "instances.tsv", folder / "cases.jsonl"
    rows = [COLUMNS, *(tuple(each.to_dict().values()) for each in instances)]
    write_text(table, _lines("\t".join(row) for row in rows))
    write_text(cases, _lines(json.dumps(each.case().to_dict(), ensure_ascii=False) for each in instances))
    return table, cases


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def _read(path: Path, number: int, line: str) -> Instance:
    columns = line.rstrip("\r").split("\t")
    if len(columns) != len(COLUMNS):
        raise InputError(f"{path}:{number}: {len(columns)} columns", f"{len(COLUMNS)} columns", "correct the row")
    found = Instance(*columns)
    try:
        task = task_of(found.x_id, found.y_id, tasks=TASKS)
    except InputError as error:
        raise InputError(f"{path}:{number}: {error.seen}", error.wanted, "correct the row") from error
    if found.rel_type != task.name or found.relation not in task.labels:
        seen = f"{path}:{number}: task {found.rel_type!r}, relation {found.relation!r}"
        raise InputError(seen, f"task {task.name!r} and one of {', '.join(task.labels)}", "correct the row")
    return found
