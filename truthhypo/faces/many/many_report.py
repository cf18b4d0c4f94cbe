"""The report on many texts or pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwork.files import loads
from groundwork.records.base import counted, cut, listed, number
from knowhd.judge import VERDICTS
from truthhypo.faces.batch import Command
from truthhypo.faces.judgement_tables import LAYOUTS, TEXT_COLUMNS, encodable, rows_of, text_row
from truthhypo.hypotheses.rows import KINDS, outcome
from truthhypo.record_file import RecordFile

if TYPE_CHECKING:
    from altair import LayerChart
    from pandas import DataFrame

#: What is judged, in the singular, if it is no text.
ITEMS = {"hypothesize": "pair", "cite": "citing claim"}
#: Maximum number of texts that a notebook shows.
SHOWN = 20


@dataclass(frozen=True, repr=False)
class ManyReport:
    """The judgements of many texts or pairs.

    Attributes:
        command: `ground`, `risk`, `hypothesize` or `cite`.
        summary: The counts of the run (texts, empty, written, kept, failed, left, unusable, unread), the paths of the
            written files (`out` and `records`; None if no file was asked for), and the usage of the language model.
        unfit: The records of texts that cannot be judged, such as missing texts, by their number in the input (from 1).
        labels: The pandas index of the input; None if the input has none, so that rows are numbered 0, 1, 2, ...
        held: The records as JSON lines, or the file that contains them.

    Example:
        >>> many = world.ground_many(["Simvastatin lowers cholesterol.", None], progress=False)
        >>> many
        Ground of 2 texts: 1 with an error
          grounded 1.00  Simvastatin lowers cholesterol.
          error            [a missing text]
        >>> next(many.records())["groundedness"]["both"]
        1.0
    """

    command: Command
    summary: Mapping[str, Any]
    unfit: Mapping[int, Mapping[str, Any]]
    labels: Any
    held: Path | tuple[bytes, ...]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the record of each text in the order of the input: the JSON of the judgement, or the `error`."""
        left = dict(sorted(self.unfit.items()))
        for line in RecordFile(self.held).lines() if isinstance(self.held, Path) else self.held:
            record = loads(line)
            for place in [each for each in left if each < record["number"]]:
                yield {"number": place, **left.pop(place)}
            yield record
        for place, unfit in left.items():
            yield {"number": place, **unfit}

    def to_dict(self) -> dict[str, Any]:
        """Return the summary and all records."""
        return {"command": self.command, "summary": dict(self.summary), "records": list(self.records())}

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row per text or pair. Its index is that of the input.

        A text that could not be judged has its `error`. Means over texts weigh each text once; `claims` has the claims.
        """
        return self._frame((text_row(self.command, record) for record in self.records()), TEXT_COLUMNS[self.command])

    def claims(self) -> DataFrame:
        """Return a pandas DataFrame with one row per claim. Its index is that of the input.

        A text with several claims has several rows with the same index. A text without claims, or one that could not
        be judged, has one row. Pairs have no claims: the rows are those of `to_frame`.

        Example:
            >>> many = world.ground_many(["Simvastatin lowers cholesterol."], progress=False)
            >>> many.claims()["verdict_both"].tolist()
            ['supported']
        """
        rows = (row for record in self.records() for row in rows_of(self.command, record))
        return self._frame(rows, LAYOUTS[self.command][0])

    def plot(self) -> LayerChart:
        """Return an altair chart with one bar per result, for instance a verdict or a relation.

        The bar counts the texts or pairs with this result. A text whose claims have several verdicts is `mixed`. The
        extra `bench` installs altair. In a notebook the chart is a picture, which needs no network.

        Raises:
            InputError: altair is not installed.
        """
        from truthhypo.faces.many.many_plot import many_plot

        return many_plot(map(_counted, self.records()), self.item)

    def _frame(self, made: Iterable[Mapping[str, Any]], named: tuple[str, ...]) -> DataFrame:
        from pandas import DataFrame, Index

        rows = [encodable(dict(row)) for row in made]
        places = [row["number"] - 1 for row in rows]
        columns = ["text", *named, "error"]
        if any(row["id"] is not None for row in rows):
            columns.insert(0, "id")
        index = Index(places) if self.labels is None else self.labels.take(places)
        return DataFrame(rows, columns=columns, index=index)

    @property
    def item(self) -> str:
        """What is judged, in the singular."""
        return ITEMS.get(self.command, "text")

    def __len__(self) -> int:
        return int(self.summary["texts"]) + len(self.unfit)

    def __repr__(self) -> str:
        return listed(self._heading(), map(_line, self.records()))

    def _heading(self) -> str:
        failed = len(self.unfit) + self.summary["failed"]
        left = f", {self.summary['left']:,} not judged" if self.summary["left"] else ""
        return f"{self.command.capitalize()} of {counted(len(self), self.item)}: {failed:,} with an error{left}"

    def _repr_html_(self) -> str:
        from itertools import islice

        from groundwork.pictures import Statement, html

        statements = [
            Statement(kind, label, cut(record["text"] or "", 300), (record.get("error") or {}).get("seen", ""))
            for record in islice(self.records(), SHOWN)
            for kind, label in [_result(record)]
        ]
        facts = "to_frame() gives a row per text, claims() a row per claim, records() the evidence"
        return html(self._heading(), facts, statements, max(0, len(self) - len(statements)))


def _line(record: Mapping[str, Any]) -> str:
    text = record["text"] or ""
    return f"{_result(record)[1]:14} {text}" + (f"  [{record['error']['seen']}]" if record.get("error") else "")


def _result(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the result of a text: a kind, which determines the colour in a notebook, and the words to show."""
    if record.get("error"):
        return "error", "error"
    if "citations" in record:
        given = [cited["verdict"] for cited in record["citations"]]
        return (given[0] if len(set(given)) == 1 else "not_enough"), ", ".join(dict.fromkeys(given))
    if "relation" in record:
        told = outcome(record["relation"], record["model"])
        return KINDS.get(told, "proposed"), told
    if "groundedness" in record and record["groundedness"]["both"] is None:
        return "failed", "not judged"
    if "groundedness" in record:
        verdicts = {claim["verdicts"]["both"] for claim in record["claims"]}
        kind = verdicts.pop() if len(verdicts) == 1 else "not_enough"
        return kind, f"grounded {number(record['groundedness']['both'])}"
    if record["hrs"] is None:
        return "unlinked", "no risk"
    told = f"HRS {number(record['hrs'])}, strength {number(record['strength'])}"
    if "thin" in record["flags"]:
        return "thin", f"{told}, thin"
    return "risky" if record["hrs"] >= 0.5 else "measured", told


def _counted(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the result of a text as `_result` does, without its numbers, so that equal results can be counted."""
    kind, told = _result(record)
    if "groundedness" in record and len({claim["verdicts"]["both"] for claim in record["claims"]}) > 1:
        return kind, "mixed"
    names = {"measured": "HRS below 0.5", "risky": "HRS of 0.5 or more", "thin": "thin evidence"}
    return kind, names.get(kind) or (kind.replace("_", " ") if kind in VERDICTS else told)
