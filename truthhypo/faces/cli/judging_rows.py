"""Show the results of a file of pairs or of citing claims, or the summary of what was written to --out."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from truthhypo.faces import render_many
from truthhypo.faces.cli.output import Output
from truthhypo.faces.judging_outcome import FailOn
from truthhypo.faces.many.many_report import ManyReport
from truthhypo.faces.render_many import Tally


def judge_rows(
    output: Output,
    many: ManyReport,
    out: Path | None,
    state: Mapping[str, bool],
    show: Callable[[Console, Mapping[str, Any]], None],
    condition: FailOn | None = None,
) -> Tally:
    """Show the records of all rows of a file, or their summary if they were written to a file. Return their counts.

    Args:
        output: Output that shows the records or their summary.
        many: The results.
        out: File that holds the records or the table, or None.
        state: Entries about unfinished loads, which are added to the JSON answer; see `output.loading`.
        show: Function that prints a record for people.
        condition: The condition of --fail-on.
    """
    tally, told = Tally(condition), list[Mapping[str, Any]]()
    for record in tally.counting(many.records()):
        if out is None:
            told.append({**record, **state})

    def say(console: Console) -> None:
        for record in told:
            show(console, record)
        render_many.summary(console, many.summary, f"{many.item}s")
        render_many.results(console, tally)
        if out is not None:
            render_many.places(console, many.summary)

    output.show({**many.summary, **state} if out else told, say)
    return tally
