"""Connections to a server break, stall or are refused. The load ends correctly, or exits with 3 and ends correctly when
it runs again. All tests here are slow; `pytest tests/faults -m soak` repeats them more often.

Faulty answers of Elasticsearch to bulk requests are tested in tests/literature/test_bulk.py.
"""

import random
import time
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch
from neo4j import GraphDatabase

from tests.faults.commands import Commands
from tests.faults.truths import documents, holds
from tests.faults.tunnel import Cut, Tunnel, tunnel

pytestmark = pytest.mark.servers

#: Runs of one command, at most, until it ends; faults become rarer from run to run.
RUNS = 12


class Trouble:
    """Faults of connections, drawn from a seed. A connection is cut or stalls, or new ones are refused."""

    def __init__(self, way: Tunnel, chance: random.Random, often: int) -> None:
        self._way, self._chance, self._often = way, chance, often
        self._next, self.met = way.passed + chance.randrange(often), 0
        way.meets = self

    def __call__(self, passed: int) -> None:
        if passed < self._next:
            return
        self._next = passed + self._chance.randrange(1, self._often)
        self.met += 1
        what = self._chance.choice(("cut", "cut", "stall", "refuse"))
        if what == "stall":
            time.sleep(0.3)
        if what == "refuse":
            self._way.refusing = True
            time.sleep(0.3)
            self._way.refusing = False
        if what != "stall" or self._chance.random() < 0.5:
            raise Cut


def until_done(commands: Commands, way: Tunnel, chance: random.Random, often: int, *load: object) -> int:
    """Run a command with faults again and again until it succeeds. Return the number of faults."""
    met = 0
    for run in range(RUNS):
        trouble = Trouble(way, chance, often * 2**run)
        told = commands.run(*load, settings={"graph_retry": 1})
        met += trouble.met
        way.meets = lambda passed: None
        if told.code == 0:
            return met
        told.failed(3)
    raise AssertionError(f"not done after {RUNS} runs: {told.err}")


@pytest.fixture
def graph(neo4j_address):
    """A tunnel to an empty Neo4j."""

    def empty() -> None:
        with GraphDatabase.driver(neo4j_address) as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")

    empty()
    with tunnel(neo4j_address) as way:
        yield way
    empty()


def there_and_back(commands: Commands, releases, way: Tunnel, folder, seed: int, rarely: int = 1) -> None:
    """Load a release, its successor and the release again. Faults are `rarely` times less frequent."""
    chance, (first, second) = random.Random(seed), releases
    where = ["--home", folder / f"home-{seed}", "--graph", way.address]
    steps = [
        (["ingest", "relations", first.path, "--release", "old"], first, 60_000),
        (["ingest", "relations", second.path, "--release", "new"], second, 20_000),
        (["ingest", "activate", "old"], first, 20_000),
    ]
    met = 0
    for command, release, often in steps:
        met += until_done(commands, way, chance, often * rarely, *where, *command)
        holds(release, folder / f"home-{seed}", way.address)
    assert met > 3


@pytest.mark.slow
def test_loads_over_faulty_connections_to_neo4j_end_correctly(commands, releases, graph, tmp_path):
    there_and_back(commands, releases, graph, tmp_path, seed=1, rarely=3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_loads_over_faulty_connections_to_neo4j_end_correctly(commands, releases, graph, tmp_path, seed):
    there_and_back(commands, releases, graph, tmp_path, seed)


@pytest.fixture
def index(elasticsearch_address):
    """The name of an index that is not there yet; it is removed afterwards."""
    name = f"test-{uuid4().hex}"
    yield name
    with Elasticsearch(elasticsearch_address) as client:
        for made in client.indices.get(index=f"{name}*", expand_wildcards="all"):
            client.indices.delete(index=made)


def articles_under_trouble(commands, articles, oracle, address, index, folder, seed: int) -> None:
    with tunnel(address) as way:
        where = ["--home", folder / f"home-{seed}", "--literature", way.address]
        settings = {"literature_index": index, "literature_timeout": 10}
        met = 0
        for run in range(RUNS):
            trouble = Trouble(way, random.Random(seed + run), 60_000 * 2**run)
            told = commands.run(*where, "ingest", "pubmed", *articles, settings=settings)
            met, way.meets = met + trouble.met, lambda passed: None
            if told.code == 0:
                break
            told.failed(3)
            assert documents(folder / f"home-{seed}", way.address, index) == 0
        assert (told.code, met > 2) == (0, True)
        oracle.check(folder / f"home-{seed}", way.address, index)


@pytest.mark.slow
def test_loads_over_faulty_connections_to_elasticsearch_end_correctly(
    commands, articles, oracle, elasticsearch_address, index, tmp_path
):
    articles_under_trouble(commands, articles, oracle, elasticsearch_address, index, tmp_path, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20, 320, 20))
def test_many_loads_over_faulty_connections_to_elasticsearch_end_correctly(
    commands, articles, oracle, elasticsearch_address, index, tmp_path, seed
):
    articles_under_trouble(commands, articles, oracle, elasticsearch_address, index, tmp_path, seed)
