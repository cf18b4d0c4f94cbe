"""Compute the content of a report on runs and grids, once for its HTML page, JSON and CSV."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from groundwork.reading.encoder import shipped
from groundwork.records import Record
from groundwork.statistics import SignificanceTest, preferred
from truthhypo.bench.grid import GRID_FILE, GridReport, Point, read_grid
from truthhypo.bench.measures import AVERAGE, named
from truthhypo.bench.pictures import EXPECTED_TAU
from truthhypo.bench.report_figures import Figure, PrintedNumber, Published, Size, as_table_1, figures, published, sizes
from truthhypo.bench.reported_runs import (
    Comparison,
    GroundedGroup,
    InstanceAnswers,
    ReportedRun,
    answers,
    comparisons,
    groups,
    hardest,
    names,
    read_runs,
)
from truthhypo.hypotheses import leaks
from truthhypo.hypotheses.options import NO_RELATION

#: An absolute path, alone or after a kind of store (`embedded:/data/graph`).
_PLACE = re.compile(r"((?:embedded:)?)(?:/|[A-Za-z]:[\\/])(?:.*[\\/])?([^\\/]+)[\\/]?")
_B = "paper B, Section"
#: What paper B says about its thresholds. The paper prints no F1 and no curve for comparison.
SAID = (
    PrintedNumber("tau", "searched", "lowest", 0.1, f"{_B} 2"),
    PrintedNumber("tau", "searched", "highest", 0.9, f"{_B} 2"),
    PrintedNumber("tau", "expected best", "lowest", EXPECTED_TAU[0], f"{_B} 2"),
    PrintedNumber("tau", "expected best", "highest", EXPECTED_TAU[1], f"{_B} 2"),
    PrintedNumber("tau_min", "chosen", "value", 0.2, f"{_B} 6.7"),
    PrintedNumber("alpha", "chosen", "value", 0.9, f"{_B} 3"),
    PrintedNumber("alpha", "F1 peaks", "lowest", 0.85, f"{_B} 3"),
    PrintedNumber("alpha", "F1 peaks", "highest", 0.9, f"{_B} 3"),
    PrintedNumber("hops", "most", "value", 4, f"{_B} 6.7"),
)
#: A place (for instance the name of a run), the plural noun for places of this kind, and the warning about the place.
Warned = tuple[str, str, str]
#: There is a warning about a setting that uses chains (or abstracts) if more than this share of its instances has none.
EMPTY = 0.5
#: There is a warning if a task has fewer instances than this, because the interval of a share is then about 20
#: percentage points wide.
SMALL = 100
#: There is a warning if a judge could judge only a smaller share of the answers than this.
COVERED = 0.9


def shortened(value: Any) -> Any:
    """Shorten every absolute path in plain values to its last name: `/data/one` becomes `.../one`.

    Args:
        value: Values of a manifest, in dicts and lists. Keys are not changed.
    """
    if isinstance(value, str):
        found = _PLACE.fullmatch(value)
        return f"{found[1]}.../{found[2]}" if found else value
    if isinstance(value, dict):
        return {key: shortened(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(held) for held in value]
    return value


@dataclass(frozen=True, slots=True)
class GridSection(Record):
    """The results in a folder that `bench grid` wrote.

    Attributes:
        name: Name of the grid in the report, which is derived from the folder's name.
        folder: Path of the folder as given. An absolute path is shortened to its last name.
        found: The report of the grid.
    """

    name: str
    folder: str
    found: GridReport

    @property
    def shown(self) -> tuple[Point, ...]:
        """The points of the curves: those with the alpha and the aggregate that are nearest to the defaults."""
        terms = self.found.terms
        return tuple(p for p in self.found.points if (p.alpha, p.aggregate) == (terms.alpha, terms.aggregate))


def warnings_of(
    runs: Sequence[ReportedRun],
    figures: Iterable[Figure],
    judges: Mapping[str, Mapping[str, Any] | None],
    grids: Iterable[GridSection] = (),
    published: Published | None = None,
) -> tuple[str, ...]:
    """Return all warnings of runs, grids and measures. Each warning occurs once and names the places that it is about.

    Args:
        runs: The runs.
        figures: Measures of the runs.
        judges: The measures of each judge on labelled pairs, by the name of the judge; None for a judge that was not
            measured.
        grids: Results of `bench grid`, which contain warnings of their own.
        published: The numbers printed in paper A.
    """
    found = [*_of_runs(runs, published or {}), *_of_knowledge(runs)]
    found += [
        (f"judge {judge}", "judges", f"answers {known['constant']} almost always")
        for judge, known in judges.items()
        if known and known["constant"]
    ]
    found += _of_cells(figures)
    found += [(grid.name, "grids", each) for grid in grids for each in grid.found.warnings]
    places: dict[tuple[str, str], list[str]] = {}
    for place, of, what in found:
        places.setdefault((of, what), []).append(place)
    return tuple(f"{named(where, of)}: {what}" for (of, what), where in places.items())


def _of_runs(runs: Iterable[ReportedRun], published: Published) -> Iterator[Warned]:
    for run in runs:
        yield from ((run.name, "runs", each) for each in run.measures["warnings"])
        for name, held in run.manifest.datasets.items():
            if held["mode"] is None and as_table_1(run, name, published):
                yield run.titles[name], "sets", _of_published(held)


def _of_published(held: Mapping[str, Any]) -> str:
    """Return the warning on how well trivial features predict the three labels of the published set."""
    ours = leaks.trivial_accuracy(held)
    mine = "not known, because it was not tested" if ours is None else f"{ours:.3f}"
    return (
        "the labels of the published set can be predicted from order, species and names: relation accuracy from "
        f"trivial features alone is {mine} here (with folds by the first concept) and was "
        f"{leaks.ELSEWHERE:.3f} in earlier notes (with ungrouped folds)"
    )


def _of_knowledge(runs: Iterable[ReportedRun]) -> Iterator[Warned]:
    """Yield a warning for each setting in which more than half of the instances had no chain, or no abstract."""
    for run in runs:
        asked: dict[tuple[str, str], set[str]] = {}
        empty: dict[tuple[str, str, str], set[str]] = {}
        for entry in run.gathered.entries:
            known, place = entry.knowledge, (run.titles[entry.dataset], entry.setting)
            if known is None or entry.sample:
                continue
            asked.setdefault(place, set()).add(entry.instance)
            for kind, lost in (("chain", known.chains == 0), ("abstract", known.pmids is not None and not known.pmids)):
                if lost:
                    empty.setdefault((*place, kind), set()).add(entry.instance)
        for (dataset, setting, kind), lacking in empty.items():
            of = len(asked[dataset, setting])
            if len(lacking) > EMPTY * of:
                where = f"{run.name}, {dataset}, {setting}"
                yield where, "settings", f"no {kind} was found for {len(lacking)} of {of} instances"


def _of_cells(figures: Iterable[Figure]) -> Iterator[Warned]:
    small: dict[str, set[int]] = {}
    covered: dict[str, dict[str, float]] = {}  # the smallest share judged, by judge and cell
    for one in figures:
        cell = one.cell
        if one.task != AVERAGE:
            small.setdefault(f"{cell.dataset}, {one.task}", set()).add(one.asked)
        elif one.judged_by is not None and one.coverage is not None and one.coverage < COVERED:
            who, of = f"{cell.run}, {cell.dataset}, {cell.model}, {cell.setting}", covered.setdefault(one.judged_by, {})
            of[who] = min(one.coverage, of.get(who, 1.0))
    for judge, shares in covered.items():
        told = " to ".join(dict.fromkeys(f"{share:.0%}" for share in (min(shares.values()), max(shares.values()))))
        for who in shares:
            yield who, "cells", f"only {told} of the answers could be judged by {judge}"
    for where, asked in small.items():
        if min(asked) < SMALL:
            yield where, "tasks", f"{min(asked)} instances are too few to separate models; look at the intervals"


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
    groups: tuple[GroundedGroup, ...]
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
    grids = tuple(
        GridSection(name, shortened(str(folder)), read_grid(folder))
        for name, folder in named.items()
        if (folder / GRID_FILE).exists()
    )
    apart = {grid.name for grid in grids}
    runs = read_runs({name: folder for name, folder in named.items() if name not in apart}, paths)
    rows, cells = figures(runs, printed), answers(runs)
    chosen, in_all = hardest(runs, instances)
    judges = {judge: known for run in runs for judge, known in run.measures["judges"].items()}
    return Report(
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version("truthhypo"),
        runs=tuple(
            RunSummary(
                run.name,
                shortened(str(run.folder)),
                shortened(run.manifest.to_dict()),
                tuple(run.measures["spent"]),
                run.measures["missing"],
                tuple(title for name, title in run.titles.items() if as_table_1(run, name, printed)),
            )
            for run in runs
        ),
        grids=grids,
        warnings=(*([note] if note else ()), *warnings_of(runs, rows, judges, grids, printed)),
        catalogue=tuple({one["name"]: one for run in runs for one in run.measures["catalogue"]}.values()),
        figures=rows,
        comparisons=comparisons(cells),
        groups=groups(cells),
        judges=judges,
        reader=dict(shipped().card["set_aside"]),
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
