"""Two loads of one store at the same time: the second is refused (exit 3) while the first runs, and the first ends
normally."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch
from neo4j import GraphDatabase

from tests.faults.commands import begun
from tests.faults.truths import documents, holds
from tests.faults.tunnel import Tunnel, tunnel


def until(happened: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def held_up(way: Tunnel, passed: int) -> Iterator[Event]:
    """Stall one connection after this many bytes, until the block ends. Other connections continue. The yielded event
    is set when the connection stalls."""
    stalled, over = Event(), Event()

    def meets(so_far: int) -> None:
        if so_far >= passed and not stalled.is_set():
            stalled.set()
            over.wait(120)

    way.meets = meets
    try:
        yield stalled
    finally:
        over.set()


def test_a_second_load_of_the_embedded_graph_is_refused(commands, releases, tmp_path):
    first, second = releases
    home = tmp_path / "home"
    one = begun("--home", home, "ingest", "relations", first.path)
    until(lambda: any((home / "pending").glob("*@*/plan.json")) or one.poll() is not None)
    one.send_signal(signal.SIGSTOP)
    assert one.poll() is None  # the load is stopped in the middle
    commands.run("--home", home, "ingest", "relations", second.path).failed(3, "in use by another process")
    one.send_signal(signal.SIGCONT)
    assert one.communicate()[1].count(b"truthhypo: ") == 0
    assert one.returncode == 0
    holds(first, home)
    commands.done("--home", home, "ingest", "relations", second.path)
    holds(second, home)


def test_a_second_load_of_the_embedded_index_is_refused(commands, articles, oracle, tmp_path):
    home = tmp_path / "home"
    one = begun("--home", home, "ingest", "pubmed", *articles)
    until(lambda: (home / "literature" / "draft").exists() or one.poll() is not None)
    one.send_signal(signal.SIGSTOP)
    assert one.poll() is None
    commands.run("--home", home, "ingest", "pubmed", *articles).failed(3, "being loaded by another process")
    assert documents(home) == 0
    one.send_signal(signal.SIGCONT)
    one.communicate()
    assert one.returncode == 0
    oracle.check(home)


@pytest.mark.slow
@pytest.mark.servers
def test_a_second_load_of_neo4j_is_refused(commands, releases, tmp_path, neo4j_address):
    first, second = releases
    home = tmp_path / "home"
    with GraphDatabase.driver(neo4j_address) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    with tunnel(neo4j_address) as way:
        with held_up(way, 100_000) as stalled:
            one = begun("--home", home, "--graph", way.address, "ingest", "relations", first.path)
            until(lambda: stalled.is_set() or one.poll() is not None)
            for other in (home, tmp_path / "another"):
                told = commands.run("--home", other, "--graph", neo4j_address, "ingest", "relations", second.path)
                told.failed(3, "is being loaded by another process")
        one.communicate()
        assert one.returncode == 0
    holds(first, home, neo4j_address)
    commands.done("--home", home, "--graph", neo4j_address, "ingest", "relations", second.path)
    holds(second, home, neo4j_address)


@pytest.mark.slow
@pytest.mark.servers
def test_a_second_load_of_elasticsearch_is_refused(
    commands, articles, oracle, tmp_path, elasticsearch_address, monkeypatch
):
    index = f"test-{uuid4().hex}"
    monkeypatch.setenv("TRUTHHYPO_LITERATURE_INDEX", index)
    settings = {"literature_index": index}
    try:
        with tunnel(elasticsearch_address) as way:
            with held_up(way, 100_000) as stalled:
                home = ["--home", tmp_path / "home", "--literature"]
                one = begun(*home, way.address, "ingest", "pubmed", *articles)
                until(lambda: stalled.is_set() or one.poll() is not None)
                for other in (home, ["--home", tmp_path / "another", "--literature"]):
                    told = commands.run(*other, elasticsearch_address, "ingest", "pubmed", *articles, settings=settings)
                    told.failed(3, "is being loaded by another process")
            one.communicate()
            assert one.returncode == 0
        oracle.check(tmp_path / "home", elasticsearch_address, index)
    finally:
        with Elasticsearch(elasticsearch_address) as client:
            for made in client.indices.get(index=f"{index}*", expand_wildcards="all"):
                client.indices.delete(index=made)
