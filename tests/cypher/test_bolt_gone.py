"""A Neo4j that has stopped: how often calls are retried, and what happens to a lease that cannot be released."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread

import pytest

from cypher.bolt import write as bolt_write
from cypher.bolt.graph import BoltGraph
from cypher.bolt.lease import Lease
from cypher.bolt.server import Server, run
from groundwork.errors import StoreUnreachable
from groundwork.settings import Settings
from tests.contracts.graphs import release
from tests.faults.tunnel import Cut, tunnel


@contextmanager
def hanging_up() -> Iterator[tuple[str, list[object]]]:
    """An address at which every connection is closed at once, and the list of connections."""
    calls: list[object] = []

    def listen() -> None:
        while True:
            try:
                connection, caller = listener.accept()
            except OSError:
                return
            calls.append(caller)
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=listen, daemon=True).start()
        yield f"bolt://127.0.0.1:{listener.getsockname()[1]}", calls
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(("retry", "most"), [(0.0, 30.0), (30.0, 0.0)])
def test_a_write_is_retried_no_longer_than_the_setting_and_the_caller_allow(retry, most):
    with hanging_up() as (address, calls):
        server = Server(address, Settings(graph_retry=retry))
        with pytest.raises(StoreUnreachable, match="no graph server answers"):
            server.write(lambda transaction: run(transaction, "lease_seen"), most=most)
        server.close()
    assert 1 <= len(calls) <= 2  # a second call is possible if the clock does not advance in between


def test_a_failed_write_is_retried_within_the_time_of_the_setting():
    with hanging_up() as (address, calls):
        server = Server(address, Settings(graph_retry=0.1))
        with pytest.raises(StoreUnreachable):
            server.write(lambda transaction: run(transaction, "lease_seen"))
        server.close()
    assert len(calls) >= 2


@pytest.mark.servers
def test_a_server_stop_after_the_last_write_fails_no_load_and_the_lease_is_taken_over(bolt, settings, monkeypatch):
    monkeypatch.setattr(bolt_write, "Lease", partial(Lease, beat=0.2, patience=2.0))

    def cut(_: int) -> None:
        raise Cut

    with tunnel(bolt.address) as way:
        far = BoltGraph(way.address, settings)
        with far.writing():
            far.put_release(release("pubtator3", "a"))
            way.refusing, way.meets = True, cut
        far.close()
    assert Lease(bolt.server)._seen()
    bolt.put_release(release("pubtator3", "b"))
    assert [found.id for found in bolt.releases()] == ["a", "b"]
