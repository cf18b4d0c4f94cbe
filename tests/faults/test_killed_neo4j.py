"""Neo4j is killed (SIGKILL) during a load: the load exits with 3. After Neo4j is started again, the same command
finishes the load. If Neo4j is stopped (SIGSTOP), look-ups end at their time limits.

The test is slow, because it starts Neo4j twice. Tests of frozen servers in tests/cypher/test_bolt_silent.py always run.

The same for Elasticsearch is in tests/ingest/test_pubmed_server_killed.py. `pytest tests/faults -m soak` kills it more often.
"""

import random
import time

import pytest

from tests.faults.commands import Commands, Told
from tests.faults.mortal import Mortal, mortal
from tests.faults.truths import holds

pytestmark = pytest.mark.servers


def killed(commands: Commands, server: Mortal, load: list[object], at: int, retry: float = 1) -> Told:
    """Run a load, kill the server after this many bytes, and start the server again."""
    server.way.passed, gone = 0, []

    def meets(passed: int) -> None:
        if passed >= at and not gone:
            gone.append(passed)
            server.kill()

    server.way.meets = meets
    told = commands.run(*load, settings={"graph_retry": retry})
    assert gone
    told.failed(3, server.way.address, "is not finished", "command again")
    server.start()
    return told


def stats(commands: Commands, load: list[object]) -> Told:
    """Run `graph stats` on the store of a load."""
    return commands.done(*load[:4], "graph", "stats")


def frozen(commands: Commands, server: Mortal, load: list[object]) -> None:
    """Run look-ups while the server is frozen."""
    with server.frozen():
        for look_up in (["graph", "stats"], ["ground", "Aspirin reduces fever."]):
            began = time.monotonic()
            told = commands.run(*load[:4], *look_up, settings={"graph_timeout": 2})
            assert time.monotonic() - began < 60
            told.failed(3, server.way.address, "2 s", "graph_timeout")


def walk(commands: Commands, releases, folder, kills: int, seed: int) -> None:
    first, second = releases
    chance = random.Random(seed)
    with mortal(folder / "neo4j") as server:
        home, address = folder / "home", server.way.address
        for number, release in enumerate((first, second)):
            load = ["--home", home, "--graph", address, "ingest", "relations", release.path]
            largest = 180_000 if not number else 60_000  # the two loads have about 230,000 and 95,000 bytes
            for _ in range(kills):
                killed(commands, server, load, chance.randrange(largest // 10, largest))
            commands.done(*load)
            holds(release, home, address)


@pytest.mark.slow
def test_neo4j_is_killed_in_the_middle_of_a_load(commands, releases, tmp_path, neo4j_address):
    first, _ = releases
    assert neo4j_address  # this machine can run Neo4j
    with mortal(tmp_path / "neo4j") as server:
        load = ["--home", tmp_path / "home", "--graph", server.way.address, "ingest", "relations", first.path]
        told = killed(commands, server, load, 150_000, retry=5)
        assert f"waiting for the graph server {server.way.address}: " in told.err
        assert "(limit 5 s, setting graph_retry)" in told.err
        assert list((tmp_path / "home" / "pending").glob("*@*/plan.json"))  # the load had begun to change the graph
        assert stats(commands, load).json["loading"] is True
        commands.done(*load)
        holds(first, tmp_path / "home", server.way.address)
        assert "loading" not in stats(commands, load).json
        frozen(commands, server, load)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_neo4j_is_killed_many_times(commands, releases, tmp_path, neo4j_address):
    assert neo4j_address
    walk(commands, releases, tmp_path, 5, seed=1)
