"""Compute measures.json from a run's records and gold labels, without model calls.

The docstring of the module `measures` describes the format.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from groundwork.llm.usage import total
from knowhd.calibration import calibration_of
from knowhd.judge import SOURCES
from knowhd.rules_judge import RuleJudge
from truthhypo.bench.entries import Entry
from truthhypo.bench.measures import CATALOGUE, FORMAT, grounded, measured
from truthhypo.bench.outcomes import Group, Outcome, ScorableRun, gather
from truthhypo.bench.prepared import empty_stores, expected, leaking
from truthhypo.bench.published import AVERAGE
from truthhypo.bench.runs import Run
from truthhypo.bench.several import named
from truthhypo.json_files import write_json

#: Share of failed answers above which there is a warning.
FAILED = 0.05


def rescore(run: Run, home: Path | None = None, paths: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Compute the measures of a run, and write measures.json.

    Args:
        run: The run. If it is unfinished, the existing records are measured and a warning is added.
        home: HOME, which may contain calibrations of judges that the user measured.
        paths: New paths of datasets that were moved, by the name of the dataset.

    Returns:
        The content of measures.json.

    Raises:
        InputError: There is no readable run, or the gold labels were changed.
    """
    found = gather(run, paths)
    cells = [cell for group in found.groups for cell in _cells(group)]
    wanted = expected(found.manifest)
    judges = sorted({judge for entry in found.entries for judge in entry.groundedness})
    calibrated = {judge: _calibration(judge, home) for judge in judges}
    shape = {
        "format": FORMAT,
        "catalogue": [measure.to_dict() for measure in CATALOGUE],
        "cells": cells,
        "spent": _usage_by_model(found.entries),
        "judges": calibrated,
        "missing": {"records": max(0, wanted - len(found.entries)), "of": wanted},
        "warnings": list(_warnings(found, cells, calibrated, wanted)),
    }
    write_json(run.folder / "measures.json", shape)
    return shape


def _cells(group: Group) -> Iterator[dict[str, Any]]:
    """Yield one cell of measures.json for each task, and one for all tasks together."""
    for task in (*sorted({each.task for each in group.outcomes}), AVERAGE):
        outcomes = [each for each in group.outcomes if task in {each.task, AVERAGE}]
        answered = [each for each in outcomes if each.chosen.answer is not None]
        undecided = sum(each.chosen.undecided for each in outcomes)
        failed = len(outcomes) - len(answered) - undecided
        yield {
            "dataset": group.dataset,
            "task": task,
            "model": group.model,
            "setting": group.setting,
            "select": group.select,
            "judge": group.judge,
            "n": len(outcomes),
            "answered": len(answered),
            "failed": failed,
            "failed_share": round(failed / len(outcomes), 6),
            "undecided": undecided,
            "measures": {
                name: figure.to_dict() for name, figure in measured(outcomes, average=task == AVERAGE).items()
            },
            "groundedness": _grounded(answered),
        }


def _grounded(answered: Sequence[Outcome]) -> dict[str, dict[str, Any]]:
    """Return groundedness by judge and source. An answer without a judgement lowers only the coverage."""
    judges = sorted({judge for each in answered for judge in each.chosen.groundedness})
    found: dict[str, dict[str, Any]] = {}
    for judge in judges:
        held = [each.chosen.groundedness.get(judge) for each in answered]
        found[judge] = {}
        for source in SOURCES:
            figure = grounded([None if each is None else getattr(each, source) for each in held])
            found[judge][source] = {**figure.to_dict(), "coverage": round(figure.n / len(held), 6)}
    return found


def _usage_by_model(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return calls, tokens, cost and time of each model's answers, including the judging of these answers."""
    held: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        held[entry.model].append(entry)
    return [
        {
            "model": model,
            "records": len(mine),
            "answered": sum(each.answer is not None for each in mine),
            "failed": sum(each.failure is not None for each in mine),
            "undecided": sum(each.undecided for each in mine),
            "usage": total(each.usage for each in mine),
            "seconds": round(sum(each.seconds for each in mine), 3),
            "judging_seconds": round(sum(by.seconds for each in mine for by in each.groundedness.values()), 3),
        }
        for model, mine in held.items()
    ]


def _calibration(judge: str, home: Path | None) -> dict[str, Any] | None:
    known = calibration_of(RuleJudge().name if judge == "rules" else judge, home)
    return known.to_dict() if known else None


def _warnings(
    found: ScorableRun, cells: Sequence[Mapping[str, Any]], judges: Mapping[str, Any], wanted: int
) -> Iterator[str]:
    """Yield the caveats that a reader must know before trusting the measures."""
    if len(found.entries) < wanted:
        yield f"{wanted - len(found.entries)} of {wanted} answers are not recorded yet"
    yield from leaking(found.manifest)
    yield from empty_stores(found.manifest)
    yield from found.warnings
    whole = [cell for cell in cells if cell["task"] == AVERAGE]
    failing = [cell for cell in whole if cell["failed_share"] > FAILED]
    undecided = [cell for cell in whole if cell["undecided"]]
    for lacking, name, what in ((failing, "failed", "failed"), (undecided, "undecided", "are undecided")):
        if lacking:
            where = (" / ".join((cell["dataset"], cell["model"], cell["setting"], cell["select"])) for cell in lacking)
            lost, asked = (sum(cell[each] for cell in lacking) for each in (name, "n"))
            yield f"{named(where, 'cells')}: {lost} of {asked} answers {what}, and no measure counts them"
    for judge, figures in judges.items():
        if figures is None:
            yield f"judge {judge}: never measured on labelled pairs (bench calibrate)"
