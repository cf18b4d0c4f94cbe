"""The report of runs, grids and studies: everything that its page, its JSON and its CSV show, worked out once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from groundwork.reading.weights import shipped
from groundwork.records import Record
from groundwork.statistics.significance import SignificanceTest, preferred
from truthhypo.bench.grid.report import FILE as GRID
from truthhypo.bench.published import AVERAGE, PrintedNumber, Size, published, sizes
from truthhypo.bench.report import places
from truthhypo.bench.report.answers import answers
from truthhypo.bench.report.calibration import Diagram, diagrams
from truthhypo.bench.report.grids import SAID, GridSection, gridded
from truthhypo.bench.report.groups import Group, groups
from truthhypo.bench.report.instances import InstanceAnswers, looked
from truthhypo.bench.report.pairs import Comparison, comparisons
from truthhypo.bench.report.runs import ReportedRun, load, names
from truthhypo.bench.report.studies import StudySection, studied
from truthhypo.bench.report.tables import Figure, as_table_1, figures
from truthhypo.bench.report.warnings import warnings
from truthhypo.bench.study.folder import KEY as STUDY
from truthhypo.hypotheses.tasks import NO_RELATION


@dataclass(frozen=True, slots=True)
class RunSummary(Record):
    """What was run.

    Attributes:
        name: The report's name of the run.
        folder: Its folder, as it was given; of an absolute path the last name.
        manifest: What was asked, as in its manifest.json, without places of the machine.
        spent: Calls, tokens, cost and time by model, as in its measures.json.
        missing: Answers not asked for yet, and answers in all.
        as_published: Its datasets with the counts of Table 1, beside which printed scores may stand.
    """

    name: str
    folder: str
    manifest: Mapping[str, Any]
    spent: tuple[Mapping[str, Any], ...]
    missing: Mapping[str, int]
    as_published: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report(Record):
    """A report.

    Attributes:
        made: When, UTC.
        version: Of the program.
        runs: What was run.
        grids: Grids of risks.
        studies: Open-ended studies.
        warnings: What to know before believing it.
        catalogue: The measures: name, range, direction, meaning.
        figures: All measures of all cells.
        comparisons: Paired tests.
        groups: Accuracy by groundedness.
        calibration: Reliability diagrams of all that was said as a probability, and of groundedness.
        judges: Judge -> its figures on labelled pairs.
        reader: Figures of the reader of relations by cross-validation on labelled documents: F1 of pairs and of typed
            relations, and what its thresholds decide.
        instances: Instances looked into.
        instances_in_all: How many there are.
        published: What paper A printed.
        said_of_tau: What paper B says of its thresholds; it prints no curve.
        sizes: Table 1's counts by task.
        floors: Dataset -> task -> link F1 of always answering "related", in [0, 1]; for `average` its link accuracy.
        table_4: Judge -> the paper's test and the sound one, from Table 4's shares.
    """

    made: str
    version: str
    runs: tuple[RunSummary, ...]
    grids: tuple[GridSection, ...]
    studies: tuple[StudySection, ...]
    warnings: tuple[str, ...]
    catalogue: tuple[Mapping[str, Any], ...]
    figures: tuple[Figure, ...]
    comparisons: tuple[Comparison, ...]
    groups: tuple[Group, ...]
    calibration: tuple[Diagram, ...]
    judges: Mapping[str, Mapping[str, Any] | None]
    reader: Mapping[str, Any]
    instances: tuple[InstanceAnswers, ...]
    instances_in_all: int
    published: tuple[PrintedNumber, ...]
    said_of_tau: tuple[PrintedNumber, ...]
    sizes: Mapping[str, Size]
    floors: Mapping[str, Mapping[str, float]]
    table_4: Mapping[str, tuple[SignificanceTest, SignificanceTest]]


def report(
    folders: Sequence[Path], instances: int = 50, paths: Mapping[str, str] | None = None, note: str = ""
) -> Report:
    """Work out the report of runs, grids and studies.

    Args:
        folders: Of scored runs, of bench grid and of scored studies; what lies in a folder says which it is.
        instances: How many instances to look into, >= 0.
        paths: Where a dataset lies now, by name, if it was moved.
        note: What its maker says before all warnings; empty: nothing.

    Raises:
        InputError: A folder that is none of them, a study that is not scored, or a run that is not with all its
            records; a gold that was changed since.
    """
    named, printed = names(folders), published()
    grids = tuple(gridded(name, folder) for name, folder in named.items() if (folder / GRID).exists())
    studies = tuple(studied(name, folder) for name, folder in named.items() if (folder / STUDY).exists())
    apart = {grid.name for grid in grids} | {study.name for study in studies}
    runs = load({name: folder for name, folder in named.items() if name not in apart}, paths)
    rows, cells = figures(runs, printed), answers(runs)
    chosen, in_all = looked(runs, instances)
    judges = {judge: known for run in runs for judge, known in run.measures["judges"].items()}
    return Report(
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("truthhypo"),
        runs=tuple(_ran(run, printed) for run in runs),
        grids=grids,
        studies=studies,
        warnings=(*([note] if note else ()), *warnings(runs, rows, judges, grids, printed)),
        catalogue=tuple({one["name"]: one for run in runs for one in run.measures["catalogue"]}.values()),
        figures=rows,
        comparisons=comparisons(cells),
        groups=groups(cells),
        calibration=diagrams(cells, judges, grids),
        judges=judges,
        reader=_of_the_reader(),
        instances=chosen,
        instances_in_all=in_all,
        published=tuple(printed.values()),
        said_of_tau=SAID,
        sizes=sizes(printed.values()),
        floors={
            run.titles[name]: _floors(held["tasks"]) for run in runs for name, held in run.manifest.datasets.items()
        },
        table_4=_table_4(printed),
    )


def _of_the_reader() -> dict[str, Any]:
    """What the card of the shipped weights says of them."""
    card = shipped().card
    return {"data": card["data"], "documents": card["documents"], **card["cross_validation"]}


def _ran(run: ReportedRun, printed: Mapping[tuple[str, str, str], PrintedNumber]) -> RunSummary:
    alike = tuple(title for name, title in run.titles.items() if as_table_1(run, name, printed))
    return RunSummary(
        name=run.name,
        folder=places.told(str(run.folder)),
        manifest=places.told(run.manifest.to_dict()),
        spent=tuple(run.measures["spent"]),
        missing=run.measures["missing"],
        as_published=alike,
    )


def _floors(tasks: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    found = {
        task: Size(sum(labels.values()) - labels.get(NO_RELATION, 0), labels.get(NO_RELATION, 0))
        for task, labels in tasks.items()
    }
    related, total = sum(size.related for size in found.values()), sum(size.total for size in found.values())
    return {**{task: size.floor for task, size in found.items()}, AVERAGE: related / total}


def _table_4(
    printed: Mapping[tuple[str, str, str], PrintedNumber],
) -> dict[str, tuple[SignificanceTest, SignificanceTest]]:
    pairs = int(printed["Table 4", "pairs", "pairs"].value)
    return {
        judge: preferred(round(printed["Table 4", "highly-grounded", judge].value / 100 * pairs), pairs)
        for judge in ("GPT-4o", "human")
    }
