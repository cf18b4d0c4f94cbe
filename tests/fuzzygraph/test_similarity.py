"""Names to similarity edges: exact search, thresholds, refusals, and the set of edges in the graph."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypher import connect
from fuzzygraph.build import build, cut
from fuzzygraph.embed import TRIGRAM, Trigrams
from fuzzygraph.embed import connect as embedder
from fuzzygraph.membership import FORMS, Membership
from fuzzygraph.similarity import search
from groundwork.errors import InputError, Refused
from groundwork.ports import Graph
from groundwork.records import Concept
from groundwork.settings import Settings
from groundwork.tables import concept_batch

WORDS = ["glycemia", "aspirin", "diabetes", "insulin", "carcinoma", "receptor", "kinase", "fever"]


def names(count: int, seed: int = 3) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, 2)) + f" {i}" for i in range(count)]


def store(tmp_path, labels: list[str | None]) -> Graph:
    graph = connect("memory:", Settings(home=tmp_path))
    concepts = [
        Concept(f"Disease|D{i:03}", label or f"D{i:03}", (label,) if label else (), (1,) if label else ())
        for i, label in enumerate(labels)
    ]
    with graph.writing():
        graph.put_concepts([concept_batch(concepts)])
    return graph


@pytest.fixture
def graph(tmp_path) -> Iterator[Graph]:
    made = store(tmp_path, names(40))
    yield made
    made.close()


def brute(vectors, above, top_k):
    """Pairs by the full matrix in float64 and a full sort of every row."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    unit = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines = (unit @ unit.T).round(12).clip(-1, 1)
    kept = set()
    for row in range(len(vectors)):
        ranked = sorted((-cosines[row, other], other) for other in range(len(vectors)) if other != row)
        kept |= {(min(row, o), max(row, o)) for c, o in ranked[:top_k] if -c > above}
    return kept, cosines


def found(vectors, above, top_k, **options):
    pairs, spread = search(vectors, above=above, top_k=top_k, **options)
    return set(zip(pairs.heads.tolist(), pairs.tails.tolist(), strict=True)), spread


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(1, 8), st.floats(-1, 1), st.integers(0, 99), st.integers(1, 12))
def test_tiled_search_is_exact(count, top_k, above, seed, block):
    vectors = np.random.default_rng(seed).standard_normal((count, 5)).astype(np.float32)
    wanted, cosines = brute(vectors, above, top_k)
    pairs, spread = found(vectors, above, top_k, block=block)
    assert pairs == wanted
    whole = cosines[np.triu_indices(count, 1)]
    assert spread.pairs == len(whole)
    assert (spread.min, spread.max) == pytest.approx((whole.min(), whole.max()), abs=2e-6)
    assert np.quantile(whole, 0.5, method="lower") == pytest.approx(spread.median, abs=2e-4)


def test_ties_go_to_the_lower_row():
    assert found(np.ones((5, 2), dtype=np.float32), 0.0, 1)[0] == {(0, 1), (0, 2), (0, 3), (0, 4)}


def test_a_zero_vector_is_near_nothing():
    assert found(np.array([[0, 0], [1, 0], [1, 0]], dtype=np.float32), 0.5, 5)[0] == {(1, 2)}


@given(st.sampled_from(FORMS), st.floats(0, 1))
def test_a_threshold_on_mu_is_the_same_threshold_on_the_cosine(form, tau):
    membership = Membership(form)
    bound = cut(membership, tau)
    assert bound == -2.0 or not membership.mu(bound) > tau
    above = np.nextafter(max(bound, -1.0), 2.0)
    assert above > 1.0 or membership.mu(above) > tau


def test_trigrams_know_spelling_and_are_the_same_every_time():
    texts = ["hyperglycemia", "hypoglycemia", "aspirin", ""]
    vectors = Trigrams().embed(texts)
    assert vectors.dtype == np.float32
    assert (vectors == Trigrams().embed(texts)).all()
    _, cosines = brute(vectors, 0.0, 1)
    assert cosines[0, 1] > 0.5 > cosines[0, 2]
    assert "spelling" in Trigrams().name
    assert not vectors[3].any()


def test_an_embedder_without_its_extra_names_the_extra(monkeypatch):
    assert isinstance(embedder(TRIGRAM), Trigrams)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InputError, match=r"truthhypo\[models\]"):
        embedder("dmis-lab/biobert-v1.1")
    with pytest.raises(InputError, match="empty embedder name"):
        embedder(" ")


def test_edges_keep_the_cosine_and_pass_the_threshold(graph):
    receipt = build(graph, Trigrams(), form="linear", tau=0.8, top_k=3)
    concepts = list(graph.every_concept())
    wanted, cosines = brute(Trigrams().embed([concept.name for concept in concepts]), 0.6, 3)
    assert receipt.edges == len(wanted) > 0
    first, second = min(wanted)
    (link,) = [
        link for link in graph.links(concepts[first].key, concepts[second].key, hops=1) if link.kind == "similar_to"
    ]
    assert link.cosine == pytest.approx(cosines[first, second], abs=1e-9)


def test_the_receipt_is_the_contracts(graph):
    receipt = build(graph, Trigrams(), form="scaled").to_dict()
    assert {"concepts", "edges", "form", "tau", "cosine", "seconds"} <= receipt.keys()
    assert set(receipt["cosine"]) == {"min", "median", "max"}
    assert (receipt["concepts"], receipt["form"], receipt["model"]) == (40, "scaled", Trigrams().name)
    assert -1 <= receipt["cosine"]["min"] <= receipt["cosine"]["median"] <= receipt["cosine"]["max"] <= 1.0


def test_a_second_build_replaces_the_first(graph):
    many = build(graph, Trigrams(), form="linear", tau=0.6)
    few = build(graph, Trigrams(), form="linear", tau=0.9)
    keys = [concept.key for concept in graph.every_concept()]
    held = {
        (link.head, link.tail) for i, a in enumerate(keys) for b in keys[i + 1 :] for link in graph.links(a, b, hops=1)
    }
    assert many.edges > few.edges == len(held)


@pytest.mark.parametrize(("form", "tau"), [("paper", 0.2), ("linear", 0.0), ("paper", 0.74), ("linear", 1.0)])
def test_a_tau_that_keeps_nearly_all_or_nothing_is_refused_unless_forced(graph, form, tau):
    """A sigmoid of a cosine lies in [0.269, 0.731]: tau <= 0.26 keeps every pair, tau >= 0.74 none."""
    with pytest.raises(Refused, match="nothing was changed"):
        build(graph, Trigrams(), form=form, tau=tau)
    keys = [concept.key for concept in graph.every_concept()]
    assert not any(graph.links(keys[0], key, hops=1) for key in keys[1:])
    assert build(graph, Trigrams(), form=form, tau=tau, force=True).tau == tau


def test_concepts_without_a_name_are_left_out_and_one_is_not_enough(tmp_path):
    graph = store(tmp_path, ["aspirin", "aspirins", None])
    assert build(graph, Trigrams(), form="linear", force=True).concepts == 2
    with pytest.raises(InputError, match="at least two"):
        build(store(tmp_path, ["aspirin", None]), Trigrams())


@pytest.mark.parametrize(
    ("options", "message"), [({"tau": 1.1}, "tau"), ({"tau": -0.1}, "tau"), ({"top_k": 0}, "top_k")]
)
def test_numbers_out_of_range_are_refused(graph, options, message):
    with pytest.raises(InputError, match=message):
        build(graph, Trigrams(), **options)


def test_opposites_are_no_edges_however_near(tmp_path):
    graph = store(tmp_path, ["hyperglycemia", "hypoglycemia", "hyperglycemias"])
    receipt = build(graph, Trigrams(), form="linear", tau=0.6, force=True)
    assert (receipt.edges, receipt.left_out["opposites"]) == (1, 2)
    assert graph.links("Disease|D000", "Disease|D001", hops=1) == ()
