"""A full disk: HOME is on a small tmpfs that becomes full at a different stage in each test.

The load ends with exit code 1 and one message that says what to do. Readers see the old content, or the same message if
the graph was being written. After space is freed, the same command succeeds.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree

import pytest

from tests.faults.commands import Commands
from tests.faults.truths import Oracle, documents, holds

ROOM = "200m"


@contextmanager
def disk(folder: Path, size: str) -> Iterator[Path]:
    """A folder of limited size. The test is skipped if none can be mounted."""
    folder.mkdir()
    made = mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
    if made.returncode:
        pytest.skip(f"a small disk cannot be mounted here (that takes root on Linux): {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)  # readers may still hold its files open


def mount(*arguments: object) -> subprocess.CompletedProcess[str]:
    if sys.platform != "linux" or os.geteuid():
        return subprocess.CompletedProcess([], 1, "", "not root on Linux")
    return subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True, check=False)


def resize(folder: Path, size: str) -> None:
    assert mount("-o", f"remount,size={size}", folder).returncode == 0


def filled(folder: Path, left: int) -> None:
    """Fill the disk until this many bytes are left."""
    usage = os.statvfs(folder)
    with (folder / "filler").open("wb") as file:
        file.write(b"\0" * max(0, usage.f_bavail * usage.f_frsize - left))


#: The size of the disk, and the stage at which a first load finds it full.
FIRST = {"40k": "rows", "64k": "snapshot", "500k": "before the graph", "1100k": "concepts", "1500k": "edges"}


#: The sizes that always run; the others are slow.
FIRST_QUICK = {"40k", "1100k"}


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(size, id=f"{size} {stage}", marks=[] if size in FIRST_QUICK else pytest.mark.slow)
        for size, stage in FIRST.items()
    ],
)
def test_a_first_load_on_a_full_disk_succeeds_after_space_is_freed(commands, releases, tmp_path, size):
    first, _ = releases
    with disk(tmp_path / "disk", size) as home:
        refused(commands, home, first)
        resize(home, ROOM)
        holds(None, home)
        commands.done("--home", home, "ingest", "relations", first.path)
        holds(first, home)


def refused(commands: Commands, home: Path, release) -> None:
    told = commands.run("--home", home, "ingest", "relations", release.path)
    told.failed(1, "cannot be written", "make room on the disk", "run the same command again")
    assert not list((home / "work").glob("run-*"))


@pytest.fixture(scope="module")
def loaded(commands, releases, tmp_path_factory) -> Path:
    """A HOME with the first release."""
    home = tmp_path_factory.mktemp("loaded") / "home"
    commands.done("--home", home, "ingest", "relations", releases[0].path)
    return home


def successor_on_a_full_disk(commands: Commands, releases, loaded: Path, folder: Path, left: int) -> bool:
    """Load a successor with this many free bytes. Return whether the space was too small."""
    first, second = releases
    with disk(folder, ROOM) as home:
        copytree(loaded, home, dirs_exist_ok=True)
        filled(home, left)
        told = commands.run("--home", home, "ingest", "relations", second.path)
        if told.code:
            told.failed(1, "cannot be written", "make room on the disk")
        (home / "filler").unlink()
        begun = any((home / "pending").glob("*@*/plan.json"))
        if told.code and not begun:  # it failed before its first change, or at the note after its last one
            try:
                holds(first, home)
            except AssertionError:
                holds(second, home)
        commands.done("--home", home, "ingest", "relations", second.path)
        holds(second, home)
    return told.code == 1


@pytest.mark.parametrize("left", [pytest.param(20_000, marks=pytest.mark.slow), 200_000])
def test_a_load_of_a_successor_on_a_full_disk_succeeds_after_space_is_freed(commands, releases, loaded, tmp_path, left):
    assert successor_on_a_full_disk(commands, releases, loaded, tmp_path / "disk", left)


@pytest.mark.parametrize("apart", [pytest.param(3, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.soak)])
def test_a_load_of_a_successor_succeeds_at_many_sizes_of_the_disk(commands, releases, loaded, tmp_path, apart):
    sizes = [*range(0, 400_000, apart * 20_000), *range(400_000, 6_000_000, apart * 200_000)]
    struck = {
        left: successor_on_a_full_disk(commands, releases, loaded, tmp_path / f"disk-{left}", left) for left in sizes
    }
    assert struck[0]
    assert struck[1_000_000]
    assert not struck[sizes[-1]]


PUBMED = {"60k": "ledger", "300k": "records", "700k": "draft", "1500k": "segments"}


@pytest.mark.parametrize("size", PUBMED, ids=[f"{size} {stage}" for size, stage in PUBMED.items()])
def test_a_load_of_articles_on_a_full_disk_succeeds_after_space_is_freed(
    commands, articles, oracle: Oracle, tmp_path, size
):
    with disk(tmp_path / "disk", size) as home:
        told = commands.run("--home", home, "ingest", "pubmed", *articles)
        told.failed(1, "cannot be written", "make room on the disk")
        assert documents(home) == 0
        resize(home, ROOM)
        commands.done("--home", home, "ingest", "pubmed", *articles)
        oracle.check(home)


def test_a_sort_that_fills_the_disk_is_reported(commands, releases, tmp_path):
    """With little memory, DuckDB sorts on the disk, which becomes full before the rows are sorted."""
    first, _ = releases
    least = {"memory_limit": "20MB", "threads": 1}
    with disk(tmp_path / "disk", "250k") as home:
        told = commands.run("--home", home, "ingest", "relations", first.path, settings=least)
        told.failed(1, "cannot be written", "make room on the disk")
