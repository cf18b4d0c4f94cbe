"""Embedding neighbours: the nearest names by cosine, ranked; what is too far, of another type or opposite is left out."""

from collections.abc import Sequence

import numpy as np
import pytest

from cypher import connect
from fuzzygraph.check import Checker
from fuzzygraph.membership import Membership
from fuzzygraph.similarity.near import NearNames
from fuzzygraph.similarity.vectors import Vectors
from groundwork.errors import InputError, ModelError
from groundwork.linking import Linker
from groundwork.records import Concept
from groundwork.tables import concept_batch

#: Names and phrases as vectors in the plane, by their angle in degrees; hub of none has no direction.
ANGLES = {
    "myocardial infarction": 10, "angina": 40, "aspirin": 80, "hyperglycemia": 12, "hypoglycemia": 11, "fever": 200,
    "heart attack": 12, "nameless": None,
}  # fmt: skip
CONCEPTS = {
    "Disease|1": "myocardial infarction",
    "Disease|2": "angina",
    "Chemical|3": "aspirin",
    "Disease|4": "hyperglycemia",
    "Disease|5": "fever",
}


class Compass:
    """An embedder of those names; it counts what it is asked."""

    name = "compass"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        angles = [ANGLES[text] for text in texts]
        turned = [(0.0, 0.0) if a is None else (np.cos(np.radians(a)), np.sin(np.radians(a))) for a in angles]
        return np.array(turned, np.float32) * 3


@pytest.fixture
def graph(settings):
    store = connect("memory:", settings)
    with store.writing():
        store.put_concepts([concept_batch([Concept(key, name, (name,), (7,)) for key, name in CONCEPTS.items()])])
    return store


@pytest.fixture
def near(graph, settings) -> NearNames:
    vectors, names = Vectors(settings.home, "compass"), list(CONCEPTS.values())
    with vectors.alone():
        vectors.add(names, Compass().embed(names))
    return NearNames(graph, Compass(), settings.home, Membership("scaled", 13.4, 0.26))


def cosine(one: str, other: str) -> float:
    return float(np.cos(np.radians(ANGLES[one] - ANGLES[other])))


def test_the_nearest_names_come_best_first_with_their_cosines(near):
    found = near.near("heart attack")
    assert [match.matched for match in found] == ["hyperglycemia", "myocardial infarction", "angina", "aspirin"]
    for match in found:
        assert match.score == pytest.approx(cosine("heart attack", match.matched), abs=1e-6)
        assert (match.how, match.mentions) == ("embedding", 7)
    assert near._membership.mu(cosine("heart attack", "fever")) < 0.5


def test_of_one_type_only(near):
    assert [match.key for match in near.near("heart attack", "Chemical")] == ["Chemical|3"]
    assert near.near("heart attack", "Gene") == ()


def test_no_more_than_asked_for(graph, settings, near):
    few = NearNames(graph, Compass(), settings.home, Membership(), limit=2)
    assert few.near("heart attack") == near.near("heart attack")[:2]


def test_a_phrase_that_nothing_links_has_them_as_alternatives_and_stays_unlinked(graph, near):
    linked = Linker(graph, neighbours=near)
    found = linked.link("heart attack")
    assert (found.key, found.score, found.how) == (None, 0.0, "none")
    assert [match.key for match in found.alternatives] == ["Disease|4", "Disease|1", "Disease|2", "Chemical|3"]
    assert Linker(graph).link("heart attack").alternatives == ()
    (risk,) = Checker(graph, neighbours=near).check("Aspirin prevents heart attack.").sentences
    assert risk.status == "unlinked"
    assert "Disease|1" in {match.key for match in risk.object.alternatives}


def test_an_opposite_is_no_alternative_however_near(graph, near):
    found = Linker(graph, neighbours=near).link("hypoglycemia")
    assert "Disease|1" in {match.key for match in found.alternatives}
    assert "embedding" not in {match.how for match in found.alternatives if match.key == "Disease|4"}


def test_what_is_spelled_right_does_not_ask_for_them(graph, near):
    linked = Linker(graph, neighbours=near)
    assert linked.link("Aspirin").key == "Chemical|3"
    assert linked.link("myocardial infarctions").key == "Disease|1"
    assert near._embedder.asked == []


def test_a_graph_without_vectors_or_a_phrase_without_a_direction_is_told(graph, tmp_path, near):
    with pytest.raises(InputError, match="no vectors by compass"):
        NearNames(graph, Compass(), tmp_path / "empty", Membership()).near("heart attack")
    with pytest.raises(ModelError, match="no usable vector for 'nameless'"):
        near.near("nameless")
