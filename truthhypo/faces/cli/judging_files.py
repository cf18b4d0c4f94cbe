"""Judge the texts of a file, and show the results of texts, pairs or citing claims, or the summary of --out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from groundwork.ports import Progress, Silent
from knowhd.calibration import calibration_of
from knowhd.groundedness import measure_set
from truthhypo.faces import render_judgement
from truthhypo.faces.cli.options import end, failing
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.judging_outcome import FailOn, Tally, claims_of, fails, judgeable, wholly_unread
from truthhypo.faces.many.batch import Account, Batch, judged
from truthhypo.faces.many.report import ManyReport, Table, records_of
from truthhypo.faces.many.sources import Said, Texts, read_texts
from truthhypo.faces.progress import watch
from truthhypo.lookups import unfinished_loads
from truthhypo.worker_pool import PATIENCE, pool_for

if TYPE_CHECKING:
    from groundwork.ports import LanguageModel
    from truthhypo.faces.cli.judge import JudgingRequest, Report
    from truthhypo.world import World


def judge_texts(
    output: Output, world: World, asked: JudgingRequest, table: Table | None, state: Mapping[str, bool]
) -> None:
    """Judge all texts of a file.

    Args:
        output: Output that shows the reports or their summary.
        world: The stores and the model.
        asked: The arguments of the command.
        table: The table that --out names, or None.
        state: Entries about unfinished loads, which are added to the JSON answer; see `output.loading`.

    Raises:
        typer.Exit: In the cases that `judging.end` lists.
    """
    assert asked.file is not None
    texts = read_texts(asked.file, asked.column)
    if asked.out is None:
        _all_at_once(output, world, asked, texts, state)
        return
    batch = Batch(records_of(asked.out), table=table, **world.judging.inputs(asked.command, asked.options))
    world.expect(len(texts))
    pool, model = pool_for(asked.model(world))
    with _watching(texts) as (outer, inner):
        summary = batch.run(texts, lambda text: _record(world, model, asked, text, inner), pool, outer)
    tally = Tally(asked.fail_on)
    with batch.out.open("rb") as lines:
        grounded = _found(world, asked, tally, map(json.loads, lines))

    def say(console: Console) -> None:
        render_judgement.run_summary(console, summary)
        render_judgement.run_results(console, tally, grounded and {**summary, **grounded})
        render_judgement.run_places(console, summary)

    output.show({**summary, **(grounded or {}), **state}, say)
    everything = 0 < summary["unread"] == summary["written"] + summary["kept"]
    met = failing(asked.fail_on, tally.failing, tally.texts, "text")
    end(summary["usage"] or {}, summary["failed"], summary["unusable"], unread=everything, met=met)


def _record(
    world: World, model: LanguageModel | None, asked: JudgingRequest, text: str, progress: Progress
) -> dict[str, Any]:
    """Judge one text. If a store that the judgement read has an unfinished load now, the record has `loading`."""
    shape = asked.judged(world, model, text, progress).to_dict()
    loads = unfinished_loads(world.graph_store, *asked.literature(world))
    return {**shape, "loading": True} if loads else shape


def _found(
    world: World, asked: JudgingRequest, tally: Tally, records: Iterable[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """Count the records in `tally`. Return the groundedness of all texts, and the judge's name and calibration figures.

    Return None for `risk`. A text on which the model failed counts as not measured.
    """
    counted = tally.counting(records)
    if asked.command == "risk":
        for _ in counted:
            pass
        return None
    judge = world.judge.name
    known = calibration_of(judge, world.settings.home)
    shape = measure_set({"claims": claims_of(record)} for record in counted).to_dict()
    return {"groundedness": shape, "model": judge, "calibration": known.to_dict() if known else None}


def _all_at_once(
    output: Output, world: World, asked: JudgingRequest, texts: Sequence[Said], state: Mapping[str, bool]
) -> None:
    """Judge all texts, and show their reports in one document.

    A text that failed has an `error`, alone or beside its report.
    """
    world.expect(len(texts))
    if isinstance(texts, Texts) and texts.empty:
        note(f"{texts.empty} records of the file contain no text")
    pool, model = pool_for(asked.model(world))
    reports: dict[str, Report] = {}

    def check(text: str) -> dict[str, Any]:
        reports[text] = asked.judged(world, model, text, inner)
        return reports[text].to_dict()

    account, patience = Account(), min(PATIENCE, len(texts))
    with _watching(texts) as (outer, inner), closing(judged(pool, check, texts, account, outer, patience)) as results:
        told = [{**({} if said.id is None else {"id": said.id}), **record, **state} for said, record in results]
    unusable = sum("error" not in record and not judgeable(record) for record in told)
    shown = [reports[record["text"]] for record in told if record["text"] in reports]

    def say(console: Console) -> None:
        for report in shown:
            asked.print(console, world, report)
        if len(told) > 1:
            console.rule("[bold]Summary[/bold]", align="left")
            tally = Tally(asked.fail_on)
            grounded = _found(world, asked, tally, told)
            render_judgement.run_results(console, tally, grounded and {**grounded, "usage": account.usage})

    output.show(told, say)
    unread = bool(told) and all(map(wholly_unread, told))
    met = failing(asked.fail_on, sum(fails(record, asked.fail_on) for record in told), len(told), "text")
    end(account.usage, account.failed, unusable, unread=unread, met=met)


@contextmanager
def _watching(texts: Sequence[Said]) -> Iterator[tuple[Progress, Progress]]:
    """Yield two progress displays: one for texts, and one for the steps within a text. Only one of them is visible."""
    with watch() as progress:
        yield (Silent(), progress) if len(texts) == 1 else (progress, Silent())


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
        render_judgement.run_summary(console, many.summary, f"{many.item}s")
        render_judgement.run_results(console, tally)
        if out is not None:
            render_judgement.run_places(console, many.summary)

    output.show({**many.summary, **state} if out else told, say)
    return tally
