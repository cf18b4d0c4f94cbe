"""The parts of a report, on cells small enough to count by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from truthhypo.bench.entries import Grounding
from truthhypo.bench.report.groups import groups
from truthhypo.bench.report.paired_tests import compare, comparisons
from truthhypo.bench.report.selected_answers import Answer, Cell
from truthhypo.bench.report.tables import Figure
from truthhypo.bench.report.warnings import warnings

ONE = Cell("run", "set", "m", "kg", "greedy", None)


def answers(said: Sequence[tuple[str, str | None, float | None]], task: str = "Gene & Gene") -> tuple[Answer, ...]:
    return tuple(
        Answer(
            str(place),
            task,
            gold,
            relation,
            {} if share is None else {"rules": Grounding(share, share, share, 0.0, ())},
        )
        for place, (gold, relation, share) in enumerate(said)
    )


def test_cells_name_the_properties_in_which_they_differ():
    assert ONE.apart(replace(ONE, model="n", setting="lit")) == ("model", "setting")
    assert ONE.apart(replace(ONE, select="groundedness", judge="rules")) == ("select",)
    assert replace(ONE, select="groundedness", judge="a").apart(replace(ONE, select="groundedness", judge="b")) == (
        "select",
    )
    assert ONE.apart(replace(ONE, run="again")) == ("run",)
    assert ONE.apart(replace(ONE, run="again", model="n")) == ("model",)


def test_only_instances_that_both_cells_answered_are_compared():
    up, none = "positive_correlate", "no_relation"
    ours = answers([(up, up, 1.0), (up, up, 0.5), (none, up, 0.5), (up, None, None), (up, up, None)])
    theirs = answers([(up, none, 0.5), (up, up, 0.5), (none, none, 0.0), (up, up, 1.0)])

    found = compare(ONE, ours, replace(ONE, setting="lit"), theirs)

    assert (found.n, found.left_out) == (3, 2)  # one failed, one was not asked
    assert found.accuracy.value == 0  # 2 of 3 right, both
    assert (found.mcnemar.n, found.mcnemar.p) == (2, 1.0)


def test_each_model_is_compared_only_with_the_best_baseline():
    right = answers([("inhibit", "inhibit", None)] * 4)
    half = answers([("inhibit", "inhibit", None), ("inhibit", "stimulate", None)] * 2)
    poor, good = (replace(ONE, model=f"baseline:{name}", setting="none") for name in ("poor", "good"))

    found = comparisons({ONE: right, poor: answers([("inhibit", "stimulate", None)] * 4), good: half})

    assert [(one.first, one.second) for one in found] == [(ONE, good)]
    assert found[0].accuracy.value == 0.5


def test_cells_of_two_datasets_are_never_compared():
    right = answers([("inhibit", "inhibit", None)] * 4)

    assert comparisons({ONE: right, replace(ONE, dataset="other"): right}) == ()


def test_groups_have_the_counts_worked_out_by_hand():
    judged = [("inhibit", "inhibit", 1.0)] * 6 + [("inhibit", "stimulate", 0.95)] * 6 + [("inhibit", "inhibit", 0.3)]
    lost = [("inhibit", None, None), ("inhibit", "inhibit", None)]

    found = [one for one in groups({ONE: answers(judged + lost)}) if one.task == "average"]

    assert [(one.above, one.below, one.n, one.drawn) for one in found] == [(0.3, 0.4, 1, False), (0.9, 1.0, 12, True)]
    assert (found[1].accuracy, found[1].groundedness) == (0.5, pytest.approx(0.975))
    assert found[1].low < 0.5 < found[1].high
    assert groups({replace(ONE, select="majority"): answers(judged)}) == ()


def test_unreliable_figures_and_constant_judges_give_warnings():
    figure = Figure(ONE, "average", "groundedness_both", "rules", 0.5, 0.4, 0.6, 40, 200, 0, 0, 0.2, None, None)
    of_task = Figure(ONE, "Gene & Gene", "link_f1", None, 0.5, 0.4, 0.6, 40, 99, 0, 0, None, None, None)
    constant = {"rules": {"constant": "not_enough"}, "other": {"constant": None}, "new": None}

    other = replace(figure, measure="groundedness_graph", coverage=0.4)

    found = warnings((), (other, figure, of_task, replace(of_task, task="Disease & Gene", asked=100)), constant)

    assert found == (
        "judge rules: answers not_enough almost always",
        "run, set, m, kg: only 20% of the answers could be judged by rules",
        "set, Gene & Gene: 99 instances are too few to separate models; look at the intervals",
    )


def test_a_warning_about_several_models_is_given_once_with_their_number():
    figure = Figure(ONE, "average", "groundedness_both", "rules", 0.5, 0.4, 0.6, 40, 200, 0, 0, 0.2, None, None)
    models = [
        replace(figure, cell=replace(ONE, model=f"m{n}"), coverage=share)
        for n, share in enumerate((0.5, 0.2, 0.7, 0.25, 0.95))
    ]
    assert warnings((), models[:1], {}) == ("run, set, m0, kg: only 50% of the answers could be judged by rules",)
    assert warnings((), models, {}) == (
        "4 cells (run, set, m0, kg; run, set, m1, kg; run, set, m2, kg; ...): "
        "only 20% to 70% of the answers could be judged by rules",
    )
