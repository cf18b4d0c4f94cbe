"""Judge the texts of a file and write the results to stdout or to --out."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from rich.console import Console

from groundwork.ports import Progress, Silent
from knowhd.calibration import calibration_of
from knowhd.groundedness import measure_set
from truthhypo.faces import render_many
from truthhypo.faces.batch import Account, Batch, inputs_of, judged
from truthhypo.faces.cli.judging_request import JudgingRequest, Report, end, failing, literature_read, names
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.judgement_tables import Table, records_of
from truthhypo.faces.judging_outcome import claims_of, fails, judgeable, wholly_unread
from truthhypo.faces.progress import watch
from truthhypo.faces.render_many import Tally
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
        state: Entries about unfinished loads, which are added to the JSON answer; see `output.loading`.

    Raises:
        typer.Exit: In the cases that `judging.end` lists.
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
    tally = Tally(asked.fail_on)
    with batch.out.open("rb") as lines:
        grounded = _found(world, asked, tally, map(json.loads, lines))

    def say(console: Console) -> None:
        render_many.summary(console, summary)
        render_many.results(console, tally, grounded and {**summary, **grounded})
        render_many.places(console, summary)

    output.show({**summary, **(grounded or {}), **state}, say)
    everything = 0 < summary["unread"] == summary["written"] + summary["kept"]
    met = failing(asked.fail_on, tally.failing, tally.texts, "text")
    end(summary["usage"] or {}, summary["failed"], summary["unusable"], unread=everything, met=met)


def _record(world: World, asked: JudgingRequest, text: str, progress: Progress) -> dict[str, Any]:
    """Judge one text. If a store that the judgement read has an unfinished load now, the record has `loading`."""
    shape = asked.judged(world, text, progress).to_dict()
    loads = unfinished_loads(world.graph_store, *literature_read(world, asked))
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

    def say(console: Console) -> None:
        for report in shown:
            asked.show(console, report, names(world, report))
        if len(told) > 1:
            console.rule("[bold]Summary[/bold]", align="left")
            tally = Tally(asked.fail_on)
            grounded = _found(world, asked, tally, told)
            render_many.results(console, tally, grounded and {**grounded, "usage": account.usage})

    output.show(told, say)
    unread = bool(told) and all(map(wholly_unread, told))
    met = failing(asked.fail_on, sum(fails(record, asked.fail_on) for record in told), len(told), "text")
    end(account.usage, account.failed, unusable, unread=unread, met=met)


@contextmanager
def _watching(texts: Sequence[Said]) -> Iterator[tuple[Progress, Progress]]:
    """Yield two progress displays: one for texts, and one for the steps within a text. Only one of them is visible."""
    with watch() as progress:
        yield (Silent(), progress) if len(texts) == 1 else (progress, Silent())


def _pool(world: World, asked: JudgingRequest) -> tuple[WorkerPool, World]:
    return pool_for(world) if asked.asking else (WorkerPool(), world)
