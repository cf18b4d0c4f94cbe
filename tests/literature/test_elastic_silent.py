"""An Elasticsearch that accepts connections and never answers: every request ends at its time limit, and loads say that
they wait."""

import socket
import time
from functools import partial
from threading import Event
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

import literature
from groundwork import lease, threads
from groundwork.errors import TimeLimit
from groundwork.ports import Silent
from groundwork.records import Abstract, Text
from literature import elastic, elastic_load, generations
from tests.contracts.graphs import release
from tests.faults.tunnel import tunnel

SURELY = 20.0  # seconds; a limit of one or two has ended a call by then, even on an overloaded machine


class Heard(Silent):
    """Progress that remembers its notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_search_at_a_silent_port_ends_at_the_limit_and_the_advice_fits_a_search(settings):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        store = literature.connect(address, settings.model_copy(update={"literature_timeout": 0.5}))
        began = time.monotonic()
        with pytest.raises(TimeLimit, match=r"limit of 0\.5 s") as caught:
            store.search("pain")
        assert time.monotonic() - began < SURELY
        assert "literature_timeout" in caught.value.remedy
        assert "fewer hits" in caught.value.remedy
        assert "hops" not in caught.value.remedy
        store.close()


@pytest.fixture
def own(settings, elasticsearch_address):
    """Settings with a separate index and short time limits."""
    index = f"test-{uuid4().hex}"
    yield settings.model_copy(update={"literature_index": index, "literature_timeout": 2.0, "literature_retry": 2.0})
    with Elasticsearch(elasticsearch_address) as client:
        for name in client.indices.get(index=f"{index}*", expand_wildcards="all"):
            client.indices.delete(index=name)


@pytest.mark.servers
@pytest.mark.parametrize("when", ["documents", "finish"])
def test_a_load_on_a_server_that_freezes_reports_the_wait_and_ends_at_its_limit(
    own, elasticsearch_address, monkeypatch, when
):
    for module in (threads, elastic_load):
        monkeypatch.setattr(module, "EVERY", 0.3)
    monkeypatch.setattr(lease, "_EVERY", 0.0)
    monkeypatch.setattr(elastic_load, "_SOON", 0.0)
    monkeypatch.setattr(elastic, "Lease", partial(elastic_load.Lease, beat=0.2))
    monkeypatch.setattr(elastic_load, "_BRIEF", 0.5)
    thawed, heard = Event(), Heard()
    with tunnel(elasticsearch_address) as way:

        def freezing(step):
            def frozen(*arguments, **more):
                way.meets = lambda _: thawed.wait()
                return step(*arguments, **more)

            return frozen

        if when == "documents":
            monkeypatch.setattr(elastic_load._Sender, "_once", freezing(elastic_load._Sender._once))
        else:
            monkeypatch.setattr(generations, "finish", freezing(generations.finish))
        store, began = literature.connect(way.address, own), time.monotonic()
        with pytest.raises(TimeLimit) as caught, store.writing(progress=heard):
            store.put([Abstract(1, None, Text("pain", ""))])
        assert time.monotonic() - began < 2 * SURELY
        assert "hops" not in caught.value.remedy
        assert f"waiting for Elasticsearch at {way.address}: " in heard.notes[0]
        assert "(limit 2 s, setting literature_retry)" in heard.notes[0]
        way.meets = lambda _: None
        thawed.set()
        store.close()


@pytest.mark.servers
def test_writing_only_a_release_makes_no_new_generation(own, elasticsearch_address):
    store = literature.connect(elasticsearch_address, own)
    with store.writing():
        store.put([Abstract(1, None, Text("pain", ""))])
        store.put_release(release("documents", "a", state="loading"))
    with Elasticsearch(elasticsearch_address) as client:
        before = list(client.indices.get_alias(name=own.literature_index))
        with store.writing():
            store.put_release(release("documents", "a"))
        assert list(client.indices.get_alias(name=own.literature_index)) == before
    assert [found.state for found in store.releases()] == ["live"]
    assert store.info().documents == 1
    store.close()
