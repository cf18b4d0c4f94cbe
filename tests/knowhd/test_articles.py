"""Articles as sentences with mentions: a PubTator document has its own mentions, and other articles are linked once."""

import pytest

import cypher
import literature
from groundwork.linking import Linker
from groundwork.mention_cache import MentionCache
from groundwork.records import Abstract, Concept, Release, Text
from groundwork.settings import Settings
from groundwork.tables import concept_batch
from knowhd.gather import Articles

ASPIRIN, HEADACHE = "Chemical|MESH:D001241", "Disease|MESH:D006261"
RECORD = Abstract(1, Text("Aspirin.", "It treats headache. Aspirin is old."), None)
DOCUMENT = Abstract(2, None, Text("Aspirin.", "A drug for headache."), (HEADACHE,), spoken=(("headache", HEADACHE),))


def release(id):
    return Release("concepts", id, id, 1, 1, 0, "live", "2026-01-01T00:00:00Z", 1)


@pytest.fixture
def stores(tmp_path):
    settings = Settings(home=tmp_path)
    graph = cypher.connect("memory:", settings, read_only=False)
    texts = literature.connect("memory:", settings, read_only=False)
    with graph.writing():
        graph.put_concepts(
            [concept_batch([Concept(ASPIRIN, "aspirin", ("aspirin",), (9,)), Concept(HEADACHE, "headache", (), ())])]
        )
        graph.put_release(release("first"))
    with texts.writing():
        texts.put([RECORD, DOCUMENT])
        texts.put_release(release("first"))
    return graph, texts


@pytest.fixture
def linked(monkeypatch):
    """The texts that were linked, in order."""
    asked, mentions = [], Linker.all_mentions
    monkeypatch.setattr(
        Linker, "all_mentions", lambda linker, texts: mentions(linker, (asked.append(text) or text for text in texts))
    )
    return asked


def named(sentences):
    return [(passage.sentence, [mention.text for mention in passage.mentions]) for passage in sentences]


def test_a_document_has_its_own_mentions_and_a_record_is_linked(stores, linked):
    articles = Articles(*stores)
    record, none, document = articles.read([1, 99, 2])
    assert named(record) == [
        ("Aspirin.", ["Aspirin"]),
        ("It treats headache.", ["headache"]),
        ("Aspirin is old.", ["Aspirin"]),
    ]
    assert none == ()
    assert named(document) == [("Aspirin.", []), ("A drug for headache.", ["headache"])]
    assert linked == ["Aspirin. It treats headache. Aspirin is old."]


def test_each_sentence_knows_its_section(stores):
    _, texts = stores
    labelled = Text("Aspirin.", "We say why. METHODS: Rats got aspirin. Mice got none. RESULTS: Headache ended.")
    with texts.writing():
        texts.put([Abstract(3, labelled, None), Abstract(4, Text("", "RESULTS: Headache ended."), None)])
    titled, bare = Articles(*stores).read([3, 4])
    assert [passage.section for passage in titled] == ["title", None, "methods", "methods", "results"]
    assert [passage.section for passage in bare] == ["results"]


def test_an_article_is_linked_once_here_and_in_the_next_process(stores, linked, tmp_path):
    cache = tmp_path / "cache" / "mentions.sqlite"
    found = []
    for _ in range(2):
        articles = Articles(*stores, MentionCache(cache))
        for _ in range(2):
            articles.refresh()
            found.append(articles.read([1]))
    assert len(linked) == 1
    assert all(each == found[0] for each in found)


def test_for_another_organism_an_article_is_linked_again(stores, linked, tmp_path, monkeypatch):
    graph, _ = stores
    for species in ("", "10090", ""):
        monkeypatch.setattr(graph, "species", species)
        articles = Articles(*stores, MentionCache(tmp_path / "cache" / "mentions.sqlite"))
        articles.refresh()
        articles.read([1])
    assert len(linked) == 2


def test_after_a_new_release_of_names_an_article_is_linked_again(stores, linked, tmp_path):
    graph, _ = stores
    articles = Articles(*stores, MentionCache(tmp_path / "cache" / "mentions.sqlite"))
    articles.refresh()
    articles.read([1])
    with graph.writing():
        graph.put_release(release("second"))
    articles.refresh()
    articles.read([1])
    assert len(linked) == 2
