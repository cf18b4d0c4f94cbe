"""k and s0 of `scaled` are those with which the similarity edges were made, on every store, unless others are given."""

from dataclasses import replace

import pytest

import cypher
from fuzzygraph import membership
from fuzzygraph.membership import S0, K, Membership, Scales, apart
from fuzzygraph.options import RiskOptions
from fuzzygraph.risk_report import fitted
from groundwork.errors import InputError
from groundwork.records import Release, SimilaritySet
from groundwork.settings import Settings
from tests.contracts.conftest import STORES, emptied
from tests.contracts.graphs import concept, edge, fill
from tests.risks import checker_of
from truthhypo.bench.grid import Grid, risks, surrounded, understood
from truthhypo.bench.labelled import LabelledStatement

ASPIRIN, PAIN = "Chemical|MESH:D001241", "Disease|MESH:D010146"
CLAIM = "Aspirin reduces pain."
COSINE = 0.62
NAMED = concept(ASPIRIN, ("aspirin", 3)), concept(PAIN, ("pain", 3))

SET = SimilaritySet("m", "cls", 2, "scaled", 0.5, 20, 40.0, 0.6, "background")
MADE = Release("similarity", "one", "ab", 1, 1, 0, "live", "2026-01-01T00:00:00+00:00", 1, SET)


@pytest.fixture(params=STORES)
def graph(request, tmp_path):
    """A graph of two concepts with a similarity edge, and nothing else."""
    if request.param == "neo4j":
        address = emptied(request.getfixturevalue("neo4j_address"))
    else:
        address = {"memory": "memory:", "embedded": f"embedded:{tmp_path / 'graph'}"}[request.param]
    store = cypher.connect(address, Settings())
    yield fill(store, concepts=NAMED, similar=[("m", ASPIRIN, PAIN, COSINE)])
    store.close()


def risk(graph, **options):
    """Return the probability of the one path, and k, s0 and their origin as the JSON tells them."""
    report = checker_of(graph).check(CLAIM, RiskOptions(alpha=1.0, **options)).to_dict()
    (sentence,) = report["sentences"]
    terms = report["terms"]
    return sentence["paths"][0]["probability"], terms["k"], terms["s0"], terms["fit"]


def test_risk_uses_the_k_and_s0_that_the_edges_were_made_with(graph):
    assert risk(graph) == (pytest.approx(Membership("scaled", K, S0).mu(COSINE)), K, S0, "default")
    with graph.writing():
        graph.put_release(MADE)
    assert risk(graph) == (pytest.approx(Membership("scaled", 40.0, 0.6).mu(COSINE)), 40.0, 0.6, "similarity:one")
    assert risk(graph, k=5.0, s0=0.1) == (pytest.approx(Membership("scaled", 5.0, 0.1).mu(COSINE)), 5.0, 0.1, "given")
    assert risk(graph, form="linear")[0] == pytest.approx((1 + COSINE) / 2)


def test_sets_with_different_scales_are_all_named_and_the_one_loaded_last_comes_first():
    other = replace(MADE, id="two", order=2, similarity=replace(SET, model="n", k=3.0))
    assert fitted([other, MADE]) == (3.0, 0.6, "similarity:two+one")
    assert fitted([replace(other, state="past"), MADE])[2] == "similarity:one"
    assert fitted([replace(other, state="loading"), MADE])[2] == "similarity:one"
    assert fitted([replace(other, similarity=replace(SET, model="n")), MADE]) == (40.0, 0.6, "similarity:two")


#: The cosines of one model are high and its curve is steep, those of the other are low. The pair has an edge of each
#: model, and `low` gives it the higher mu.
HIGH, LOW = replace(SET, model="high", k=40.0, s0=0.9), replace(SET, model="low", k=10.0, s0=0.2)


def two_models(graph):
    """Add edges of two models, each with its own scale, to the pair."""
    near = [("high", ASPIRIN, PAIN, 0.88), ("low", ASPIRIN, PAIN, 0.4), ("m", ASPIRIN, PAIN, COSINE)]
    fill(graph, concepts=NAMED, similar=near)
    with graph.writing():
        graph.put_release(replace(MADE, id="high", similarity=HIGH))
        graph.put_release(replace(MADE, id="low", order=2, similarity=LOW))


@pytest.mark.parametrize("many", [0, 2_000])
def test_edges_of_each_model_use_its_own_k_and_s0(graph, monkeypatch, many):
    """With the scale of `low` for both models the pair would have 1 / (1 + e^-6.8) = 0.999, with the other 0.31."""
    monkeypatch.setattr(membership, "MANY", many)
    two_models(graph)
    assert risk(graph) == (pytest.approx(Membership("scaled", 10.0, 0.2).mu(0.4)), 10.0, 0.2, "similarity:low+high")
    assert risk(graph, k=10.0, s0=0.2)[0] == pytest.approx(Membership("scaled", 10.0, 0.2).mu(0.88))
    assert risk(graph, form="linear")[0] == pytest.approx((1 + 0.88) / 2)
    with graph.writing():
        graph.put_release(replace(MADE, id="low", order=2, state="past", similarity=LOW))
    assert risk(graph)[0] == pytest.approx(Membership("scaled", 40.0, 0.9).mu(0.88))


def test_parts_of_a_network_keep_the_scales_and_an_edge_of_no_live_set_has_the_default(graph):
    two_models(graph)
    third = "Disease|MESH:D009325"
    fill(graph, concepts=NAMED, similar=[("gone", ASPIRIN, third, 0.5), ("high", PAIN, third, 0.95)])
    whole = Scales(graph, apart(graph.releases())).over(graph.network(ASPIRIN, PAIN, hops=3))
    for part in (whole, whole.within(ASPIRIN, PAIN, 3), whole.within(ASPIRIN, PAIN, 3).trimmed(ASPIRIN, PAIN)):
        found = {(part.keys[a], part.keys[b]): x for a, b, x in zip(part.a, part.b, part.logits, strict=True)}
        assert found == {
            (ASPIRIN, PAIN): pytest.approx(10.0 * 0.2),
            (ASPIRIN, third): pytest.approx(K * (0.5 - S0)),
            (third, PAIN): pytest.approx(40.0 * 0.05),
        }


def test_the_grid_uses_the_scale_of_each_model_too(graph):
    two_models(graph)
    fill(graph, [edge(ASPIRIN, "treat", PAIN, 5)], NAMED)
    texts = ["Aspirin treats pain."]
    grid = Grid(taus=(0.2,), alphas=(0.9,), hops=(2,), scale=fitted(graph.releases()))
    read = surrounded(understood([LabelledStatement(text, "true") for text in texts], graph), graph)
    for terms, told in risks(read, grid, (0.05, 0.3)):
        named = {name: getattr(terms, name) for name in ("form", "alpha", "tau_min", "hops", "aggregate")}
        assert (
            told == [checker_of(graph).check(text, RiskOptions(score="paper", **named)).hrs for text in texts] != [None]
        )


def test_a_set_made_in_another_form_has_the_default_scale():
    assert fitted([replace(MADE, similarity=SimilaritySet("m", "", 2, "linear", 0.6, 20))]) == (K, S0, "default")
    assert fitted([]) == (K, S0, "default")


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ({"k": 3.0}, "k = 3.0, s0 = None"),
        ({"s0": 0.3}, "k = None, s0 = 0.3"),
        ({"k": 3.0, "s0": 0.3, "form": "paper"}, "form paper"),
        ({"k": 0.0, "s0": 0.3}, "k = 0.0"),
    ],
)
def test_half_a_scale_one_for_another_form_or_one_that_is_not_steep_is_refused(options, seen):
    with pytest.raises(InputError, match=seen):
        RiskOptions(**options)
