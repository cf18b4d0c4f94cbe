"""Notices never count as articles of an edge, and retracted articles do not count if they are excluded."""

import pytest

import cypher
import literature
from groundwork.errors import NoticesUnknown, StoreUnreachable
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from tests.contracts.graphs import concept, edge, fill
from truthhypo import connect

DRUG, PAIN, GENE = "Chemical|MESH:D000001", "Disease|MESH:D000002", "Gene|3"
NAMES = [concept(DRUG, ("drugamol", 9)), concept(PAIN, ("diseasitis", 9)), concept(GENE, ("GENX", 9))]
#: PMID 1 is an article, 2 an erratum (by its title), 3 a comment (by its publication types), 4 a retracted article.
TEXTS = {
    1: Text("Drugamol", "Drugamol treats diseasitis."),
    2: Text("Erratum: drugamol and diseasitis", ""),
    3: Text("Drugamol again", "", notice=True),
    4: Text("Drugamol", "Drugamol treats diseasitis.", retracted=True),
}
EDGES = [
    edge(DRUG, "treat", PAIN, 1, 2, 4, 5),  # no document has PMID 5
    edge(DRUG, "inhibit", GENE, 4),
    edge(GENE, "cause", PAIN, 1, 3),
    edge(DRUG, "cause", PAIN, 2, 3),  # only notices report the opposite
]
CLAIM = "Drugamol treats diseasitis."


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    graph = fill(cypher.connect(f"embedded:{home / 'graph'}", Settings(home=home)), EDGES, NAMES)
    texts = literature.connect(f"embedded:{home / 'literature'}", Settings(home=home))
    with texts.writing():
        texts.put(Abstract(pmid, text, None) for pmid, text in TEXTS.items())
    for store in (graph, texts):
        store.close()
    return home


@pytest.fixture
def world(home):
    with connect(home=home) as world:
        yield world


def test_notices_are_no_articles_of_chains_and_edges(world):
    edges = [(each.relation, each.pmids, each.articles) for each in world.graph.edges(DRUG, PAIN)]
    assert edges == [("treat", (5, 4, 1), 3)]
    assert world.graph.edges(DRUG, PAIN).edges[0].belief == pytest.approx(1 - (0.05 + 0.3**3))
    chains = [[hop.pmids for hop in chain.hops] for chain in world.graph.chains(DRUG, PAIN).chains]
    assert chains == [[(5, 4, 1)], [(4,), (1,)]]
    assert world.graph.edges(DRUG, PAIN, before=3).edges[0].pmids == (1,)
    assert world.graph.stats().edges == {"cause": 2, "inhibit": 1, "treat": 1}


@pytest.mark.parametrize(("excluded", "pmids", "paths"), [(False, (5, 4, 1), 2), (True, (5, 1), 1)])
def test_ground_and_risk_count_neither_notices_nor_excluded_articles(world, excluded, pmids, paths):
    (claim,) = world.ground(CLAIM, exclude_retracted=excluded, hops=2).claims
    assert [piece.pmids for piece in claim.evidence.graph] == [pmids]
    assert len(claim.evidence.chains) == paths - 1
    (measured,) = world.risk(CLAIM, exclude_retracted=excluded).sentences
    assert measured.paths_total == paths
    assert measured.paths[0].probability == pytest.approx(1 - (0.05 + 0.3 ** len(pmids)))
    assert measured.contradiction.sum == 0.0  # only notices report the opposite
    assert measured.observed.articles == (len(pmids), 0, 0)
    assert measured.hrs < 0.05


def test_a_load_of_the_literature_changes_what_counts(home, world):
    assert len(world.graph.edges(DRUG, PAIN)) == 1
    texts = literature.connect(f"embedded:{home / 'literature'}", Settings(home=home))
    with texts.writing():
        texts.drop([3])
    assert [each.pmids for each in world.graph.edges(DRUG, PAIN)] == [(5, 4, 1), (3,)]


def test_without_a_literature_all_articles_count_and_nobody_is_warned(home, recwarn):
    with connect(graph=f"embedded:{home / 'graph'}", home=home.parent / "empty") as world:
        assert [each.articles for each in world.graph.edges(DRUG, PAIN)] == [4, 2]
    assert not [each for each in recwarn if issubclass(each.category, NoticesUnknown)]


def test_an_unreachable_literature_is_told_of_and_excludes_nothing(home):
    with connect(home=home, literature="http://127.0.0.1:9") as world:
        with pytest.warns(NoticesUnknown, match="notices such as errata count"):
            assert [each.articles for each in world.graph.edges(DRUG, PAIN)] == [4, 2]
        with pytest.raises(StoreUnreachable):
            world.risk(CLAIM, exclude_retracted=True)
