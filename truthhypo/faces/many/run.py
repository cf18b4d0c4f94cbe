"""Run a judgement over many texts or pairs, show the progress, and keep the finished judgements."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from groundwork.errors import InputError
from groundwork.ports import Progress
from groundwork.records import Record
from truthhypo import provenance
from truthhypo.arguments import receiver
from truthhypo.asynchronous import was_cancelled
from truthhypo.faces.batch import Batch, Command, inputs_of
from truthhypo.faces.judgement_tables import records_of, table_for
from truthhypo.faces.many.many_report import ManyReport
from truthhypo.faces.many.sources import Source, read_citing, read_pairs, read_source
from truthhypo.faces.progress import watched
from truthhypo.hypotheses.tasks import task_of
from truthhypo.lookups import meanings, resolve
from truthhypo.worker_pool import WorkerPool, pool_for

if TYPE_CHECKING:
    from truthhypo.world import World


def judge_many(
    world: World,
    command: Command,
    items: Any,
    column: Hashable | None,
    progress: bool | Progress,
    out: str | Path | None,
    options: dict[str, Any],
) -> ManyReport:
    """Do the work of `World.ground_many`, and of its like for the other commands. They document the arguments."""
    if not isinstance(progress, bool):
        receiver(progress)
    table = None if out is None else table_for(Path(out), command)
    source = _source(world, command, items, column, options)
    inputs = inputs_of(world, command, options)
    path = records_of(Path(out)) if out else _records_file(world, [source.texts, inputs])
    world.expect(len(source.texts))
    pool, shared = (WorkerPool(), world) if command == "risk" else pool_for(world)
    with watched(progress) as seen:
        try:
            summary = Batch(path, table=table, **inputs).run(
                source.texts, _check(shared, command, source, options), pool, seen
            )
        except BaseException as stopped:
            stopped.add_note(f"The finished texts are kept in {path}; the same call continues the run.")
            raise
    if out:
        return ManyReport(command, summary, source.unfit, source.labels, path)
    lines = tuple(path.read_bytes().splitlines(keepends=True))
    refused = sum(said.text in source.refused for said in source.texts)
    if summary["failed"] == refused and not summary["left"] and not was_cancelled():
        path.unlink()
        Path(f"{path}.lock").unlink(missing_ok=True)
    return ManyReport(command, {**summary, "out": None, "records": None}, source.unfit, source.labels, lines)


def _source(world: World, command: Command, items: Any, column: Hashable | None, options: dict[str, Any]) -> Source:
    if command == "cite":
        return read_citing(items, column)
    if command != "hypothesize":
        return read_source(items, column)
    graph = world.graph_store
    meant = meanings(graph, options["concepts"])
    return read_pairs(
        items, lambda head, tail: task_of(*(meant.get(end) or resolve(graph, end) for end in (head, tail)))
    )


def _check(world: World, command: Command, source: Source, options: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    """Return the function that judges one text and returns its record."""
    judge: Callable[..., Record] = getattr(world, command)
    if command in {"ground", "risk"}:
        return lambda text: judge(text, **options).to_dict()
    return lambda text: source.refused.get(text) or {"text": text} | judge(*source.calls[text], **options).to_dict()


def _records_file(world: World, run: object) -> Path:
    """Return the file in which a run without `out` keeps its records: one file per run, under HOME if possible."""
    for folder in (world.settings.home / "cache" / "runs", Path(gettempdir()) / "truthhypo-runs"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder / f"{provenance.digest(run)}.jsonl"
    raise InputError(
        "neither HOME nor the folder for temporary files can be written", "a writable folder", "give the argument `out`"
    )
