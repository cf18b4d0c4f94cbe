"""A query that must draw its database is killed, runs beside another query, or meets a full disk or a read-only HOME.

The answer is always the same. Leftover files never change a later answer.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.faults.commands import KILLED, PROGRAM
from tests.faults.test_full_disk import ROOM, disk, filled, mount

#: Number of kills, at calls that are evenly spread over a query.
KILLS = 6
QUERY = "MATCH (a:Concept)-[r]->(b:Concept) RETURN label(r) AS kind, count(r), sum(r.articles) ORDER BY kind"


def loaded(commands, releases, home: Path) -> tuple[list[str], object]:
    """Load a release; return a query, and its answer."""
    release, _ = releases
    commands.done("--home", home, "ingest", "relations", release.path)
    query = ["--home", str(home), "graph", "query", QUERY]
    answer = commands.done(*query).json
    assert answer["rows"]
    return query, answer


def drawn(home: Path) -> list[Path]:
    """The folders beside the graph that hold a database or a part of one."""
    return [path for path in (home / "graph" / "drawn").glob("*") if path.is_dir()]


def test_a_query_killed_at_any_moment_changes_no_later_answer(commands, releases, tmp_path):
    query, answer = loaded(commands, releases, tmp_path)
    shutil.rmtree(tmp_path / "graph" / "drawn")
    calls = commands.done(*query, counted=True).calls
    killed = 0
    for number in range(KILLS):
        shutil.rmtree(tmp_path / "graph" / "drawn")
        killed += commands.run(*query, point=1 + number * calls // KILLS).code == KILLED
        assert commands.done(*query).json == answer
        assert len(drawn(tmp_path)) == 1
    assert killed >= KILLS - 1


def test_two_queries_at_once_draw_one_database(commands, releases, tmp_path):
    query, answer = loaded(commands, releases, tmp_path)
    shutil.rmtree(tmp_path / "graph" / "drawn")
    command = [PROGRAM, *query, "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    for one in both:
        out, err = one.communicate(timeout=120)
        assert one.returncode == 0, err
        assert json.loads(out) == answer
    assert len(drawn(tmp_path)) == 1


def test_a_query_on_a_full_disk_says_so_and_succeeds_when_there_is_room(commands, releases, tmp_path):
    with disk(tmp_path / "disk", ROOM) as home:
        query, answer = loaded(commands, releases, home)
        shutil.rmtree(home / "graph" / "drawn")
        filled(home, 60_000)
        told = commands.run(*query)
        assert told.code == 1 and "cannot be written" in told.err, told.err
        (home / "filler").unlink()
        assert commands.done(*query).json == answer
        assert len(drawn(home)) == 1


@pytest.mark.parametrize("there", [True, False], ids=["with its database", "without"])
def test_a_query_in_a_read_only_home_gives_the_same_answer(commands, releases, tmp_path, there):
    with disk(tmp_path / "disk", ROOM) as home:
        query, answer = loaded(commands, releases, home)
        if not there:
            shutil.rmtree(home / "graph" / "drawn")
        assert mount("-o", "remount,ro", home).returncode == 0
        assert commands.done(*query).json == answer
