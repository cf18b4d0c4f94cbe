"""Compute the content of a report on runs and grids, once for its HTML page, JSON and CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from groundwork.reading.encoder import shipped
from groundwork.records import Record
from groundwork.statistics import SignificanceTest, preferred
from truthhypo.bench.grid.grid_report import FILE as GRID
from truthhypo.bench.published import AVERAGE, PrintedNumber, Size, published, sizes
from truthhypo.bench.report import places
from truthhypo.bench.report.grids import SAID, GridSection, gridded
from truthhypo.bench.report.groups import Group, groups
from truthhypo.bench.report.instances import InstanceAnswers, looked
from truthhypo.bench.report.paired_tests import Comparison, comparisons
from truthhypo.bench.report.reported_runs import ReportedRun, load, names
from truthhypo.bench.report.selected_answers import answers
from truthhypo.bench.report.tables import Figure, as_table_1, figures
from truthhypo.bench.report.warnings import warnings
from truthhypo.hypotheses.tasks import NO_RELATION


@dataclass(frozen=True, slots=True)
class RunSummary(Record):
    """A run in the report.

    Attributes:
        name: Name of the run in the report.
        folder: Path of the folder as given. An absolute path is shortened to its last name.
        manifest: Content of manifest.json, with shortened paths.
        spent: Calls, tokens, cost and time by model, as in measures.json.
        missing: Number of records that the run lacks (`records`), and number of records of the complete run (`of`).
        as_published: Datasets with the same counts as Table 1 of paper A. Only these are compared with printed scores.
    """

    name: str
    folder: str
    manifest: Mapping[str, Any]
    spent: tuple[Mapping[str, Any], ...]
    missing: Mapping[str, int]
    as_published: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report(Record):
    """The content of a report.

    Attributes:
        made: Time when the report was made, UTC.
        version: Version of the program.
        runs: The runs.
        grids: Grids of risks.
        warnings: Caveats that a reader must know before trusting the report.
        catalogue: The measures: name, range, direction, meaning.
        figures: All measures of all cells.
        comparisons: Paired tests.
        groups: Accuracy by groundedness.
        judges: Measures of each judge on labelled pairs of claim and evidence, by the name of the judge.
        reader: Measures of the relation reader by cross-validation on labelled documents: F1 of pairs and of typed
            relations, and the decisions at its thresholds.
        instances: The instances shown in detail.
        instances_in_all: Number of all instances.
        published: The numbers printed in paper A.
        said_of_tau: What paper B says about its thresholds. The paper prints no curve.
        sizes: Numbers of instances in Table 1 of paper A, by task.
        floors: Link F1 of the constant answer "related", in [0, 1], by dataset and task. For the task `average`, the
            link accuracy of this answer.
        table_4: By judge: the test that paper A used and the correct test, both computed from the shares in Table 4.
    """

    made: str
    version: str
    runs: tuple[RunSummary, ...]
    grids: tuple[GridSection, ...]
    warnings: tuple[str, ...]
    catalogue: tuple[Mapping[str, Any], ...]
    figures: tuple[Figure, ...]
    comparisons: tuple[Comparison, ...]
    groups: tuple[Group, ...]
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
    """Compute the report on runs and grids.

    Args:
        folders: Folders of scored runs and of grids. The files in a folder show its kind.
        instances: Number of instances to show in detail, >= 0.
        paths: New paths of datasets that were moved, by the name of the dataset.
        note: Note to the reader, shown before the warnings; empty for no note.

    Raises:
        InputError: A folder is of no known kind; the measures of a run do not cover all records; or gold labels were
            changed.
    """
    named, printed = names(folders), published()
    grids = tuple(gridded(name, folder) for name, folder in named.items() if (folder / GRID).exists())
    apart = {grid.name for grid in grids}
    runs = load({name: folder for name, folder in named.items() if name not in apart}, paths)
    rows, cells = figures(runs, printed), answers(runs)
    chosen, in_all = looked(runs, instances)
    judges = {judge: known for run in runs for judge, known in run.measures["judges"].items()}
    return Report(
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("truthhypo"),
        runs=tuple(_run_summary(run, printed) for run in runs),
        grids=grids,
        warnings=(*([note] if note else ()), *warnings(runs, rows, judges, grids, printed)),
        catalogue=tuple({one["name"]: one for run in runs for one in run.measures["catalogue"]}.values()),
        figures=rows,
        comparisons=comparisons(cells),
        groups=groups(cells),
        judges=judges,
        reader=_reader_figures(),
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


def _reader_figures() -> dict[str, Any]:
    """Return the figures of the encoder of the judge `rules` on documents that were set aside, from its card."""
    return dict(shipped().card["set_aside"])


def _run_summary(run: ReportedRun, printed: Mapping[tuple[str, str, str], PrintedNumber]) -> RunSummary:
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
