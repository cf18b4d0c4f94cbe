"""Make the warnings of a report: caveats that a reader must know, one line each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from truthhypo.bench import giveaways
from truthhypo.bench.published import AVERAGE
from truthhypo.bench.report.grids import GridSection
from truthhypo.bench.report.reported_runs import ReportedRun
from truthhypo.bench.report.tables import Figure, Published, as_table_1
from truthhypo.bench.several import named

#: A place (for instance the name of a run), the plural noun for places of this kind, and the warning about the place.
Warned = tuple[str, str, str]

#: There is a warning about a setting that uses chains (or abstracts) if more than this share of its instances has none.
EMPTY = 0.5
#: There is a warning if a task has fewer instances than this, because the interval of a share is then about 20
#: percentage points wide.
SMALL = 100
#: There is a warning if a judge could judge only a smaller share of the answers than this.
COVERED = 0.9


def warnings(
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
    found = [*_of_runs(runs, published or {}), *_of_knowledge(runs), *_of_judges(judges), *_of_cells(figures)]
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
    """Return the warning on how well trivial features predict the three labels of the published set.

    The warning names the accuracy measured with this set, and the accuracy in earlier measurements
    (`giveaways.ELSEWHERE`).
    """
    ours = giveaways.relation_accuracy(held)
    mine = "not known, because it was not tested" if ours is None else f"{ours:.3f}"
    return (
        "the labels of the published set can be predicted from order, species and names: relation accuracy from "
        f"trivial features alone is {mine} here (with folds by the first concept) and was "
        f"{giveaways.ELSEWHERE:.3f} in earlier notes (with ungrouped folds)"
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


def _of_judges(judges: Mapping[str, Mapping[str, Any] | None]) -> Iterator[Warned]:
    for judge, known in judges.items():
        if known is not None and known["constant"] is not None:
            yield f"judge {judge}", "judges", f"answers {known['constant']} almost always"


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
