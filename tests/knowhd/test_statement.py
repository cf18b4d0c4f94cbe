"""Claims as triples: of one text, and of many texts that are read together."""

import pytest

import cypher
from groundwork.errors import InputError
from groundwork.reading.encoder import shipped
from groundwork.settings import Settings
from knowhd import statement
from knowhd.statement import TripleReader
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


def read(graph, text):
    return list(TripleReader(graph, shipped()).read(text))


@pytest.mark.parametrize("together", [1, 5, 256])
def test_many_texts_read_together_give_the_claims_of_each_text_alone(graph, monkeypatch, together):
    monkeypatch.setattr(statement, "_TOGETHER", together)
    found = list(TripleReader(graph, shipped()).read_all(TEXTS))
    assert found == [tuple(read(graph, text)) for text in TEXTS]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Aspirin relieves headache.", ("aspirin", "relieves", "treat", "headache", -1, False, False)),
        ("Headache is caused by aspirin.", ("aspirin", "caused by", "cause", "headache", 1, False, False)),
        ("Aspirin does not cause headache.", ("aspirin", "cause", "cause", "headache", 1, True, False)),
        ("Aspirin may cause headache.", ("aspirin", "cause", "cause", "headache", 1, False, True)),
        ("Aspirin is associated with headache.", ("aspirin", "associated with", "associate", "headache", 0, False, False)),
    ],
)  # fmt: skip
def test_a_claim_is_read_as_a_triple(graph, text, stated):
    (said,) = read(graph, text)
    triple = said.triple
    ends = (triple.subject.text.lower(), triple.predicate, triple.relation, triple.object.text.lower())
    assert (*ends, triple.sign, triple.negated, triple.hedged) == stated


@pytest.mark.parametrize(
    ("text", "claimed", "denied"),
    [
        ("Simvastatin causes headache, but not myocardial infarction.", ["simvastatin headache"], ["simvastatin myocardial infarction"]),
        ("Simvastatin, but not aspirin, causes headache.", ["simvastatin headache"], ["aspirin headache"]),
        ("Simvastatin, unlike aspirin, causes headache.", ["simvastatin headache"], []),
        ("Does aspirin cause headache?", [], []),
        ("Simvastatin causes headache and aspirin prevents myocardial infarction.", ["aspirin myocardial infarction", "simvastatin headache"], []),
    ],
)  # fmt: skip
def test_the_contrasted_concept_is_denied(graph, text, claimed, denied):
    found = [said.triple for said in read(graph, text) if said.triple]
    assert [
        sorted(f"{t.subject.text} {t.object.text}".lower() for t in found if t.negated is no) for no in (False, True)
    ] == [claimed, denied]


@pytest.mark.parametrize(
    "text",
    [
        "1. Aspirin relieves headache\n2. Simvastatin prevents myocardial infarction",
        "Aspirin relieves headache [1]\nSimvastatin prevents myocardial infarction (Smith 2020; Doe 2019)",
        "| Drug | Effect |\n|---|---|\n| Aspirin | relieves headache |\n| Simvastatin | prevents myocardial infarction |",
        "Aspi\u200brin relieves head\u00adache<br>Simvastatin prevents myocardial infarction\u00b9\u00b2",
    ],
)
def test_each_statement_of_a_layout_is_a_claim(graph, text):
    found = [said.triple.keys for said in read(graph, text)]
    keys = [concept.key for concept in CONCEPTS]
    assert found == [(keys[0], keys[2]), (keys[4], keys[3])]


def test_an_empty_text_is_refused(graph):
    with pytest.raises(InputError):
        list(TripleReader(graph, shipped()).read_all(["Aspirin relieves headache.", " "]))
