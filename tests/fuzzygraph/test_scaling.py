"""k and s0 of `scaled`: those that the graph's similarity edges were made with, on every store, unless others are given."""

from dataclasses import replace

import pytest

import cypher
from fuzzygraph.check import Checker
from fuzzygraph.membership import S0, K, Membership
from fuzzygraph.terms import fitted
from groundwork.errors import InputError
from groundwork.records import Release, SimilaritySet
from groundwork.settings import Settings
from tests.contracts.conftest import STORES, emptied
from tests.contracts.graphs import concept, fill

ASPIRIN, PAIN = "Chemical|MESH:D001241", "Disease|MESH:D010146"
CLAIM = "Aspirin reduces pain."
COSINE = 0.62

SET = SimilaritySet("m", "cls", 2, "scaled", 0.5, 20, 40.0, 0.6, "background")
MADE = Release("similarity", "one", "ab", 1, 1, 0, "live", "2026-01-01T00:00:00+00:00", 1, SET)


@pytest.fixture(params=STORES)
def graph(request, tmp_path):
    """Two concepts that are similar, and nothing else."""
    if request.param == "neo4j":
        address = emptied(request.getfixturevalue("neo4j_address"))
    else:
        address = {"memory": "memory:", "embedded": f"embedded:{tmp_path / 'graph'}"}[request.param]
    store = cypher.connect(address, Settings())
    named = [concept(ASPIRIN, ("aspirin", 3)), concept(PAIN, ("pain", 3))]
    yield fill(store, concepts=named, similar=[("m", ASPIRIN, PAIN, COSINE)])
    store.close()


def risk(graph, **options):
    """The probability of the one path, and the terms as JSON."""
    report = Checker(graph).check(CLAIM, alpha=1.0, **options).to_dict()
    (sentence,) = report["sentences"]
    terms = report["terms"]
    return sentence["paths"][0]["probability"], terms["k"], terms["s0"], terms["fit"]


def test_risk_takes_what_the_edges_were_made_with(graph):
    assert risk(graph) == (pytest.approx(Membership("scaled", K, S0).mu(COSINE)), K, S0, "default")
    with graph.writing():
        graph.put_release(MADE)
    assert risk(graph) == (pytest.approx(Membership("scaled", 40.0, 0.6).mu(COSINE)), 40.0, 0.6, "similarity:one")
    assert risk(graph, k=5.0, s0=0.1) == (pytest.approx(Membership("scaled", 5.0, 0.1).mu(COSINE)), 5.0, 0.1, "given")
    assert risk(graph, form="linear")[0] == pytest.approx((1 + COSINE) / 2)


def test_of_several_sets_the_one_loaded_last_counts():
    other = replace(MADE, id="two", order=2, similarity=replace(SET, model="n", k=3.0))
    assert fitted([other, MADE]) == (3.0, 0.6, "similarity:two")
    assert fitted([replace(other, state="past"), MADE])[2] == "similarity:one"
    assert fitted([replace(other, state="loading"), MADE])[2] == "similarity:one"


def test_a_set_made_in_another_form_has_none():
    assert fitted([replace(MADE, similarity=SimilaritySet("m", "", 2, "linear", 0.6, 20))]) == (K, S0, "default")
    assert fitted([]) == (K, S0, "default")


@pytest.mark.parametrize("options", [{"k": 3.0}, {"s0": 0.3}, {"k": 3.0, "s0": 0.3, "form": "paper"}])
def test_half_a_scale_or_one_for_another_form_is_refused(options):
    graph = cypher.connect("memory:", Settings())
    with pytest.raises(InputError, match="k = "):
        Checker(graph).check(CLAIM, **options)


def test_a_steepness_must_be_above_zero():
    graph = cypher.connect("memory:", Settings())
    with pytest.raises(InputError, match="k = 0"):
        Checker(graph).check(CLAIM, k=0.0, s0=0.3)
