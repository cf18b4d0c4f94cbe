"""Print the summary of a run over many texts as text for people, within 80 columns: counts, means, flags, errors."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from groundwork.records.base import counted, cut, number
from knowhd.judge import SOURCES
from truthhypo.faces.judging_outcome import FailOn, citations_of, claims_of, fails
from truthhypo.faces.layout import field as line
from truthhypo.faces.render_judgement import COLOURS, trust
from truthhypo.hypotheses.rows import outcome

#: Description of each counter of a run over many texts, in display order.
_COUNTERS = {
    "texts": "texts in the file",
    "empty": "records of the file without a text",
    "written": "judged in this run",
    "kept": "judged in an earlier run",
    "failed": "failed: the same command judges them again",
    "left": "not judged, because the budget was spent",
    "unusable": "without a usable reply of the model to any claim",
    "unread": "without a relation that the rules could read",
}
#: Maximum number of different errors that are shown, and maximum length of one error in characters.
ERRORS, LONGEST = 3, 64


@dataclass(slots=True)
class Tally:
    """Counts over the records of a run.

    Attributes:
        condition: The condition of `--fail-on`.
        texts: Number of records.
        failing: Number of records that meet the condition.
        verdicts: Number of claims by source and verdict.
        statuses: Number of sentences by status, for `risk`.
        citations: Number of citations by verdict, for `cite`.
        relations: Number of pairs by proposed relation, for `hypothesize`; `undecided` or `failed` if there is none.
        risks: (HRS, strength) of each text whose risk was measured.
        flags: Number of claims or sentences by flag.
        errors: Number of texts by the field `seen` of their `error`.
    """

    condition: FailOn | None = None
    texts: int = 0
    failing: int = 0
    verdicts: dict[str, Counter[str]] = field(default_factory=lambda: {source: Counter() for source in SOURCES})
    statuses: Counter[str] = field(default_factory=Counter)
    citations: Counter[str] = field(default_factory=Counter)
    relations: Counter[str] = field(default_factory=Counter)
    risks: list[tuple[float, float]] = field(default_factory=list)
    flags: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def counting(self, records: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Count each record, and yield it unchanged."""
        for record in records:
            self.texts += 1
            self.failing += fails(record, self.condition)
            for claim in claims_of(record):
                self.flags.update(claim["flags"])
                for source, verdict in claim["verdicts"].items():
                    self.verdicts[source][verdict] += 1
            for sentence in record.get("sentences", ()):
                self.flags.update(sentence["flags"])
                self.statuses[sentence["status"]] += 1
            for cited in citations_of(record):
                self.flags.update(cited["flags"])
                self.citations[cited["verdict"]] += 1
            if "relation" in record:
                self.relations[outcome(record["relation"], record["model"])] += 1
            if record.get("hrs") is not None:
                self.risks.append((record["hrs"], record["strength"]))
            if record.get("error"):
                self.errors[record["error"]["seen"]] += 1
            yield record


def summary(console: Console, shape: Mapping[str, Any], items: str = "texts") -> None:
    """Print the counts of a run over many items. Counts of 0 are left out, except for `texts` and `written`."""
    for name, words in _COUNTERS.items():
        if shape[name] or name in {"texts", "written"}:
            line(console, f"{shape[name]:>9,}  ", words.replace("texts", items))
    used = ", ".join(f"{key} {_count(count)}" for key, count in shape["usage"].items() if count)
    if used:
        line(console, "usage       ", used)


def results(console: Console, tally: Tally, grounded: Mapping[str, Any] | None = None) -> None:
    """Print what was found: verdicts, relations or statuses, means, flags and errors.

    Args:
        console: Console to print to.
        tally: The counts.
        grounded: For `ground`, the entries `groundedness`, `model`, `calibration` and `usage` of the summary.
    """
    if grounded:
        _claims(console, tally, grounded["groundedness"]["sources"])
        line(console, "[dim]interval    [/dim]", f"[dim]{grounded['groundedness']['method']}[/dim]")
        line(console, "[dim]judge       [/dim]", f"[dim]{escape(grounded['model'])}: {trust(grounded)}[/dim]")
    elif tally.relations:
        line(console, "relations   ", _counted(tally.relations))
    elif tally.citations:
        line(console, "citations   ", _counted(tally.citations))
    elif tally.statuses:
        _risks(console, tally)
    if tally.flags:
        line(console, "flags       ", _counted(tally.flags))
    for seen, n in tally.errors.most_common(ERRORS):
        line(console, "error       ", f"{n:,} x {escape(cut(seen, LONGEST))}")
    if len(tally.errors) > ERRORS:
        line(console, "            ", f"and {counted(len(tally.errors) - ERRORS, 'other error')}")


def places(console: Console, shape: Mapping[str, Any]) -> None:
    """Print the files that hold the results."""
    line(console, "written to  ", escape(shape["out"]))
    if shape["records"] != shape["out"]:
        line(console, "evidence in ", escape(shape["records"]))


def _claims(console: Console, tally: Tally, sources: Mapping[str, Any]) -> None:
    """Print one row per source: counts of verdicts, the mean groundedness of the texts, and its interval."""
    table = Table("claims by", box=None, pad_edge=False)
    for name in (*COLOURS, "mean groundedness"):
        table.add_column(name.replace("_", " "), justify="right")
    for source, told in sources.items():
        macro = told["macro"]
        spread = " ({:.2f}-{:.2f})".format(*macro["interval"]) if macro["interval"] else ""
        counts = (f"{tally.verdicts[source][verdict]:,}" for verdict in COLOURS)
        table.add_row(source, *counts, f"{number(macro['value'])}{spread}")
    console.print(table)


def _risks(console: Console, tally: Tally) -> None:
    line(console, "sentences   ", _counted(tally.statuses) or "none")
    if tally.risks:
        hrs, strength = (number(mean(values)) for values in zip(*tally.risks, strict=True))
        told = f"mean HRS {hrs}, mean strength {strength}  [dim]({len(tally.risks):,} of {tally.texts:,} texts)[/dim]"
        line(console, "risk        ", told)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in counts.most_common())


def _count(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:.4g}"
