"""Grids of risks in a report: the curve over tau, and their names beside runs."""

import json

import numpy as np
import pytest

from fuzzygraph.risk_report import Terms
from groundwork.errors import InputError
from tests.truthhypo.bench.reported_runs import run_of, set_of
from tests.truthhypo.bench.test_report import Page
from truthhypo.bench.grid import separation
from truthhypo.bench.grid.grid_report import GridReport, read, write
from truthhypo.bench.report.contents import report
from truthhypo.bench.report.files import save
from truthhypo.bench.report.page import page
from truthhypo.bench.report.reported_runs import names
from truthhypo.faces.cli.entry import run as command


def grid_of(folder, n=60):
    """A grid of two taus and two hops with random risks. False statements have higher risks."""
    draws = np.random.default_rng(0)
    gold = ["false" if place % 3 == 0 else "true" for place in range(n)]
    points = [
        (Terms(tau_min=tau, hops=hops, paths=0), [float(0.3 * (g == "false") + 0.6 * draws.random()) for g in gold])
        for tau in (0.2, 0.5)
        for hops in (1, 3)
    ]
    found = GridReport(
        dataset="drawn <b>",
        labels={"true": 40, "false": 20},
        reached={"no_triple": 0, "unlinked": 0, "no_evidence": 0, "measured": n},
        points=tuple(separation.point(each, gold, risks) for each, risks in points),
        crossed=separation.crossed(gold, points),
        terms=points[1][0],
        warnings=("drawn by lot",),
    )
    write(found, folder)
    return found


def test_a_grid_comes_back_as_it_was_written(tmp_path):
    found = grid_of(tmp_path / "grid")

    assert read(tmp_path / "grid") == found
    pointless = json.dumps({**found.to_dict(), "points": []})
    for text in ("{}", "[", '{"points": []}', pointless):
        (tmp_path / "grid" / "grid.json").write_text(text, "utf-8")
        with pytest.raises(InputError, match=r"grid\.json cannot be read"):
            read(tmp_path / "grid")


def test_runs_and_grids_stand_on_one_page_with_all_their_numbers(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    run = run_of(tmp_path / "run", place, instances)
    grid = grid_of(tmp_path / "grid")

    found = report([run, tmp_path / "grid"], instances=1)

    told = Page(page(found))
    assert (told.bad, told.open) == ([], [])
    assert ([one.name for one in found.runs], [one.name for one in found.grids]) == (["run"], ["grid"])
    for point in grid.points:
        assert {point.auroc, point.f1_all, point.coverage, point.ece} <= told.numbers
    pictures = [attrs for tag, attrs in told.elements if tag == "svg" and "aria-hidden" not in attrs]
    ids = {attrs["id"] for _, attrs in told.elements if "id" in attrs}
    assert len(pictures) >= 4
    assert all({one["aria-labelledby"], one["aria-describedby"]} <= ids for one in pictures)
    text = "".join(told.text)
    assert "It prints no F1 and no curve" in text
    assert "grid: drawn by lot" in found.warnings

    save(found, tmp_path / "r.html")
    shape = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert {row["source"] for row in shape["said_of_tau"]} == {f"paper B, Section {n}" for n in ("2", "3", "6.7")}


def test_a_grid_alone_is_a_report_by_command(tmp_path, capfd):
    grid_of(tmp_path / "grid")
    out = tmp_path / "page.html"

    code = command(["--json", "bench", "report", str(tmp_path / "grid"), "--out", str(out)])

    told = json.loads(capfd.readouterr().out)
    assert (code, told["runs"], told["grids"], told["figures"]) == (0, [], ["grid"], 0)
    read_again = Page(out.read_text("utf-8"))
    assert (read_again.bad, read_again.open) == ([], [])
    links = {attrs["href"][1:] for tag, attrs in read_again.elements if tag == "a"}
    assert links == {"tau"}


def test_folders_with_equal_names_get_different_names(tmp_path):
    places = [tmp_path / "a" / "x" / "run", tmp_path / "b" / "x" / "run", tmp_path / "b" / "y" / "run"]

    found = names(places)

    assert list(found.values()) == places
    assert list(found) == [str(places[0]), str(places[1]), "y/run"]
