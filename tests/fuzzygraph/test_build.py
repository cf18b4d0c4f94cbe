"""Building similarity edges: which edges are kept, what is refused, and what a second build replaces."""

import json
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypher import connect
from fuzzygraph.embed import Trigrams
from fuzzygraph.membership import Membership
from fuzzygraph.options import FORMS
from fuzzygraph.similarity import cut
from groundwork.chance import sigmoid
from groundwork.errors import InputError, ModelError, Refused
from groundwork.ports import Graph
from groundwork.records import Concept
from groundwork.settings import Settings
from groundwork.tables import concept_batch
from tests.contracts.graphs import links_of
from tests.fuzzygraph.building import build

#: Names as vectors in the plane, by their angle in degrees.
ANGLES = {"north": 90, "nearly north": 80, "north-east": 45, "east": 0, "south": -90, "hyperpolar": 12, "hypopolar": 10}


class AngleEmbedder:
    """An embedder that gives each text a known angle, and records the texts that it embeds."""

    name = "compass"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        angles = np.radians([ANGLES[text] for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)


class FixedEmbedder:
    """An embedder that returns given vectors."""

    name = "odd"

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return self.rows


def store(settings: Settings, names: Sequence[str | None]) -> Graph:
    """Return a graph of concepts with these names. None stands for a concept without a name."""
    graph = connect("memory:", settings)
    concepts = [
        Concept(f"Disease|{i:03}", name or f"{i:03}", (name,) if name else (), (1,) if name else ())
        for i, name in enumerate(names)
    ]
    with graph.writing():
        graph.put_concepts([concept_batch(concepts)])
    return graph


def edges(graph: Graph) -> dict[tuple[str, str], float]:
    """Return the cosine of each similarity edge, by the names of its ends."""
    concepts = list(graph.every_concept())
    links = (link for a, b in combinations(concepts, 2) for link in links_of(graph, a.key, b.key, hops=1))
    name = {concept.key: concept.name for concept in concepts}
    return {(name[link.head], name[link.tail]): link.cosine for link in links if link.kind == "similar_to"}


def degrees(angle: float) -> float:
    return float(np.cos(np.radians(angle)))


COMPASS = ["north", "nearly north", "north-east", "east", "south"]


def test_an_edge_is_a_pair_whose_mu_is_above_tau_and_keeps_its_cosine(settings):
    graph = store(settings, COMPASS)
    receipt = build(graph, AngleEmbedder(), form="linear", tau=0.85)  # a cosine above 0.7: less than 45.6 degrees apart
    assert edges(graph) == pytest.approx(
        {
            ("north", "nearly north"): degrees(10),
            ("north", "north-east"): degrees(45),
            ("nearly north", "north-east"): degrees(35),
            ("north-east", "east"): degrees(45),
        },
        abs=1e-6,
    )
    assert receipt.edges == 4
    assert receipt.cosine == pytest.approx({"min": -1.0, "median": 0.0, "max": degrees(10)}, abs=2e-4)


def test_the_receipt_has_the_shape_of_the_contract(settings):
    receipt = build(store(settings, [*COMPASS, None]), AngleEmbedder(), top_k=3).to_dict()
    assert receipt.items() >= {"concepts": 5, "form": "scaled", "tau": 0.5, "model": "compass", "top_k": 3}.items()
    assert set(receipt["cosine"]) == {"min", "median", "max"}
    assert receipt["seconds"] >= 0
    assert receipt["left_out"] == {"unnamed": 1, "zero_vector": 0, "not_finite": 0, "opposites": 0}
    assert json.loads(json.dumps(receipt, allow_nan=False)) == receipt


def test_the_default_taus_of_all_forms_keep_the_same_edges(settings):
    kept = []
    for form, tau in (("scaled", 0.5), ("paper", sigmoid(0.26)), ("linear", 0.63)):
        graph = store(settings, COMPASS)
        assert build(graph, AngleEmbedder(), form=form).tau == pytest.approx(tau)
        kept.append(edges(graph))
    assert kept[0] == kept[1] == kept[2] != {}


@given(st.sampled_from(FORMS), st.floats(0, 1), st.floats(-1, 1))
def test_a_cosine_above_the_cut_has_a_mu_above_tau(form, tau, cosine):
    membership = Membership(form)
    bound = cut(membership, tau)
    for value in (cosine, -1.0, 1.0, bound, np.nextafter(bound, 2.0)):
        if -1 <= value <= 1:
            assert (value > bound) == (membership.mu(value) > tau)


def test_an_edge_is_kept_if_it_is_among_the_nearest_of_either_end(settings):
    graph = store(settings, COMPASS)
    build(graph, AngleEmbedder(), form="linear", tau=0.6, top_k=1)
    assert set(edges(graph)) == {("north", "nearly north"), ("nearly north", "north-east"), ("north-east", "east")}


@pytest.mark.parametrize("pair", [("hyperpolar", "hypopolar"), ("hypopolar", "hyperpolar")])
def test_opposites_get_no_edge_even_if_they_are_near(settings, pair):
    graph = store(settings, [*pair, "east", "south"])
    receipt = build(graph, AngleEmbedder())
    assert set(edges(graph)) == {(name, "east") for name in pair}
    assert receipt.left_out["opposites"] == 1


def test_opposites_are_recognised_in_any_spelling(settings):
    names = ["Hyperglycaemia", "hypoglycemia", "beta agonists", "beta antagonist", "fever"]
    graph = store(settings, names)
    receipt = build(graph, Trigrams(), form="linear", tau=0.6)
    assert receipt.left_out["opposites"] == 2
    assert edges(graph) == {}


def test_a_name_of_two_concepts_is_embedded_once_and_has_cosine_one(settings):
    graph, compass = store(settings, ["north", "south", "north", "east"]), AngleEmbedder()
    build(graph, compass)
    assert sorted(compass.asked) == ["east", "north", "south"]
    assert edges(graph) == {("north", "north"): 1.0}


def test_a_second_build_replaces_only_the_edges_of_its_model(settings):
    graph = store(settings, COMPASS)
    build(graph, Trigrams(), form="linear", tau=0.55)
    spelled = edges(graph)
    many = build(graph, AngleEmbedder(), form="linear", tau=0.6)
    few = build(graph, AngleEmbedder(), form="linear", tau=0.95)
    assert many.edges > few.edges == 1
    assert set(edges(graph)) == set(spelled) | {("north", "nearly north")}
    again = build(graph, AngleEmbedder(), form="linear", tau=0.6)
    assert again.edges == many.edges


@pytest.mark.parametrize(("form", "tau"), [("paper", 0.26), ("linear", 0.0), ("paper", 0.74), ("scaled", 1.0)])
def test_a_tau_that_keeps_nearly_all_or_nothing_is_refused(settings, form, tau):
    """A sigmoid of a cosine lies in [0.269, 0.731]: tau 0.26 keeps every pair and 0.74 none."""
    graph = store(settings, ["north", "nearly north", "north-east", "east", "hypopolar"])
    build(graph, AngleEmbedder())
    before = edges(graph)
    with pytest.raises(Refused) as refused:
        build(graph, AngleEmbedder(), form=form, tau=tau)
    assert edges(graph) == before
    assert refused.value.exit_code == 1
    assert "--force" in refused.value.remedy
    assert "of 10 pairs (cosines: min 0, median" in refused.value.seen
    assert build(graph, AngleEmbedder(), form=form, tau=tau, force=True).edges == (10 if tau < 0.5 else 0)


def test_a_refusal_says_what_other_taus_would_keep(settings):
    with pytest.raises(Refused) as refused:
        build(store(settings, COMPASS), AngleEmbedder(), form="linear", tau=1.0)
    said = dict(part.split(": ") for part in refused.value.wanted.split("other values of tau: ")[1].split(", "))
    compass = AngleEmbedder().embed(COMPASS).astype(float)
    cosines = (compass @ compass.T)[np.triu_indices(5, 1)]
    for tau in (0.1, 0.3, 0.6, 0.8, 0.9):  # no mu of a pair is close to one of these
        assert said[str(tau)] == f"{(cosines > 2 * tau - 1).mean():.2%}"


def test_a_tau_that_keeps_one_pair_of_a_million_is_refused(settings):
    names = [f"{i:04}" for i in range(1500)]
    rows = np.eye(1500, dtype=np.float32)
    rows[1] = rows[0]
    with pytest.raises(Refused, match=r"keeps 0\.00%"):
        build(store(settings, names), FixedEmbedder(rows))


@pytest.mark.parametrize("names", [[], ["north"], ["north", None, None]])
def test_less_than_two_names_cannot_be_compared(settings, names):
    with pytest.raises(InputError, match=r"(?s)at least two.*ingest concepts"):
        build(store(settings, names), AngleEmbedder(), force=True)


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ({"tau": 1.01}, "tau = 1.01"),
        ({"tau": -0.1}, "tau = -0.1"),
        ({"tau": float("nan")}, "tau = nan"),
        ({"top_k": 0}, "top_k = 0"),
        ({"form": "cosine"}, "form 'cosine'"),
    ],
)
def test_numbers_out_of_range_are_refused_before_anything_is_read(settings, options, seen):
    compass = AngleEmbedder()
    with pytest.raises(InputError, match=seen):
        build(store(settings, COMPASS), compass, **options)
    assert compass.asked == []


@pytest.mark.parametrize("rows", [np.ones((1, 2)), np.ones(5), np.full((5, 2), np.nan), np.full((5, 2), np.inf)])
def test_an_embedder_that_gives_unusable_vectors_is_named(settings, rows):
    with pytest.raises(ModelError, match="embedder odd"):
        build(store(settings, COMPASS), FixedEmbedder(rows))


def test_progress_is_reported(settings):
    told = []

    class Watch:
        def begin(self, stage, total, unit):
            told.append([stage, total, unit, 0])

        def advance(self, amount):
            told[-1][-1] += amount

    build(store(settings, [*COMPASS, "north"]), AngleEmbedder(), progress=Watch())
    assert told == [["embed names", 5, "names", 5], ["compare names", 15, "pairs", 15]]
