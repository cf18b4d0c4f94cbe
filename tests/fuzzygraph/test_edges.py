"""Edges as files: mu computed from the cosine, rows that sum to one, and what a build leaves alone."""

import csv
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzygraph.membership import Membership
from fuzzygraph.similarity import build as built
from fuzzygraph.similarity import row_shares
from groundwork import similarity_file
from groundwork.chance import sigmoid
from groundwork.errors import InputError, Refused
from groundwork.records import SimilaritySet
from groundwork.tables import SIMILARITIES
from tests.fuzzygraph.building import build
from tests.fuzzygraph.test_build import COMPASS, AngleEmbedder, edges, store


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
    receipt = build(graph, AngleEmbedder(), form="paper", tau=0.65, out=path, row_normalised=True)
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
    compass = AngleEmbedder()
    with pytest.raises(InputError, match="edges"):
        build(store(settings, COMPASS), compass, out=tmp_path / name)
    assert compass.asked == []


def test_a_build_leaves_the_graph_alone_and_the_same_build_writes_the_same_file(settings, tmp_path):
    graph, files = store(settings, COMPASS), [tmp_path / name for name in ("one", "again", "other")]
    graph.read_only = True
    for file, k in zip(files, (5.0, 5.0, 5.5), strict=True):
        built(graph, AngleEmbedder(), edges=file, fitted=Membership("scaled", k, 0.0))
    assert edges(graph) == {}
    one, again, other = (file.read_bytes() for file in files)
    assert one == again != other
    assert pq.read_table(files[0]).equals(pq.read_table(files[2]))  # another k is another release of the same edges
    assert similarity_file.made(files[2]) == SimilaritySet("compass", "", 5, "scaled", 0.5, 20, 5.5, 0.0, "labels")


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more"])
def test_a_file_of_something_else_is_reported(tmp_path, content):
    (tmp_path / "edges").write_bytes(content)
    with pytest.raises(InputError, match="no similarity edges"):
        similarity_file.made(tmp_path / "edges")
    with pytest.raises(InputError, match="no similarity edges"):
        similarity_file.made(tmp_path / "missing")


def test_a_table_that_does_not_say_how_it_was_made_is_reported(tmp_path):
    pq.write_table(SIMILARITIES.empty_table(), tmp_path / "edges")
    with pytest.raises(InputError, match=r"truthhypo\.similarity"):
        similarity_file.made(tmp_path / "edges")


def test_the_survey_is_shown_before_a_refusal(settings):
    seen = []
    graph = store(settings, COMPASS)
    with pytest.raises(Refused, match="keeps 90"):
        build(graph, AngleEmbedder(), form="linear", tau=0.0, told=seen.append)
    (survey,) = seen
    compass = AngleEmbedder().embed(COMPASS).astype(float)
    cosines = (compass @ compass.T)[np.triu_indices(5, 1)]
    assert survey.pairs == 10
    assert survey.keeps["0.8"] == (cosines > 0.6).mean()
    assert list(survey.cosines) == ["0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99", "0.999"]
    assert edges(graph) == {}


def test_a_fit_on_the_background_changes_s0_with_the_model(settings):
    receipt = build(store(settings, COMPASS), AngleEmbedder(), fitted="background", force=True)
    assert (receipt.tau, receipt.survey.membership["form"]) == (0.5, "scaled")
    assert receipt.survey.membership["s0"] != 0.26


@pytest.mark.parametrize("options", [{"form": "linear", "fitted": "background"}, {"fitted": "foreground"}])
def test_an_unknown_fit_or_a_fit_for_another_form_is_refused(settings, options):
    compass = AngleEmbedder()
    with pytest.raises(InputError):
        build(store(settings, COMPASS), compass, **options)
    assert compass.asked == []


def test_an_approximate_build_tells_its_recall(settings):
    graph = store(settings, COMPASS)
    receipt = build(graph, AngleEmbedder(), form="linear", tau=0.85, approximate=True)
    assert (receipt.recall, receipt.edges) == (1.0, 4)
    assert build(graph, AngleEmbedder(), form="linear", tau=0.85).recall is None
