"""Errors of the driver become our errors. None shows a secret, and each says what to check."""

import inspect
import socket
import threading
from unittest.mock import MagicMock

import pytest
from neo4j import exceptions
from neo4j.exceptions import GqlError, Neo4jError

from cypher.bolt.errors import explained
from cypher.bolt.graph import BoltGraph
from cypher.bolt.server import Server
from groundwork.errors import InputError, QueryRefused, SizeLimit, StoreBusy, StoreError, StoreUnreachable, TimeLimit
from groundwork.settings import Settings
from tests.servers import neo4j as servers
from tests.servers.errors import UnavailableError
from tests.servers.fixtures import in_ci

ADDRESS = "bolt://127.0.0.1:7687"
PASSWORD = "correct horse battery"
CLASSES = [kind for _, kind in inspect.getmembers(exceptions, inspect.isclass) if issubclass(kind, GqlError | OSError)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("free", [False, True])
def test_every_error_class_of_the_driver_becomes_one_of_ours(kind, free):
    with pytest.raises((StoreError, InputError)) as caught, explained(ADDRESS, Settings(), free=free):
        raise kind("something went wrong")
    assert ADDRESS in str(caught.value) or free


@pytest.mark.parametrize(
    ("code", "wanted", "words"),
    [
        ("Neo.ClientError.Security.Unauthorized", StoreUnreachable, "graph_password"),
        ("Neo.ClientError.Security.AuthenticationRateLimit", StoreUnreachable, "graph_password"),
        ("Neo.ClientError.Security.Forbidden", StoreUnreachable, "graph_user"),
        ("Neo.ClientError.Database.DatabaseNotFound", StoreUnreachable, "graph_database"),
        ("Neo.ClientError.Transaction.TransactionTimedOut", TimeLimit, "graph_timeout"),
        ("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", TimeLimit, "7.5 s"),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", SizeLimit, "db.memory.transaction.max"),
        ("Neo.TransientError.General.OutOfMemoryError", SizeLimit, "server.memory.heap.max_size"),
        ("Neo.TransientError.Database.DatabaseUnavailable", StoreUnreachable, "has started"),
        ("Neo.TransientError.Transaction.DeadlockDetected", StoreBusy, "again"),
        ("Neo.DatabaseError.General.UnknownError", StoreError, "said so"),
        ("Neo.ClientError.Statement.SyntaxError", StoreError, "said so"),
    ],
)
def test_codes_of_the_server_become_our_errors(code, wanted, words):
    with pytest.raises(wanted, match=words), explained(ADDRESS, Settings(graph_timeout=7.5)):
        raise Neo4jError._hydrate_neo4j(code=code, message="said so")


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("Neo.ClientError.Statement.SyntaxError", InputError),
        ("Neo.ClientError.Statement.ParameterMissing", InputError),
        ("Neo.ClientError.Statement.ArithmeticError", InputError),
        ("Neo.ClientError.Statement.AccessMode", QueryRefused),
    ],
)
def test_errors_in_a_users_query_are_input_errors(code, wanted):
    with pytest.raises(wanted, match="said so"), explained(ADDRESS, Settings(), free=True):
        raise Neo4jError._hydrate_neo4j(code=code, message="said so")


# -- no server


def unreachable(address, **more):
    store = BoltGraph(address, Settings(**more))
    for call in (store.stats, lambda: store.find("x"), lambda: store.writing().__enter__()):
        with pytest.raises(StoreUnreachable) as caught:
            call()
        assert address in str(caught.value) and "check" in str(caught.value)
    store.close()
    store.close()


@pytest.fixture
def listener():
    """A socket that listens but never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def test_a_port_without_a_listener_is_reported_as_unreachable():
    with socket.create_server(("127.0.0.1", 0)) as closing:
        port = closing.getsockname()[1]
    unreachable(f"bolt://127.0.0.1:{port}")


def test_a_port_that_never_answers_is_reported_as_unreachable(listener):
    """A server that has not fully started behaves like this."""
    unreachable(f"bolt://127.0.0.1:{listener.getsockname()[1]}", graph_timeout=0.2)


def test_a_port_that_speaks_http_is_reported_as_unreachable(listener):
    def answer():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    threading.Thread(target=answer, daemon=True).start()
    unreachable(f"bolt://127.0.0.1:{listener.getsockname()[1]}")


@pytest.mark.parametrize("address", ["bolt://127.0.0.1:port", "bolt://127.0.0.1:99999", "bolt://127.0.0.1:7687/?a=b"])
def test_an_invalid_address_is_refused(address):
    with pytest.raises(InputError, match="address"):
        BoltGraph(address, Settings()).stats()


def test_a_password_in_the_address_is_refused_and_not_repeated():
    with pytest.raises(InputError, match="graph_password") as caught:
        BoltGraph(f"bolt://neo4j:{PASSWORD}@127.0.0.1", Settings())
    assert PASSWORD not in str(caught.value)


def test_a_connection_that_breaks_while_a_message_is_sent_is_an_unreachable_server_and_a_write_is_retried():
    """The driver then fails with an error of its own buffer, which is none of its error classes."""

    broken = BufferError("Existing exports of data: object cannot be re-sized")
    driver = MagicMock()
    driver.session.side_effect = [broken, broken, MagicMock()]
    server = Server(ADDRESS, Settings(graph_retry=5.0))
    server.__dict__["_driver"] = driver
    with pytest.raises(StoreUnreachable, match="broke while a message was sent"):
        server.read("concept_count")
    server.write(lambda _: None)
    assert driver.session.call_count == 3


# -- a server with a password


@pytest.fixture(scope="module")
def guarded():
    """A Neo4j that asks for a password."""
    try:
        with servers.start(password=PASSWORD, heap="512m", quick=True) as server:
            yield server.address
    except UnavailableError as error:
        (pytest.fail if in_ci() else pytest.skip)(str(error))


@pytest.mark.slow
@pytest.mark.servers
def test_user_and_password_come_from_the_settings(guarded, neo4j_address):
    store = BoltGraph(guarded, Settings(graph_password=PASSWORD))
    assert store.stats().concepts == {}
    store.close()


@pytest.mark.slow
@pytest.mark.servers
@pytest.mark.parametrize("password", ["", "wrong staple"])
def test_a_wrong_password_names_the_setting_not_the_secret(guarded, neo4j_address, password):
    store = BoltGraph(guarded, Settings(graph_password=password))
    for call in (store.stats, lambda: store.writing().__enter__()):
        with pytest.raises(StoreUnreachable, match="graph_password") as caught:
            call()
        assert not password or password not in str(caught.value)
    store.close()


@pytest.mark.servers
def test_a_missing_database_is_reported_with_its_setting(neo4j_address):
    store = BoltGraph(neo4j_address, Settings(graph_database="elsewhere"))
    for call in (store.stats, lambda: store.writing().__enter__()):
        with pytest.raises(StoreUnreachable, match="graph_database"):
            call()
    store.close()


@pytest.mark.servers
def test_routing_addresses_are_accepted(neo4j_address):
    store = BoltGraph(neo4j_address.replace("bolt://", "neo4j://"), Settings())
    assert store.query("RETURN 1 AS one").rows == ((1,),)
    store.close()
