"""The loader is killed (SIGKILL) many times while it loads a release, its successor and the release again.

All tests here are slow. Killed loads that always run are in tests/cypher: test_embedded.py, and test_bolt_lease.py for
Neo4j.

A command is killed at a random call of its code (drawn from a seed), or a little later, perhaps inside a database
operation. Then the same command runs again, and may be killed again. `pytest tests/faults -m soak` repeats this more
often.
"""

import random
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from tests.faults.commands import KILLED, Commands, Told
from tests.faults.truths import Release, holds

#: Seconds between the call and the kill; often 0, so that the command is killed at the call itself.
DELAYS = (0, 0, 0.02, 0.1, 0.3)
#: Share of kills at calls that write the graph. Few calls do so.
WRITING = 0.7


class Way:
    """The commands, and the expected content of the graph after each command."""

    def __init__(self, home: Path, address: str, first: Release, second: Release) -> None:
        self.home, self.address = home, address
        where = ["--home", home, *(["--graph", address] if address else [])]
        self._steps = [
            ([*where, "ingest", "relations", first.path, "--release", "old"], first),
            ([*where, "ingest", "relations", second.path, "--release", "new"], second),
            ([*where, "ingest", "activate", "old"], first),
        ]

    def calm(self, commands: Commands) -> list[Told]:
        """Run the commands without kills, and return their outcomes."""
        calls = []
        for command, release in self._steps:
            calls.append(commands.done(*command, counted=True))
            holds(release, self.home, self.address)
        return calls

    def killed(self, commands: Commands, calls: list[Told], chance: random.Random, kills: int) -> int:
        """Run the commands, killing each up to this many times. Return the number of kills."""
        done = 0
        for (command, release), total in zip(self._steps, calls, strict=True):
            for _ in range(chance.randint(1, kills)):
                writing, seconds = chance.random() < WRITING, chance.choice(DELAYS)
                point = chance.randrange(1, total.writes if writing else total.calls)
                done += commands.run(*command, point=point, seconds=seconds, writing=writing).code == KILLED
            commands.done(*command)
            holds(release, self.home, self.address)
        assert not list((self.home / "pending").glob("*@*"))
        assert not list((self.home / "work").glob("run-*"))
        return done


def walk(commands: Commands, releases, folder: Path, walks: int, seed: int, address: str = "", empty=None) -> None:
    """Run the commands once without kills, and `walks` times with kills."""
    chance, killed = random.Random(seed), 0
    calls = Way(folder / "calm", address, *releases).calm(commands)
    assert min(told.writes for told in calls) > 5
    for number in range(walks):
        if empty:
            empty()
        killed += Way(folder / f"home-{number}", address, *releases).killed(commands, calls, chance, kills=2)
    assert killed >= 2 * walks  # otherwise nothing was tested


@pytest.mark.slow
def test_killed_loads_into_the_embedded_graph_end_correctly(commands, releases, tmp_path):
    walk(commands, releases, tmp_path, 1, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_killed_loads_into_the_embedded_graph_end_correctly(commands, releases, tmp_path):
    walk(commands, releases, tmp_path, 80, seed=2)


@pytest.fixture
def empty(neo4j_address):
    """Empty Neo4j before and after a test, and return a function that empties it."""

    def emptied() -> None:
        with GraphDatabase.driver(neo4j_address) as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")

    emptied()
    yield emptied
    emptied()


@pytest.mark.slow
@pytest.mark.servers
def test_killed_loads_into_neo4j_end_correctly(commands, releases, tmp_path, neo4j_address, empty):
    walk(commands, releases, tmp_path, 1, 3, neo4j_address, empty)


@pytest.mark.soak
@pytest.mark.servers
@pytest.mark.timeout(3600)
def test_many_killed_loads_into_neo4j_end_correctly(commands, releases, tmp_path, neo4j_address, empty):
    walk(commands, releases, tmp_path, 20, 4, neo4j_address, empty)
