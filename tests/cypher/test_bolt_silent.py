"""A frozen Neo4j accepts connections and never answers. Every call ends at its time limit, and loads say that they
wait."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from threading import Event, Timer

import pytest

from cypher.bolt import server as bolt_server
from cypher.bolt import write as bolt_write
from cypher.bolt.graph import BoltGraph
from cypher.bolt.lease import Lease
from groundwork import lease, threads
from groundwork.errors import StoreError, StoreUnreachable, TimeLimit
from groundwork.ports import Silent
from groundwork.settings import Settings
from tests.contracts.graphs import ASPIRIN, EXAMPLE, PAIN, fill, release
from tests.faults.tunnel import Cut, Tunnel, tunnel

#: A time limit that keeps the tests quick, and a time after which a call has surely ended, even on a busy machine.
LIMIT, SURELY = 2.0, 20.0

LOOK_UPS: dict[str, Callable[[BoltGraph], object]] = {
    "find": lambda store: store.find("aspirin"),
    "chains": lambda store: store.chains(ASPIRIN, PAIN),
    "stats": lambda store: store.stats(),
    "query": lambda store: store.query("MATCH (c:Concept) RETURN c.key"),
}


class Heard(Silent):
    """Progress that stores its notes."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def note(self, text: str) -> None:
        self.messages.append(text)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Short time limits, with a note for each wait."""
    monkeypatch.setattr(bolt_server, "_GRACE", 0.2)
    monkeypatch.setattr(bolt_server, "_BRIEF", 0.5)
    monkeypatch.setattr(bolt_server, "_SOON", 0.0)
    monkeypatch.setattr(threads, "EVERY", 0.3)
    monkeypatch.setattr(lease, "_EVERY", 0.0)
    monkeypatch.setattr(bolt_write, "Lease", partial(Lease, beat=0.2, patience=2.0))


@contextmanager
def frozen(way: Tunnel):
    """Let nothing pass during a block. Open connections stay open, and new connections are accepted."""
    thawed = Event()
    way.meets = lambda _: thawed.wait()
    try:
        yield
    finally:
        way.meets = lambda _: None
        thawed.set()


def cut(_: int) -> None:
    """Break a connection off."""
    raise Cut


def ends(call: Callable[[], object], kind: type[StoreError], *said: str) -> None:
    """Assert that a call ends in time with an error of this kind, and that the message contains these words."""
    began = time.monotonic()
    with pytest.raises(kind) as caught:
        call()
    assert time.monotonic() - began < SURELY
    for words in said:
        assert words in str(caught.value)


@pytest.fixture
def silent():
    """The address of a port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"bolt://127.0.0.1:{listening.getsockname()[1]}"


@pytest.mark.parametrize("look_up", LOOK_UPS)
def test_connecting_to_a_silent_port_ends_at_the_limit(silent, look_up):
    store = BoltGraph(silent, Settings(graph_timeout=LIMIT))
    ends(lambda: LOOK_UPS[look_up](store), StoreUnreachable, silent, "2 s", "graph_timeout")
    store.close()


@pytest.fixture
def way(bolt):
    """A tunnel to a filled Neo4j."""
    fill(bolt, EXAMPLE)
    with tunnel(bolt.address) as way:
        yield way


@pytest.mark.servers
@pytest.mark.parametrize("look_up", LOOK_UPS)
def test_a_look_up_on_a_frozen_server_ends_at_its_limit_and_works_again_afterwards(way, bolt, look_up):
    wanted = LOOK_UPS[look_up](bolt)  # from now on the server has a plan of the query
    store = BoltGraph(way.address, Settings(graph_timeout=LIMIT))
    store.releases()  # this opens a connection
    with frozen(way):
        ends(lambda: LOOK_UPS[look_up](store), TimeLimit, "limit of 2 s", "graph_timeout")
    assert LOOK_UPS[look_up](store) == wanted
    store.close()


@pytest.mark.servers
def test_a_load_waits_longer_than_a_look_up_and_says_so(way):
    heard, store = Heard(), BoltGraph(way.address, Settings(graph_timeout=LIMIT, graph_retry=2 * LIMIT))

    def load() -> None:
        with store.writing(heard):
            store.put_release(release("pubtator3", "a"))
            with frozen(way):
                store.put_release(release("pubtator3", "b"))

    ends(load, TimeLimit, "a write on", "limit of 4 s", "graph_retry")
    assert f"waiting for the graph server {way.address}: it does not answer" in heard.messages[0]
    assert "limit 4 s, setting graph_retry" in heard.messages[0]
    store.close()


@pytest.mark.servers
def test_a_load_continues_after_a_frozen_server_answers_again(way, bolt):
    store, thawed = BoltGraph(way.address, Settings(graph_timeout=LIMIT)), Event()
    with store.writing():
        store.put_release(release("pubtator3", "a"))
        way.meets = lambda _: thawed.wait()
        Timer(2 * LIMIT, thawed.set).start()
        store.put_release(release("pubtator3", "b"))
    assert [found.id for found in bolt.releases()] == ["a", "b"]
    store.close()


@pytest.mark.servers
def test_retries_of_a_write_on_a_stopped_server_are_reported(way):
    heard, store = Heard(), BoltGraph(way.address, Settings(graph_retry=LIMIT))
    with pytest.raises(StoreUnreachable), store.writing(heard):
        way.refusing, way.meets = True, cut
        store.put_release(release("pubtator3", "a"))
    told = heard.messages[-1]
    assert f"waiting for the graph server {way.address}: " in told
    assert "the load gives up in " in told
    assert "limit 2 s, setting graph_retry" in told
    store.close()


@pytest.mark.servers
def test_logs_of_the_driver_about_a_broken_connection_do_not_reach_stderr(way):
    code = (
        "import sys\n"
        "from cypher.bolt.graph import BoltGraph\n"
        "from groundwork.errors import StoreUnreachable\n"
        "from groundwork.settings import Settings\n"
        "store = BoltGraph(sys.argv[1], Settings())\n"
        "print(len(store.releases()), flush=True)\n"
        "input()\n"
        "try:\n"
        "    store.releases()\n"
        "except StoreUnreachable:\n"
        "    print('gone')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, way.address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()
    way.meets = cut
    said, errors = process.communicate("\n", timeout=60)
    assert said == "gone\n"
    assert errors == ""
