"""Only one load runs on a server at a time, and a dead load does not block others."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from cypher.bolt import write as bolt_write
from cypher.bolt.graph import BoltGraph
from cypher.bolt.lease import Lease
from groundwork.errors import StoreBusy
from groundwork.ports import Silent
from tests.contracts.graphs import EXAMPLE, fill, release, stored

pytestmark = pytest.mark.servers

BEAT, PATIENCE = 0.2, 2.0


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Leases that expire soon."""
    monkeypatch.setattr(bolt_write, "Lease", partial(Lease, beat=BEAT, patience=PATIENCE))


@pytest.fixture
def other(bolt, settings):
    """A second store object at the same address, like that of another process."""
    store = BoltGraph(bolt.address, settings)
    yield store
    store.close()


def test_a_second_load_is_refused_while_the_first_lives(bolt, other):
    with bolt.writing():
        bolt.put_release(release("pubtator3", "a"))
        with pytest.raises(StoreBusy, match="is being loaded by another process") as caught, other.writing():
            pass
        assert str(os.getpid()) in str(caught.value)
        with pytest.raises(StoreBusy), bolt.writing():
            pass
        with pytest.raises(StoreBusy):
            other.put_release(release("pubtator3", "b"))
    with other.writing():
        other.put_release(release("pubtator3", "b"))
    assert [found.id for found in bolt.releases()] == ["a", "b"]


def test_readers_are_admitted_during_a_load(bolt, other):
    fill(bolt, EXAMPLE)
    with bolt.writing():
        bolt.put_release(release("pubtator3", "a", state="loading"))
        assert len(stored(other)) == len(EXAMPLE)
        assert [found.state for found in other.releases()] == ["loading"]


def test_an_error_in_a_load_gives_the_lease_back(bolt, other):
    with pytest.raises(KeyError), bolt.writing():
        raise KeyError("anything")
    with other.writing():
        pass


def test_the_lease_of_a_dead_load_is_taken_over(bolt, other):
    """The first holder sends no more heartbeats, like a process that was killed or lost its connection."""
    dead = Lease(bolt.server, beat=3600, patience=PATIENCE)
    bolt.put_release(release("pubtator3", "a"))
    with pytest.raises(StoreBusy, match="another load has taken over"), dead.held():
        began = time.monotonic()
        with other.writing():
            assert time.monotonic() - began >= PATIENCE
            # The old holder is alive and tries to continue, which is refused.
            bolt._lease = dead
            try:
                bolt.put_release(release("pubtator3", "late"))
            finally:
                bolt._lease = None
    assert [found.id for found in other.releases()] == ["a"]


def test_a_killed_process_does_not_block_another(bolt):
    code = (
        "import sys, time\n"
        "from cypher.bolt.graph import BoltGraph\n"
        "from groundwork.settings import Settings\n"
        "with BoltGraph(sys.argv[1], Settings()).writing():\n"
        "    print('held', flush=True)\n"
        "    time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, bolt.address], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match=str(process.pid)), bolt.writing():
            pass
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    fill(bolt, EXAMPLE)
    assert len(stored(bolt)) == len(EXAMPLE)


def test_a_dead_holder_does_not_make_the_server_look_busy(bolt, other):
    lease = Lease(bolt.server, BEAT, PATIENCE)
    with bolt.writing():
        pass  # the schema is made
    lease.take(Silent())  # it sends no heartbeats
    other.check_idle()
    with other.writing(), pytest.raises(StoreBusy, match="is being loaded by another process"):
        bolt.check_idle()
