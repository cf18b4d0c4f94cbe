"""The scores of a run, as a narrow terminal and Table 2 of the report show_scores them."""

import json

import pytest
from rich.console import Console

from tests.truthhypo.bench.reported_runs import MODEL, OTHER, run_of, set_of
from truthhypo.bench.report.contents import report
from truthhypo.bench.report.page import page
from truthhypo.bench.report.views import truthful
from truthhypo.faces.cli.bench import show_scores

LONG = "huggingface:meta-llama/Llama-3.1-8B-Instruct-with-a-name-that-is-longer-than-the-terminal-is-wide[bold]"


def figure(value, low, high):
    return {"value": value, "low": low, "high": high}


def cell(model, setting, select):
    measures = {
        "link_f1_micro": figure(0.5123, 0.498, 0.527),
        "relation_accuracy_micro": figure(None, None, None),
        "relation_accuracy_of_asked": figure(0.4321, 0.41, 0.45),
    }
    named = {"dataset": "published-2024", "model": model, "setting": setting, "select": select, "task": "average"}
    return {**named, "n": 2024, "answered": 2002, "failed": 17, "measures": measures}


def test_names_and_figures_are_not_cut_on_80_columns():
    cells = [cell(model, "parametric", "groundedness") for model in ("openai:small", LONG)]
    console = Console(width=80)
    with console.capture() as captured:
        show_scores(
            console, {"cells": [*cells, {**cells[0], "task": "Gene & Gene"}], "warnings": ["[red] is not markup"]}
        )
    told = captured.get().splitlines()
    assert f"{LONG}, on published-2024" in told
    assert sum("0.512 (0.498-0.527)" in line for line in told) == 2
    assert max(len(line) for line in told if LONG not in line) <= 80
    assert all(words in captured.get() for words in ("parametric", "groundedness", "2024", "warning: [red] is not"))


def test_if_answers_are_missing_a_line_below_gives_the_accuracy_of_all_asked():
    whole = {**cell("openai:small", "parametric", "greedy"), "answered": 2024}
    console = Console(width=80)
    for one, count in ((cell("openai:small", "parametric", "greedy"), 1), (whole, 0)):
        with console.capture() as captured:
            show_scores(console, {"cells": [one], "warnings": []})
        lines = [line for line in captured.get().splitlines() if "of all asked" in line]
        assert [" ".join(line.split()) for line in lines] == ["of all asked 0.432 (0.410-0.450)"] * count
        assert all(len(line) <= 80 for line in lines)


def test_an_undecided_answer_of_the_rules_is_no_answer_and_is_counted_apart(tmp_path):
    place, instances = set_of(tmp_path / "set")
    folder = run_of(tmp_path / "run", place, instances, (OTHER,), samples=1, undecided=7)
    scores = json.loads((folder / "measures.json").read_text("utf-8"))
    cell = next(each for each in scores["cells"] if each["task"] == "average")
    counts = {"n": 72, "answered": 71, "failed": 0, "undecided": 1}
    assert cell.items() >= counts.items()
    assert scores["spent"][0].items() >= {"records": 144, "answered": 142, "failed": 0, "undecided": 2}.items()
    figures = cell["measures"]
    assert (figures["link_accuracy"]["n"], figures["relation_accuracy_of_asked"]["n"]) == (71, 72)
    assert any("2 of 144 answers are undecided, and no measure counts them" in each for each in scores["warnings"])
    found = report([folder], 72)
    assert {(one.asked, one.failed, one.undecided) for one in found.figures if one.task == "average"} == {(72, 0, 1)}
    assert ">undecided<" in page(found) and "No sign prevails." in page(found)


def test_table_2_shows_what_was_asked_what_failed_and_the_accuracy_of_all_asked(tmp_path):
    place, instances = set_of(tmp_path / "set")
    found = report([run_of(tmp_path / "run", place, instances, (MODEL,))], 0)
    grid = truthful(found.figures)[0]
    line = next(each for each in grid.lines if each.cell.select == "greedy")
    assert (line.asked, line.failed) == (len(instances), 1)
    right = next(one for one in line.figures if one.measure == "relation_accuracy_micro")
    assert line.of_asked.value == pytest.approx(right.value * (line.asked - 1) / line.asked, abs=1e-5)
    html = page(found)
    assert "Rel. acc. of all asked" in html
    assert f'<data value="{line.of_asked.value}">' in html
