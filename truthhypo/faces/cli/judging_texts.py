"""Judge the texts of a file and write the results to stdout or to --out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from groundwork.ports import Progress, Silent
from knowhd.calibration.figures import Calibration, calibration_of
from knowhd.sets import measure_set
from truthhypo.faces import render_model
from truthhypo.faces.batch import Account, Batch, inputs_of, judged
from truthhypo.faces.cli.judging import end, literature_read, names
from truthhypo.faces.cli.judging_request import JudgingRequest, Report
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.outcomes import judgeable, wholly_unread
from truthhypo.faces.progress import watch
from truthhypo.faces.render_judgement import of_a_set
from truthhypo.faces.tables import Table, records_of
from truthhypo.faces.texts import Said, Texts
from truthhypo.lookups import unfinished_loads
from truthhypo.worker_pool import PATIENCE, WorkerPool, pool_for
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
        state: Entries of the JSON answer about unfinished loads.

    Raises:
        typer.Exit: In the cases that `end` lists.
    """
    if asked.out is None:
        _all_at_once(output, world, asked, asked.texts(), state)
    else:
        _into_a_file(output, world, asked, table, state)


def _batch(world: World, asked: JudgingRequest, table: Table | None) -> Batch:
    """Return the batch that writes the records."""
    assert asked.out is not None
    return Batch(records_of(asked.out), table=table, **inputs_of(world, asked.command, asked.options))


def _into_a_file(
    output: Output, world: World, asked: JudgingRequest, table: Table | None, state: Mapping[str, bool]
) -> None:
    texts = asked.texts()
    batch = _batch(world, asked, table)
    world.expect(len(texts))
    pool, shared = _pool(world, asked)
    with _watching(texts) as (outer, inner):
        summary = batch.run(texts, lambda text: _record(shared, asked, text, inner), pool, outer)
    if asked.command == "ground":
        judge = world.judge.name
        trust = {"model": judge, "calibration": _plain(calibration_of(judge, world.settings.home))}
        summary |= {"groundedness": _of_the_set(batch.out), **trust}
    output.show({**summary, **state}, lambda console: _say(console, summary))
    everything = 0 < summary["unread"] == summary["written"] + summary["kept"]
    end(summary["usage"] or {}, summary["failed"], summary["unusable"], unread=everything)


def _record(world: World, asked: JudgingRequest, text: str, progress: Progress) -> dict[str, Any]:
    """Judge one text. The record has `loading` if a load of a store that was read is unfinished now."""
    shape = asked.judged(world, text, progress).to_dict()
    loads = unfinished_loads(world.graph_store, *literature_read(world, asked))
    return {**shape, "loading": True} if loads else shape


def _say(console: Console, summary: dict[str, Any]) -> None:
    apart = ("groundedness", "model", "calibration")
    render_model.summary(console, {name: value for name, value in summary.items() if name not in apart})
    if "groundedness" in summary:
        of_a_set(console, summary)


def _plain(known: Calibration | None) -> dict[str, Any] | None:
    return known.to_dict() if known else None


def _of_the_set(records: Path) -> dict[str, Any]:
    """Return the groundedness over all texts with a record. A text on which the model failed counts as not measured."""
    with records.open("rb") as lines:
        return measure_set({"claims": json.loads(line).get("claims", ())} for line in lines).to_dict()


def _all_at_once(
    output: Output, world: World, asked: JudgingRequest, texts: Sequence[Said], state: Mapping[str, bool]
) -> None:
    """Judge all texts, and show their reports in one document. A text that failed has `error` instead of a report."""
    world.expect(len(texts))
    if isinstance(texts, Texts) and texts.empty:
        note(f"{texts.empty} records of the file contain no text")
    pool, shared = _pool(world, asked)
    reports: dict[str, Report] = {}

    def check(text: str) -> dict[str, Any]:
        reports[text] = asked.judged(shared, text, inner)
        return reports[text].to_dict()

    account, patience = Account(), min(PATIENCE, len(texts))
    with _watching(texts) as (outer, inner), closing(judged(pool, check, texts, account, outer, patience)) as results:
        told = [{**({} if said.id is None else {"id": said.id}), **record, **state} for said, record in results]
    unusable = sum("error" not in record and not judgeable(record) for record in told)
    shown = [reports[record["text"]] for record in told if record["text"] in reports]
    output.show(told, lambda console: _show_all(console, asked, world, shown))
    unread = bool(told) and all(map(wholly_unread, told))
    end(account.usage, account.failed, unusable, unread=unread)


@contextmanager
def _watching(texts: Sequence[Said]) -> Iterator[tuple[Progress, Progress]]:
    """Yield two progress displays: one for texts, and one for the steps within a text. Only one of them is visible."""
    with watch() as progress:
        yield (Silent(), progress) if len(texts) == 1 else (progress, Silent())


def _pool(world: World, asked: JudgingRequest) -> tuple[WorkerPool, World]:
    return pool_for(world) if asked.asking else (WorkerPool(), world)


def _show_all(console: Console, asked: JudgingRequest, world: World, reports: list[Report]) -> None:
    for report in reports:
        asked.show(console, report, names(world, report))
