"""The table of growth: how exponents are fitted, and that every operation is measured."""

import json
from math import isnan

import pytest

from benchmarks.performance import growth
from benchmarks.performance.growth import Cost, exponent, joined


def test_the_exponent_is_the_power_of_the_number_of_edges():
    costs = [Cost(edges, 3e-6 * edges**1.5, 0.0) for edges in (10, 1000, 100_000)]
    assert exponent(costs) == pytest.approx(1.5)
    assert isnan(exponent(costs[:1]))


def test_costs_of_an_earlier_run_count_unless_their_size_is_measured_again():
    before = {"load": [Cost(10, 1.0, 1.0), Cost(30, 3.0, 3.0)], "search": [Cost(5, 1.0, 1.0)]}
    now = {"load": [Cost(20, 2.0, 2.0), Cost(10, 9.0, 9.0)], "find": [Cost(20, 0.1, 0.1)]}
    found = joined(before, now)
    assert [(cost.size, cost.seconds) for cost in found["load"]] == [(10, 9.0), (20, 2.0), (30, 3.0)]
    assert [found["search"], found["find"]] == [before["search"], now["find"]]


@pytest.mark.slow
def test_every_operation_is_measured_at_every_size(tmp_path):
    out = tmp_path / "growth.json"
    for rows, abstracts in (("20000", "200"), ("40000", "400")):
        sizes = ["--rows", rows, "--abstracts", abstracts]
        growth.growth([*sizes, "--questions", "2", "--work", str(tmp_path), "--json", str(out)])
    costs = json.loads(out.read_text("utf-8"))["costs"]
    look_ups = {"find", "edges", *(f"chains {n}" for n in (2, 3, 4)), "risk 3"}
    assert set(costs) == {"load", "stats", *look_ups, "successor", "load of PubMed", "search", "ground"}
    assert all(len(found) == 2 and all(cost["seconds"] > 0 for cost in found) for found in costs.values())
