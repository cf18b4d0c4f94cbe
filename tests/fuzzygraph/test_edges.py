"""Edges as files: mu computed from the cosine, rows that sum to one, and what a dry run leaves alone."""

import csv
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzygraph.similarity.build import build
from fuzzygraph.similarity.edges import row_shares
from groundwork.chance import sigmoid
from groundwork.errors import InputError, Refused
from tests.fuzzygraph.test_build import COMPASS, Compass, edges, store


@settings(deadline=None)
@given(st.dictionaries(st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda p: p[0] < p[1]), st.floats(0, 1)))
def test_each_row_sums_to_one(links):
    heads, tails = (np.array([pair[end] for pair in links], np.int64) for end in (0, 1))
    mu = np.array(list(links.values()), float)
    forth, back = row_shares(heads, tails, mu, 9)
    rows, sums = defaultdict(float), defaultdict(float)
    for head, tail, one, other, weight in zip(heads, tails, forth, back, mu, strict=True):
        rows[head] += one
        rows[tail] += other
        sums[head] += weight
        sums[tail] += weight
    for concept, total in rows.items():
        assert total == pytest.approx(1.0 if sums[concept] > 0 else 0.0)


@pytest.mark.parametrize("suffix", [".tsv", ".parquet"])
def test_a_file_holds_what_the_graph_holds_with_mu(settings, tmp_path, suffix):
    graph, path = store(settings, COMPASS), tmp_path / f"edges{suffix}"
    receipt = build(graph, Compass(), form="paper", tau=0.65, out=path, row_normalised=True)
    if suffix == ".tsv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
    else:
        rows = pq.read_table(path).to_pylist()
    assert len(rows) == receipt.edges == len(edges(graph)) > 0
    for row in rows:
        assert float(row["mu"]) == pytest.approx(sigmoid(float(row["cosine"])))
        assert row["head"] < row["tail"]
        assert 0 < float(row["p_tail_given_head"]) <= 1


@pytest.mark.parametrize("name", ["edges.txt", "nowhere/edges.tsv"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_embedded(settings, tmp_path, name):
    compass = Compass()
    with pytest.raises(InputError, match="edges"):
        build(store(settings, COMPASS), compass, out=tmp_path / name)
    assert compass.asked == []


def test_a_dry_run_tells_all_and_writes_nothing(settings):
    graph = store(settings, COMPASS)
    dry = build(graph, Compass(), form="linear", tau=0.85, dry_run=True)
    assert edges(graph) == {}
    wet = build(graph, Compass(), form="linear", tau=0.85)
    assert (dry.edges, dry.dry_run, wet.dry_run) == (wet.edges, True, False)


def test_the_survey_is_shown_before_a_refusal(settings):
    seen = []
    graph = store(settings, COMPASS)
    with pytest.raises(Refused, match="keeps 90"):
        build(graph, Compass(), form="linear", tau=0.0, told=seen.append)
    (survey,) = seen
    compass = Compass().embed(COMPASS).astype(float)
    cosines = (compass @ compass.T)[np.triu_indices(5, 1)]
    assert survey.pairs == 10
    assert survey.keeps["0.8"] == (cosines > 0.6).mean()
    assert list(survey.cosines) == ["0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99", "0.999"]
    assert edges(graph) == {}


def test_a_fit_on_the_background_moves_tau_with_the_model(settings):
    receipt = build(store(settings, COMPASS), Compass(), fitted="background", force=True)
    assert (receipt.tau, receipt.survey.membership["form"]) == (0.5, "scaled")
    assert receipt.survey.membership["s0"] != 0.26


@pytest.mark.parametrize("options", [{"form": "linear", "fitted": "background"}, {"fitted": "foreground"}])
def test_a_fit_that_is_none_is_refused(settings, options):
    compass = Compass()
    with pytest.raises(InputError):
        build(store(settings, COMPASS), compass, **options)
    assert compass.asked == []


def test_an_approximate_build_tells_its_recall(settings):
    graph = store(settings, COMPASS)
    receipt = build(graph, Compass(), form="linear", tau=0.85, approximate=4)
    assert (receipt.recall, receipt.edges) == (1.0, 4)
    assert build(graph, Compass(), form="linear", tau=0.85).recall is None
