"""Bulk writing with faults: no document is lost or doubled, and readers see a load completely or not at all. The memory
store is the reference."""

import random
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

import literature
from groundwork.errors import StoreError, StoreUnreachable
from groundwork.records import Abstract, Text
from literature import elastic_load
from tests.literature.proxy import Proxy, in_front_of

pytestmark = pytest.mark.servers

TROUBLES = ["refuse", "unready", "refuse_some", "refuse_some", "cut", "cut_after", "stall", "pass", "pass"]


@pytest.fixture
def quick(monkeypatch):
    """Short pauses and small requests."""
    monkeypatch.setattr(elastic_load, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(elastic_load, "LONGEST_PAUSE", 0.05)
    monkeypatch.setattr(elastic_load, "DOCUMENTS", 20)


@pytest.fixture
def own(settings):
    return settings.model_copy(update={"literature_index": f"test-{uuid4().hex}", "literature_timeout": 10.0})


@pytest.fixture
def client(own, elasticsearch_address):
    with Elasticsearch(elasticsearch_address) as client:
        yield client
        for index in client.indices.get(index=f"{own.literature_index}*", expand_wildcards="all"):
            client.indices.delete(index=index)


@pytest.fixture
def proxy(client, elasticsearch_address):
    with in_front_of(elasticsearch_address) as proxy:
        yield proxy


@pytest.fixture
def store(own, proxy):
    store = literature.connect(proxy.address, own)
    yield store
    store.close()


@pytest.fixture
def hasty(own, proxy):
    """A store whose loads have short time limits."""
    store = literature.connect(proxy.address, own.model_copy(update={"literature_retry": 0.3}))
    yield store
    store.close()


def document(pmid: int, word: str) -> Abstract:
    return Abstract(pmid, None, Text(f"{word} {pmid % 7}", f"pain {word}"))


def drawn(proxy: Proxy, seed: int) -> None:
    """Draw faults from a seed, with only a few stalls, so that the test does not take minutes."""
    chance = random.Random(seed)

    def trouble(_documents: int) -> str:
        what = chance.choice(TROUBLES)
        return "cut" if what == "stall" and proxy.done["stall"] > 2 else what

    proxy.trouble = trouble


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_after_any_faults_the_index_equals_the_memory_store(store, settings, proxy, quick, seed):
    memory = literature.connect("memory:", settings)
    changes = random.Random(seed)
    drawn(proxy, seed)
    for word in ("fever", "cough"):
        put = {pmid: document(pmid, word) for pmid in changes.sample(range(1, 900), 500)}
        drop = changes.sample(range(1, 900), 120)
        for one in (memory, store):
            with one.writing():
                one.put(list(put.values())[:300])
                one.keep(f"{word} {seed}")  # a step of a larger load
                one.put(list(put.values())[300:])
                one.drop(drop)
    assert set(TROUBLES) <= set(proxy.done)
    pmids = list(memory.every_pmid())
    assert list(store.every_pmid()) == pmids
    assert store.info().documents == len(pmids)  # nothing doubled
    assert store.get(pmids) == memory.get(pmids)
    for query in ("fever", "cough 3", "pain"):
        wanted, found = memory.search(query, k=1000).hits, store.search(query, k=1000).hits
        assert [hit.pmid for hit in found] == [hit.pmid for hit in wanted]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], rel=1e-5)


def test_only_refused_documents_are_sent_again(store, proxy, quick):
    sizes = []

    def trouble(documents: int) -> str:
        sizes.append(documents)
        return "refuse_some" if documents > 2 else "pass"

    proxy.trouble = trouble
    with store.writing():
        store.put(document(pmid, "fever") for pmid in range(1, 21))
    assert sizes == [20, 10, 5, 3, 2]
    assert store.info().documents == 20


def test_the_number_of_concurrent_requests_is_bounded(store, proxy, quick):
    drawn(proxy, 5)
    with store.writing():
        store.put(document(pmid, "fever") for pmid in range(1, 700))
    assert 2 <= proxy.largest <= elastic_load.THREADS
    assert store.info().documents == 699


def test_documents_that_are_always_refused_are_reported_by_pmid_and_nothing_is_shown(hasty, proxy, quick, monkeypatch):
    store = hasty
    with store.writing():
        store.put([document(1, "fever")])
    proxy.trouble = lambda documents: "refuse_some" if documents > 1 else "pass"
    monkeypatch.setattr(elastic_load._Sender, "_once", _refusing(elastic_load._Sender._once, pmid=5))
    with (
        pytest.raises(StoreError, match=r"in 0\.3 s \(setting literature_retry\): PMID 5: es_rejected"),
        store.writing(),
    ):
        store.put(document(pmid, "cough") for pmid in range(2, 30))
    assert list(store.every_pmid()) == [1]


def _refusing(once, pmid: int):
    """Change the answers of the server, so that it always refuses one document."""

    def answer(self, items):
        again = once(self, [item for item in items if item.pmid != pmid]) if len(items) > 1 else []
        return again + [(item, "es_rejected_execution_exception: full") for item in items if item.pmid == pmid]

    return answer


@pytest.mark.parametrize(("trouble", "kind"), [("cut", StoreUnreachable), ("unready", StoreUnreachable)])
def test_an_unreachable_server_ends_the_load_and_the_load_can_be_repeated(hasty, proxy, quick, trouble, kind):
    store = hasty
    proxy.trouble = lambda _documents: trouble
    with pytest.raises(kind), store.writing():
        store.put(document(pmid, "fever") for pmid in range(100))
    assert proxy.done[trouble] >= 3
    assert store.info().documents == 0
    proxy.trouble = lambda _documents: "pass"
    with store.writing():
        store.put(document(pmid, "fever") for pmid in range(100))
    assert store.info().documents == 100


def test_a_failed_step_is_repeated_after_the_last_kept_step(hasty, proxy, quick):
    store = hasty
    with pytest.raises(StoreUnreachable), store.writing():
        store.put(document(pmid, "fever") for pmid in range(1, 50))
        store.keep("one")
        proxy.trouble = lambda documents: "cut_after"
        store.put(document(pmid, "cough") for pmid in range(40, 90))
        store.keep("two")
    assert store.info().documents == 0
    proxy.trouble = lambda documents: "pass"
    with store.writing(resume=["one", "two"]) as reached:
        assert reached == "one"
        store.put(document(pmid, "cough") for pmid in range(40, 90))
    assert store.info().documents == 89
    assert store.get([45])[45] == document(45, "cough")


def test_replicas_and_refreshes_wait_until_a_generation_is_written(store, own, client):
    with pytest.raises(KeyError), store.writing():
        store.put([document(1, "fever")])
        store.keep("one")
        name = f"{own.literature_index}-000001"
        written = client.indices.get_settings(index=name)[name]["settings"]["index"]
        assert (written["number_of_replicas"], written["auto_expand_replicas"]) == ("0", "false")
        assert written["refresh_interval"] == "-1"
        raise KeyError
    with store.writing(resume=["one"]):
        pass
    live = client.indices.get_settings(index=name)[name]["settings"]["index"]
    assert live["auto_expand_replicas"] == "0-1"
