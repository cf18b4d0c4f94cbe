"""Measures of runs, and the table of scores that `bench rescore` prints."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from rich.console import Console

from tests.truthhypo.bench.reported_runs import MODEL, OTHER, run_of, set_of
from truthhypo.bench.measures import CATALOGUE, Outcome, _chosen, grounded, measured
from truthhypo.bench.report import report
from truthhypo.bench.report_figures import truthful
from truthhypo.bench.report_page import page
from truthhypo.bench.runs import Entry, Failure, Grounding, Verdicts
from truthhypo.faces.cli.bench import show_scores

POSITIVE, NEGATIVE, NONE = "positive_correlate", "negative_correlate", "no_relation"
CHEMICAL, GENES = "Chemical & Gene", "Gene & Gene"
LONG = "huggingface:meta-llama/Llama-3.1-8B-Instruct-with-a-name-that-is-longer-than-the-terminal-is-wide[bold]"


def entry(answer: str | None, sample: int = 0, groundedness: float | None = None, claims: int = 2) -> Entry:
    verdicts = tuple(Verdicts("c", "supported", "supported", "supported", (), "") for _ in range(claims))
    held = {} if groundedness is None else {"j": Grounding(None, None, groundedness, 0.0, verdicts)}
    failure = None if answer else Failure("reply", "no answer")
    return Entry("set", "x~y", "m", "kg", sample, sample, answer, failure=failure, groundedness=held)


def outcomes(task: str, *pairs: tuple[str, str | None, int]) -> list[Outcome]:
    """Outcomes by the number of each (gold, answer)."""
    return [Outcome(f"{task}{n}", task, gold, entry(said)) for gold, said, times in pairs for n in range(times)]


#: TP 6 (4 of them with the right sign), FN 2, FP 1, TN 3; two failed.
FIRST = outcomes(
    CHEMICAL,
    (POSITIVE, POSITIVE, 4),
    (POSITIVE, NEGATIVE, 2),
    (NEGATIVE, NONE, 2),
    (NONE, NEGATIVE, 1),
    (NONE, NONE, 3),
    (NONE, None, 1),
    (POSITIVE, None, 1),
)
#: TP 1, FN 1, FP 0, TN 2.
SECOND = outcomes(GENES, (POSITIVE, POSITIVE, 1), (NEGATIVE, NONE, 1), (NONE, NONE, 2))


def test_the_measures_of_a_task_equal_values_worked_out_by_hand():
    found = {name: figure.value for name, figure in measured(FIRST, average=False).items()}
    assert found == pytest.approx(
        {
            "link_precision": 6 / 7,
            "link_recall": 6 / 8,
            "link_f1": 12 / 15,
            "link_accuracy": 9 / 12,
            "relation_accuracy": 7 / 12,
            "relation_accuracy_of_asked": 7 / 14,
        },
        abs=1e-6,
    )
    assert {name: figure.n for name, figure in measured(FIRST, average=False).items()} == {
        **dict.fromkeys(found, 12),
        "relation_accuracy_of_asked": 14,
    }


def test_averages_equal_values_worked_out_by_hand():
    found = {name: figure.value for name, figure in measured([*FIRST, *SECOND], average=True).items()}
    assert found == pytest.approx(
        {
            "link_precision": 7 / 8,
            "link_recall": 7 / 10,
            "link_accuracy": 12 / 16,
            "relation_accuracy_of_asked": 10 / 18,
            "link_f1_micro": 14 / 18,
            "link_f1_macro": (12 / 15 + 2 / 3) / 2,
            "link_f1_weighted": (14 * 12 / 15 + 4 * 2 / 3) / 18,
            "relation_accuracy_micro": 10 / 16,
            "relation_accuracy_macro": (7 / 12 + 3 / 4) / 2,
            "relation_accuracy_weighted": (14 * 7 / 12 + 4 * 3 / 4) / 18,
        },
        abs=1e-6,
    )


def test_weights_are_the_numbers_of_questions_and_the_text_says_so():
    """One cell has ten questions: two were answered, both correctly. Another has two questions, both answered
    wrongly. Weights by questions give 10 / 12, while weights by answers would give 1/2."""
    units = [*outcomes(CHEMICAL, (POSITIVE, POSITIVE, 2), (POSITIVE, None, 8)), *outcomes(GENES, (POSITIVE, NONE, 2))]
    found = measured(units, average=True)
    assert found["relation_accuracy_weighted"].value == pytest.approx(10 / 12, abs=1e-6)
    assert found["relation_accuracy_micro"].value == pytest.approx(2 / 4, abs=1e-6)
    assert found["relation_accuracy_of_asked"].value == pytest.approx(2 / 12, abs=1e-6)
    said = {measure.name: measure.meaning for measure in CATALOGUE}
    for what in ("link_f1", "relation_accuracy"):
        assert "weighted by their numbers of instances, answered or not" in said[f"{what}_weighted"]
        assert "over all answered instances" in said[f"{what}_micro"]


def test_undefined_measures_are_null_and_not_zero():
    nothing_said = outcomes(CHEMICAL, (POSITIVE, NONE, 2), (NONE, NONE, 3))
    found = measured(nothing_said, average=False)
    assert (found["link_precision"].value, found["link_recall"].value, found["link_f1"].value) == (None, 0.0, 0.0)
    failed = measured(outcomes(CHEMICAL, (POSITIVE, None, 2)), average=False)
    assert {figure.value for name, figure in failed.items() if name != "relation_accuracy_of_asked"} == {None}
    assert failed["relation_accuracy_of_asked"].value == 0.0
    half = [*outcomes(CHEMICAL, (NONE, NONE, 3)), *SECOND]
    assert measured(half, average=True)["link_f1_macro"].value is None, "a task without a figure is not passed over"
    assert grounded([None, None]).to_dict() == {"value": None, "low": None, "high": None, "n": 0}


def test_intervals_are_those_of_a_plain_bootstrap():
    rng = np.random.default_rng(0)
    units = [*FIRST, *SECOND] * 5
    drawn = [
        measured([units[place] for place in rng.integers(len(units), size=len(units))], average=True)
        for _ in range(200)
    ]
    found = measured(units, average=True)
    for name in ("link_f1_micro", "link_precision", "relation_accuracy_micro", "relation_accuracy_of_asked"):
        low, high = np.percentile([each[name].value for each in drawn], [2.5, 97.5])
        assert found[name].low == pytest.approx(low, abs=0.04)
        assert found[name].high == pytest.approx(high, abs=0.04)


def test_one_instance_has_no_interval():
    figure = measured(outcomes(CHEMICAL, (POSITIVE, POSITIVE, 1)), average=False)["link_f1"]
    assert (figure.value, figure.low, figure.high) == (1.0, None, None)


@examples(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([CHEMICAL, GENES]),
            st.sampled_from([POSITIVE, NEGATIVE, NONE]),
            st.sampled_from([POSITIVE, NEGATIVE, NONE, None]),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_figures_lie_in_their_range_and_agree_with_counting(rows):
    units = [Outcome(str(n), task, gold, entry(said)) for n, (task, gold, said) in enumerate(rows)]
    found = measured(units, average=True)
    ranges = {measure.name: measure.range for measure in CATALOGUE}
    for name, figure in found.items():
        low, high = ranges[name]
        assert figure.value is None or low <= figure.value <= high
    answered = [(gold, said) for _, gold, said in rows if said]
    right = sum(gold == said for gold, said in answered)
    value = found["relation_accuracy_micro"].value
    assert value == (pytest.approx(right / len(answered), abs=1e-6) if answered else None)


def test_groundedness_is_the_mean_of_the_judged_answers():
    figure = grounded([1.0, 0.5, None, 0.0])
    assert (figure.value, figure.n) == (0.5, 3)
    assert 0.0 <= figure.low < 0.5 < figure.high <= 1.0


def test_the_greedy_answer_is_sample_0_even_if_it_failed():
    samples = [entry(POSITIVE, 1), entry(None, 0), entry(POSITIVE, 2)]
    assert _chosen(samples, "greedy", None).answer is None
    assert _chosen(samples, "majority", None).answer == POSITIVE
    assert _chosen([entry(POSITIVE, 1)], "greedy", None) is None, "sample 0 is not on record yet"


def test_majority_and_groundedness_choose_as_hypothesize_does():
    samples = [entry(NONE, 0, 0.9), entry(POSITIVE, 1, 0.2), entry(POSITIVE, 2, 0.9, claims=3), entry(NEGATIVE, 3)]
    assert _chosen(samples, "majority", None).sample == 1
    assert _chosen(samples, "groundedness", "j").sample == 2, "of equal ones that with more claims"
    assert _chosen(samples, "groundedness", "another").sample == 0, "a judge that said nothing leaves the first"


def test_every_measure_says_its_range_direction_and_meaning():
    for measure in CATALOGUE:
        assert set(measure.to_dict()) == {"name", "range", "better", "meaning", "average"}
        assert measure.range[0] < measure.range[1]
    names = {f"{what}_{way}" for what, way in product(("link_f1", "relation_accuracy"), ("micro", "macro", "weighted"))}
    assert names <= {measure.name for measure in CATALOGUE}


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
