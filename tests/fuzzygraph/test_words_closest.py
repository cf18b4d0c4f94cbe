"""The closest sentence of the literature, and what `risk` says of its words."""

from collections.abc import Iterator
from math import log

import pytest

from cypher import connect as connect_graph
from fuzzygraph.check import Checker
from fuzzygraph.words import bm25, closest, word_list
from groundwork.ports import Literature
from groundwork.records import Abstract, Concept, Relation, Text
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch
from literature import connect
from tests.risks import checker_of

ARTICLES = {
    3: Text("Aspirin and pyrexia.", "Fever was measured twice. Aspirin lowers fever in adults. It did so soon."),
    7: Text("A trial of aspirin.", "Aspirin raises fever in adults.", retracted=True),
    9: Text("Glucose in adults.", "Insulin causes hypoglycemia. Adults were asked."),
}


@pytest.fixture(scope="module")
def literature(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Literature]:
    store = connect("memory:", Settings(home=tmp_path_factory.mktemp("home")))
    with store.writing():
        store.put([Abstract(pmid, text, None) for pmid, text in ARTICLES.items()])
    yield store
    store.close()


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    drug, symptom, insulin, high = "Chemical|MESH:D1", "Disease|MESH:D2", "Gene|3630", "Disease|MESH:D3"
    names = {drug: "aspirin", symptom: "fever", insulin: "insulin", high: "hyperglycemia"}
    store = connect_graph("memory:", Settings(home=tmp_path_factory.mktemp("graph")))
    with store.writing():
        store.put_concepts([concept_batch([Concept(key, name, (name,), (9,)) for key, name in names.items()])])
        edges = [Relation(drug, "negative_correlate", symptom, (3, 4)), Relation(high, "cause", insulin, (5,))]
        store.put_edges([edge_batch(edges)], "r1")
    yield checker_of(store)
    store.close()


def test_bm25_worked_by_hand():
    """Three documents, one holds "b" twice: idf ln(1 + 2.5 / 1.5), tf 2 / (2 + 1.2 (0.25 + 0.75 * 3 / 2))."""
    scores = bm25(["b"], [["a"], ["a", "b", "b"], ["c", "d"]], 1.2, 0.75)
    assert scores == pytest.approx([0.0, log(1 + 2.5 / 1.5) * 2 / (2 + 1.2 * (0.25 + 0.75 * 1.5)), 0.0])
    assert bm25(["b"], [], 1.2, 0.75) == []
    assert bm25([], [["a"]], 1.2, 0.75) == bm25(["a"], [[]], 1.2, 0.75) == [0.0]


def test_the_closest_sentence_has_the_highest_bm25_of_all_sentences(literature):
    (near,) = closest(literature, ["Aspirin lowers fever."])
    assert near is not None
    assert (near.pmid, near.sentence, near.retracted) == (3, "Aspirin lowers fever in adults.", False)


def test_cut_and_retraction_reach_the_search(literature):
    claim = ["Aspirin raises fever in adults."]
    (near,) = closest(literature, claim)
    assert near is not None
    assert (near.pmid, near.retracted) == (7, True)
    (others,) = closest(literature, claim, exclude_retracted=True)
    assert others is not None
    assert others.pmid == 3
    assert closest(literature, claim, before=2) == (None,)


def test_without_a_common_word_there_is_no_closest_sentence(literature):
    assert closest(literature, ["Zebrafish swim.", ""]) == (None, None)
    assert closest(literature, []) == ()


def test_risk_says_how_the_words_compare(checker, literature):
    (entry,) = checker.check("Aspirin lowers fever.", literature=literature).sentences
    words = entry.words
    assert words is not None
    assert (words.pmid, words.raw) == (3, pytest.approx(3 / 4))
    assert words.opposites == ()
    shape = entry.to_dict()["words"]
    assert set(shape) == {"pmid", "sentence", "score", "retracted", "raw", "expanded", "opposites", "flags"}


def test_opposites_that_differ_in_their_prefix_are_flagged(checker, literature):
    (entry,) = checker.check("Insulin causes hyperglycemia.", literature=literature).sentences
    assert entry.words is not None
    assert entry.words.opposites == (("hyperglycemia", "hypoglycemia"),)
    assert "opposites" in entry.words.flags


def test_high_confidence_and_few_words_in_common_is_flagged(checker, literature):
    text = "Among those who were seen at night by two of us, aspirin plainly diminishes every fever."
    (entry,) = checker.check(text, literature=literature).sentences
    assert entry.p_net is not None
    assert entry.p_net > 0.5
    assert entry.words is not None
    assert entry.words.raw < 0.3
    assert "low_overlap" in entry.words.flags


def test_without_a_literature_there_are_no_words_and_the_numbers_are_the_same(checker, literature):
    alone = checker.check("Aspirin lowers fever.").sentences[0]
    beside = checker.check("Aspirin lowers fever.", literature=literature).sentences[0]
    assert alone.words is None
    assert alone.to_dict() | {"words": None} == beside.to_dict() | {"words": None}


def test_words_without_content_are_left_out():
    assert word_list("The effect of IL-6 on the cell, IL-6!") == ["effect", "il-6", "cell", "il-6"]
