"""A look-up that must build the atlas of an embedded graph is killed, runs beside another look-up, or meets a full disk
or a read-only HOME.

The answer is always the same as with the atlas that the load built. Leftover files never change a later answer.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import cypher
from groundwork.settings import Settings
from tests.faults.commands import KILLED, PROGRAM
from tests.faults.test_full_disk import ROOM, disk, filled, mount

#: Number of kills, at calls that are evenly spread over a look-up.
KILLS = 12


def loaded(commands, releases, home: Path) -> tuple[list[str], object]:
    """Load a release; return a look-up between two of its concepts, and the answer, which holds chains."""
    release, _ = releases
    commands.done("--home", home, "ingest", "relations", release.path)
    settings = Settings(home=home)
    graph = cypher.connect(settings.graph_address, settings, read_only=True)
    edges = next(iter(graph.relations())).slice(0, 1).to_pylist()
    graph.close()
    look_up = ["--home", str(home), "graph", "chains", edges[0]["head"], edges[0]["tail"], "--hops", "3"]
    answer = commands.done(*look_up).json
    assert answer["chains"]
    return look_up, answer


def atlases(home: Path) -> list[Path]:
    """The folders beside the graph that hold an atlas or a part of one."""
    return [path for path in (home / "graph" / "atlas").glob("*") if path.is_dir()]


def test_a_look_up_killed_at_any_moment_changes_no_later_answer(commands, releases, tmp_path):
    look_up, answer = loaded(commands, releases, tmp_path)
    shutil.rmtree(tmp_path / "graph" / "atlas")
    calls = commands.done(*look_up, counted=True).calls
    killed = 0
    for number in range(KILLS):
        shutil.rmtree(tmp_path / "graph" / "atlas")
        killed += commands.run(*look_up, point=1 + number * calls // KILLS).code == KILLED
        assert commands.done(*look_up).json == answer
        assert len(atlases(tmp_path)) == 1
    assert killed >= KILLS - 1


def test_two_look_ups_that_build_the_atlas_at_once_give_the_same_answer(commands, releases, tmp_path):
    look_up, answer = loaded(commands, releases, tmp_path)
    shutil.rmtree(tmp_path / "graph" / "atlas")
    command = [PROGRAM, *look_up, "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    for one in both:
        out, err = one.communicate(timeout=120)
        assert one.returncode == 0, err
        assert json.loads(out) == answer
    assert len(atlases(tmp_path)) == 1


@pytest.mark.parametrize("left", [0, 20_000, 60_000])
def test_a_look_up_on_a_full_disk_gives_the_same_answer(commands, releases, tmp_path, left):
    with disk(tmp_path / "disk", ROOM) as home:
        look_up, answer = loaded(commands, releases, home)
        shutil.rmtree(home / "graph" / "atlas")
        filled(home, left)
        told = commands.done(*look_up)
        assert told.json == answer
        assert "is built now" in told.err
        assert "cannot be stored" in told.err or not left  # without room for a lock, the atlas is not stored
        assert atlases(home) == []
        (home / "filler").unlink()
        assert commands.done(*look_up).json == answer
        assert len(atlases(home)) == 1


@pytest.mark.parametrize("drawn", [True, False], ids=["with its atlas", "without"])
def test_a_look_up_in_a_read_only_home_gives_the_same_answer(commands, releases, tmp_path, drawn):
    with disk(tmp_path / "disk", ROOM) as home:
        look_up, answer = loaded(commands, releases, home)
        if not drawn:
            shutil.rmtree(home / "graph" / "atlas")
        assert mount("-o", "remount,ro", home).returncode == 0
        told = commands.done(*look_up)
        assert told.json == answer
        assert ("is built now" in told.err) is not drawn
