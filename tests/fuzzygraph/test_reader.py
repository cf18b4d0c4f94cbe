"""Claims of many texts read together: the same as one text at a time, with fewer look-ups."""

import pytest

import cypher
from fuzzygraph import reader
from fuzzygraph.reader import Reader
from groundwork.errors import InputError
from groundwork.settings import Settings
from tests.contracts.graphs import concept, fill

CONCEPTS = [
    concept("Chemical|MESH:D001241", ("aspirin", 9), ("acetylsalicylic acid", 3), ("ASA", 2)),
    concept("Gene|440", ("ASNS", 4), ("ASA", 1)),
    concept("Disease|MESH:D006261", ("headache", 5)),
    concept("Disease|MESH:D009203", ("myocardial infarction", 5), ("heart attack", 1)),
    concept("Chemical|MESH:D019821", ("simvastatin", 3)),
]
TEXTS = [
    "Aspirin relieves headache. It also prevents myocardial infarction.",
    "Asprin prevents myocardial infarctions.",
    "Symvastatin reduces miocardial infarction, but not headache.",
    "Does aspirin help? The moon hums.",
    "Acetylsalicylic acid (ASA) causes headaches, and ASA does not cause heart attack.",
    "The use of simvastatin in elderly patients increases the rate of headache attacks.",
] * 2


@pytest.fixture
def graph():
    return fill(cypher.connect("memory:", Settings()), [], CONCEPTS)


@pytest.mark.parametrize("together", [1, 5, 256])
def test_many_texts_read_together_give_the_claims_of_each_text_alone(graph, monkeypatch, together):
    monkeypatch.setattr(reader, "_TOGETHER", together)
    found = list(Reader(graph).read_all(TEXTS))
    assert found == [tuple(Reader(graph).read(text)) for text in TEXTS]
    linked = [said for claims in found for said in claims if said.triple and said.subject.key and said.object.key]
    assert {said.subject.how for said in linked} | {said.object.how for said in linked} >= {"name", "fuzzy"}


def test_near_names_of_many_texts_are_asked_for_once(graph, monkeypatch):
    asked = []
    whole = type(graph).find_all
    monkeypatch.setattr(type(graph), "find", lambda *_, **__: pytest.fail("asked one by one"))
    monkeypatch.setattr(type(graph), "find_all", lambda self, texts: asked.append(texts) or whole(self, texts))
    list(Reader(graph).read_all(TEXTS))
    assert len(asked) == 1 and "Asprin" in asked[0]


def test_an_empty_text_is_refused(graph):
    with pytest.raises(InputError):
        list(Reader(graph).read_all(["Aspirin relieves headache.", " "]))
