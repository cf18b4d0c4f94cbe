"""`ingest similarity` is killed (SIGKILL) many times: the same command gives the same edges, and `activate` goes back.

This works as in `test_killed_loader`, but loads similarity edges between the names of the sample release. The sample
that always runs is in tests/truthhypo/test_similarity_command.py.
"""

import random
from pathlib import Path
from shutil import copytree

import pytest

import cypher
from groundwork.settings import Settings
from tests.faults.commands import KILLED, Commands, Told
from tests.faults.test_killed_loader import DELAYS, WRITING, empty
from truthhypo.faces.demo import load_sample
from truthhypo.world import World

__all__ = ["empty"]

NEAR = ["ingest", "similarity", "--embedder", "trigram", "--form", "linear", "--tau"]


def held(home: Path, address: str) -> tuple[dict, list]:
    """Return the similarity edges, and what the graph says of their releases. Check that no release is loading."""
    settings = Settings(home=home, graph=address)
    graph = cypher.connect(settings.graph_address, settings, read_only=True)
    try:
        rows = [row for batch in graph.similarities() for row in batch.to_pylist()]
        edges = {(row["model"], row["head"], row["tail"]): row["cosine"] for row in rows}
        assert len(edges) == len(rows) == graph.counts().similarities
        releases = [one for one in graph.releases() if one.source == "similarity"]
        assert all(one.state != "loading" for one in graph.releases())
        made = [(one.id, one.state, one.sha256, one.similarity) for one in releases]
    finally:
        graph.close()
    return edges, sorted(made, key=lambda one: one[0])


class Way:
    """The commands (load a set of edges, a larger set, and go back), and the content of the graph after each."""

    def __init__(self, home: Path, address: str, calm: Path | None = None) -> None:
        if calm is None or address:
            with World(Settings(home=home, graph=address), read_only=False) as world:
                load_sample(world)
        else:
            copytree(calm, home)
        self.home, self.address = home, address
        where = ["--home", home, *(["--graph", address] if address else [])]
        self.commands = [
            [*where, *NEAR, 0.62, "--release", "few"],
            [*where, *NEAR, 0.56, "--release", "many", "--top-k", 30],
            [*where, "ingest", "activate", "similarity:few"],
        ]

    def calm(self, commands: Commands) -> tuple[list[Told], list[tuple[dict, list]]]:
        """Run the commands without kills. Return their outcomes and the content of the graph after each."""
        told, states = [], []
        for command in self.commands:
            told.append(commands.done(*command, counted=True))
            states.append(held(self.home, self.address))
        return told, states

    def killed(self, commands: Commands, told, states, chance: random.Random, kills: int) -> int:
        """Run the commands, killing each up to this many times. Return the number of kills."""
        done = 0
        for command, total, wanted in zip(self.commands, told, states, strict=True):
            for _ in range(chance.randint(1, kills)):
                writing, seconds = chance.random() < WRITING, chance.choice(DELAYS)
                point = chance.randrange(1, total.writes if writing else total.calls)
                done += commands.run(*command, point=point, seconds=seconds, writing=writing).code == KILLED
            commands.done(*command)
            assert held(self.home, self.address) == wanted
        assert not list((self.home / "pending").glob("*@*"))
        assert not list((self.home / "work").glob("run-*"))
        return done


def walk(commands: Commands, folder: Path, walks: int, seed: int, address: str = "", emptied=lambda: None) -> None:
    """Run the commands once without kills, and `walks` times with kills."""
    chance, killed, sample = random.Random(seed), 0, folder / "sample"
    way = Way(folder / "calm", address)
    if not address:
        copytree(way.home, sample)
    told, states = way.calm(commands)
    few, many, again = (edges for edges, _ in states)
    assert 0 < len(few) < len(many)
    assert again == few
    assert [one.json["similarities"]["total"] for one in told] == [len(edges) for edges in (few, many, again)]
    for number in range(walks):
        emptied()
        killed += Way(folder / f"home-{number}", address, sample).killed(commands, told, states, chance, kills=2)
    assert killed >= 2 * walks  # otherwise nothing was tested


@pytest.mark.slow
def test_killed_loads_into_the_embedded_graph_end_correctly(commands, tmp_path):
    walk(commands, tmp_path, 1, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_killed_loads_into_the_embedded_graph_end_correctly(commands, tmp_path):
    walk(commands, tmp_path, 40, seed=2)


@pytest.mark.slow
@pytest.mark.servers
def test_killed_loads_into_neo4j_end_correctly(commands, tmp_path, neo4j_address, empty):
    walk(commands, tmp_path, 1, 3, neo4j_address, empty)
