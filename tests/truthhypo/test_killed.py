"""A change of the embedded graph is killed (SIGKILL): the graph can be read, and the same command finishes the
change."""

import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from truthhypo.faces.cli.entry import run

ROWS = 40_000
PROGRAM = [str(Path(sys.executable).parent / "truthhypo")]


def release(path: Path, seed: int) -> Path:
    """A relation file of many edges, half of them shared by all seeds."""
    chance, shared = random.Random(seed), random.Random(0)
    with path.open("w") as file:
        for row in range(ROWS):
            dice = shared if row % 2 else chance
            head, tail = dice.randrange(3000), dice.randrange(3000)
            file.write(f"{dice.randrange(1, 10**7)}\tassociate\tGene|{head}\tGene|{10_000 + tail}\n")
    return path


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    """A folder with two releases; the first is live in `home`, the second in `undisturbed`."""
    folder = tmp_path_factory.mktemp("killed")
    first, second = release(folder / "a.tsv", 1), release(folder / "b.tsv", 2)
    ingest(folder / "home", first)
    shutil.copytree(folder / "home", folder / "undisturbed")
    ingest(folder / "undisturbed", second)
    return folder


def ingest(home: Path, file: Path) -> None:
    assert run(["--home", str(home), "ingest", "relations", str(file)]) == 0


def kill_after_it_began(home: Path, file: Path, seconds: float) -> bool:
    """Kill a load this long after it began to change the graph; return False if it had already finished."""
    process = subprocess.Popen(
        [*PROGRAM, "--home", home, "ingest", "relations", file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = monotonic() + 120
    while process.poll() is None and monotonic() < deadline and not any((home / "pending").glob("*@*")):
        sleep(0.005)
    sleep(seconds)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("kills", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_a_killed_load_leaves_a_readable_graph_and_the_same_command_finishes_it(loaded, command, kills):
    wanted = command("--home", loaded / "undisturbed", "graph", "stats").json["digest"]
    killed = 0
    for kill in range(kills):
        home = loaded / f"home-{kill}"
        shutil.copytree(loaded / "home", home)
        killed += kill_after_it_began(home, loaded / "b.tsv", kill * 0.15)
        left = command("--home", home, "graph", "stats")
        assert left.code == 0, left.err
        told = command("--home", home, "ingest", "relations", loaded / "b.tsv")
        assert told.code == 0, told.err
        assert command("--home", home, "graph", "stats").json["digest"] == wanted
        shutil.rmtree(home)
    assert killed
