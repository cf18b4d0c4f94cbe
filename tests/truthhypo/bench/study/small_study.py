"""A study of a few pairs that come from no run, and sheets that are filled and saved as by a spreadsheet program."""

import csv
import io

from tests.truthhypo.bench.reported_runs import MODEL
from truthhypo.bench.study.folder import ShownPair, Study
from truthhypo.bench.study.hypothesis_pairs import Hypothesis, Pair, StudySource

WHOLE = StudySource(dataset="small", model=MODEL, setting="kg+lit", judge="rules")


def sheet(folder, name):
    return list(csv.DictReader(io.StringIO((folder / "sheets" / f"{name}.csv").read_text("utf-8-sig"), newline="")))


def fill(folder, name, choose, between=","):
    """Fill a sheet as a spreadsheet would save it; `choose` gets a row."""
    rows = sheet(folder, name)
    held = io.StringIO()
    writer = csv.DictWriter(held, rows[0], delimiter=between)
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "choice": choose(row)})
    (folder / "sheets" / f"{name}.csv").write_text(held.getvalue(), "utf-8")


def small(n, same=False):
    """A study of n pairs, none of them from a run."""
    shown = tuple(
        ShownPair(
            f"p{place}",
            {"annotator-1": "high" if place % 2 else "low"},
            Pair(
                str(place),
                f"Which of the two, {place}?",
                "a",
                Hypothesis(0, "a", "It is so.", 0.9),
                Hypothesis(1, "a" if same else "b", "It is not.", 0.4),
            ),
        )
        for place in range(n)
    )
    return Study("run", WHOLE, n, n, 0, 0, ("annotator-1",), shown)
