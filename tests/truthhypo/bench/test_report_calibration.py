"""Reliability diagrams and the curve over tau in a report, on cases small enough to count by hand."""

import csv
import json

import numpy as np
import pytest

from fuzzygraph.terms import Terms
from groundwork.errors import InputError
from groundwork.statistics.calibration import reliability
from tests.truthhypo.bench.reported_runs import FLOOR, run_of, set_of
from tests.truthhypo.bench.test_report import Page
from tests.truthhypo.bench.test_report_parts import ONE, answers
from truthhypo.bench.grid import measures
from truthhypo.bench.grid.report import GridReport, read, write
from truthhypo.bench.report.answers import Answer
from truthhypo.bench.report.calibration import diagrams
from truthhypo.bench.report.contents import report
from truthhypo.bench.report.files import save
from truthhypo.bench.report.page import page
from truthhypo.bench.report.runs import names
from truthhypo.faces.cli.entry import run as command


def grid_of(folder, n=60):
    """A grid of two taus and hops, whose risks are drawn: false statements have the higher ones."""
    draws = np.random.default_rng(0)
    gold = ["false" if place % 3 == 0 else "true" for place in range(n)]
    points = [
        (Terms(tau_min=tau, hops=hops, paths=0), [float(0.3 * (g == "false") + 0.6 * draws.random()) for g in gold])
        for tau in (0.2, 0.5)
        for hops in (1, 3)
    ]
    terms, chosen = points[1]
    false, hrs, there = measures.arrays(gold, chosen)
    found = GridReport(
        dataset="drawn <b>",
        labels={"true": 40, "false": 20},
        reached={"no_triple": 0, "unlinked": 0, "no_evidence": 0, "measured": n},
        points=tuple(measures.point(each, gold, risks) for each, risks in points),
        crossed=measures.crossed(gold, points),
        terms=terms,
        reliability=reliability(hrs[there].tolist(), false[there].tolist()),
        calibration=None,
        warnings=("drawn by lot",),
    )
    write(found, folder)
    return found


def test_groundedness_is_held_against_being_right():
    said = [("inhibit", "inhibit", 1.0)] * 6 + [("inhibit", "stimulate", 1.0)] * 2 + [("inhibit", "stimulate", 0.5)]
    lost = [("inhibit", None, None), ("inhibit", "inhibit", None)]

    found = {(one.kind, one.task): one for one in diagrams({ONE: answers(said + lost)}, {})}

    whole = found["groundedness", "average"]
    assert [(one.low, one.n, one.sure, one.right) for one in whole.bins] == [(0.5, 1, 0.5, 0.0), (0.9, 8, 1.0, 0.75)]
    assert whole.bins[1].right_low < 0.75 < whole.bins[1].right_high
    assert (whole.n, whole.ece) == (9, pytest.approx((1 * 0.5 + 8 * 0.25) / 9, abs=1e-6))
    assert found["groundedness", "Gene & Gene"].bins == whole.bins
    # An answerer that gives no probabilities is named, without a figure.
    assert (found["answer", "average"].n, found["answer", "average"].ece) == (0, None)


def test_an_answerers_own_probability_is_held_against_being_right():
    told = tuple(Answer(str(n), "t", "a", "a" if n else "b", {}, 0.8) for n in range(5))

    (whole, task) = diagrams({ONE: told}, {})

    assert (whole.kind, whole.n, whole.ece, task.task) == ("answer", 5, 0.0, "t")
    assert whole.ece_by_chance > 0.15  # of five at 0.8, three or five right is no rarity


def test_perfect_probabilities_pass_what_chance_allows_in_one_of_twenty():
    draws = np.random.default_rng(1)
    passed = 0
    for _ in range(400):
        said = draws.choice([0.25, 0.65, 0.95], 50)
        told = tuple(Answer(str(n), "t", "a", "a" if draws.random() < p else "b", {}, p) for n, p in enumerate(said))
        one = diagrams({ONE: told}, {})[0]
        passed += one.ece > one.ece_by_chance
    assert 4 <= passed <= 36


def test_a_judges_figures_are_shown_with_their_bins_on_every_set():
    one = {"low": 0.6, "high": 0.7, "n": 10, "sure": 0.65, "right": 0.5, "right_low": 0.2, "right_high": 0.8}
    known = {"dataset": "set", "bins": [one], "beside": [{"dataset": "older"}]}

    found = diagrams({}, {"rules": known, "new": None})

    assert [(each.who, each.on, each.n, each.ece) for each in found] == [
        ("rules", "set", 10, 0.15),
        ("rules", "older", 0, None),
    ]


def test_a_grid_comes_back_as_it_was_written(tmp_path):
    found = grid_of(tmp_path / "grid")

    assert read(tmp_path / "grid") == found
    for text in ("{}", "[", '{"points": []}'):
        (tmp_path / "grid" / "grid.json").write_text(text, "utf-8")
        with pytest.raises(InputError, match="cannot be read as a grid"):
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
    for one in found.calibration:
        for each in one.bins:
            assert {one.ece, one.ece_by_chance, each.sure, each.right, each.right_low, each.n} <= told.numbers
    assert {one.kind for one in found.calibration if one.n} == {"groundedness", "verdict", "risk"}
    pictures = [attrs for tag, attrs in told.elements if tag == "svg" and "aria-hidden" not in attrs]
    ids = {attrs["id"] for _, attrs in told.elements if "id" in attrs}
    assert len(pictures) >= 5
    assert all({one["aria-labelledby"], one["aria-describedby"]} <= ids for one in pictures)
    text = "".join(told.text)
    assert "No answerer of these runs gives a probability" in text
    assert "It prints no F1 and no curve" in text
    assert "grid: drawn by lot" in found.warnings

    save(found, tmp_path / "r.html")
    points = list(csv.DictReader((tmp_path / "r.tau.csv").read_text("utf-8").splitlines()))
    bins = list(csv.DictReader((tmp_path / "r.calibration.csv").read_text("utf-8").splitlines()))
    shape = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [float(row["auroc"]) for row in points] == [one["auroc"] for one in shape["grids"][0]["found"]["points"]]
    assert len(bins) == sum(len(one["bins"]) for one in shape["calibration"])
    assert {row["source"] for row in shape["said_of_tau"]} == {f"paper B, Section {n}" for n in ("2", "3", "6.7")}


def test_a_baselines_probabilities_are_drawn(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    folder = run_of(tmp_path / "run", place, instances, (FLOOR,))
    records = folder / "records.jsonl"
    lines = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    text = "".join(json.dumps({**one, "candidates": {one["answer"]: 0.7}}) + "\n" for one in lines)
    records.write_text(text, "utf-8")

    found = report([folder], instances=0)

    whole = next(one for one in found.calibration if (one.kind, one.task) == ("answer", "average"))
    right = next(one.value for one in found.figures if one.measure == "relation_accuracy_micro")
    assert (whole.n, whole.ece) == (len(instances), pytest.approx(abs(right - 0.7), abs=1e-5))
    assert "probability of the answer" in page(found)


def test_a_grid_alone_is_a_report_by_command(tmp_path, capfd):
    grid_of(tmp_path / "grid")
    out = tmp_path / "page.html"

    code = command(["--json", "bench", "report", str(tmp_path / "grid"), "--out", str(out)])

    told = json.loads(capfd.readouterr().out)
    assert (code, told["runs"], told["grids"], told["figures"]) == (0, [], ["grid"], 0)
    read_again = Page(out.read_text("utf-8"))
    assert (read_again.bad, read_again.open) == ([], [])
    links = {attrs["href"][1:] for tag, attrs in read_again.elements if tag == "a"}
    assert links == {"sure", "tau"}


def test_folders_called_alike_get_names_that_tell_them_apart(tmp_path):
    places = [tmp_path / "a" / "x" / "run", tmp_path / "b" / "x" / "run", tmp_path / "b" / "y" / "run"]

    found = names(places)

    assert list(found.values()) == places
    assert list(found) == [str(places[0]), str(places[1]), "y/run"]
