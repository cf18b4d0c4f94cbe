"""A small world for judging: textbook facts in memory stores."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import cypher
import literature
from groundwork.linking import Linker, Mention
from groundwork.ports import Graph, Literature
from groundwork.records import Abstract, Concept, Relation, Text
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch

ASPIRIN, METFORMIN, IBUPROFEN = "Chemical|MESH:D001241", "Chemical|MESH:D008687", "Chemical|MESH:D007052"
INFARCTION, HEADACHE, DIABETES = "Disease|MESH:D009203", "Disease|MESH:D006261", "Disease|MESH:D003924"
AMPK, TP53, MDM2 = "Gene|5562", "Gene|7157", "Gene|4193"

CONCEPTS = [
    Concept(ASPIRIN, "aspirin", ("aspirin", "acetylsalicylic acid"), (9, 3)),
    Concept(METFORMIN, "metformin", ("metformin",), (9,)),
    Concept(IBUPROFEN, "ibuprofen", ("ibuprofen",), (9,)),
    Concept(INFARCTION, "myocardial infarction", ("myocardial infarction", "heart attack"), (9, 4)),
    Concept(HEADACHE, "headache", ("headache",), (9,)),
    Concept(DIABETES, "type 2 diabetes", ("type 2 diabetes",), (9,)),
    Concept(AMPK, "AMPK", ("AMPK",), (9,)),
    Concept(TP53, "TP53", ("TP53", "p53"), (9, 5)),
    Concept(MDM2, "MDM2", ("MDM2",), (9,)),
]

RELATIONS = [
    Relation(ASPIRIN, "treat", HEADACHE, (11, 12, 13)),
    Relation(ASPIRIN, "treat", INFARCTION, (11, 21, 22, 500)),
    Relation(ASPIRIN, "cause", INFARCTION, (23,)),
    Relation(METFORMIN, "treat", DIABETES, (31,)),
    Relation(METFORMIN, "positive_correlate", AMPK, (32,)),
    Relation(MDM2, "interact", TP53, (41,)),
    Relation(TP53, "associate", TP53, (42,)),
]

ARTICLES = {
    11: (
        "Aspirin for headache.",
        "We asked whether aspirin treats headache. Aspirin relieved headache within an hour.",
    ),
    21: ("Aspirin after a heart attack.", "Acetylsalicylic acid lowers the risk of a second heart attack."),
    31: ("Metformin.", "Metformin improves type 2 diabetes by activating AMPK."),
    61: ("Ibuprofen.", "Ibuprofen had no effect on myocardial infarction."),
    62: ("Ibuprofen again.", "Ibuprofen increased myocardial infarction."),
    500: ("Later aspirin.", "Aspirin prevents myocardial infarction."),
}
RETRACTED = {62}


@dataclass(frozen=True)
class Stores:
    """A graph and a literature, open, and a linker on the graph."""

    graph: Graph
    literature: Literature
    linker: Linker


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    settings = Settings(home=tmp_path_factory.mktemp("home"))
    graph = cypher.connect("memory:", settings, read_only=False)
    texts = literature.connect("memory:", settings, read_only=False)
    with graph.writing():
        graph.put_concepts([concept_batch(CONCEPTS)])
        graph.put_edges([edge_batch(RELATIONS)], "first")
    with texts.writing():
        texts.put(
            Abstract(pmid, Text(title, abstract, retracted=pmid in RETRACTED), None)
            for pmid, (title, abstract) in ARTICLES.items()
        )
    return Stores(graph, texts, Linker(graph))


def mention(text: str, words: str, key: str | None = None) -> Mention:
    """Return the first occurrence of some words in a text as a mention of a concept."""
    start = text.lower().index(words.lower())
    return Mention(text[start : start + len(words)], start, start + len(words), key or words, words, 1.0)


def knowing(home: Path, named: Mapping[str, str]) -> Linker:
    """Return a linker. `named` lists concepts by type: commas separate concepts, and | the names of a concept."""
    graph = cypher.connect("memory:", Settings(home=home), read_only=False)
    concepts = [
        Concept(f"{kind}|{number}", names[0], tuple(names), (9,) * len(names))
        for kind, listed in named.items()
        for number, names in enumerate((each.split("|") for each in listed.split(", ")), start=1)
    ]
    with graph.writing():
        graph.put_concepts([concept_batch(concepts)])
    return Linker(graph)
