"""The files of an interrupted load are damaged in every way. The load ends correctly or says what to do, and `doctor`
names the damaged file."""

from fnmatch import fnmatch
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from tests.faults.commands import KILLED
from tests.faults.full_home import FILES, SAMPLE
from tests.faults.test_damaged_files import HARMS, LOOK_UPS, harm, said, typed

#: Files that only an interrupted load leaves.
KINDS = ("pending/*/plan.json", "pending/*/*/put.parquet", "pending/*/*/drop.parquet", "pending/*/some.parquet")
#: More files of the kinds above.
ALIKE = ("pending/*/*.parquet", "pending/*.lock")
NEXT = ("ingest", "relations", SAMPLE / "relation2pubtator3.next.tsv", "--release", "next")


@pytest.fixture(scope="module")
def interrupted(commands, tmp_path_factory):
    """A HOME with a load that was killed during its writes, and the `graph stats` after this load without a kill."""
    folder = tmp_path_factory.mktemp("interrupted")
    home, calm = folder / "home", folder / "calm"
    for name in ("pubtator3", "concepts"):
        commands.done("--home", home, *FILES[name])
    copytree(home, calm)
    writes = commands.done("--home", calm, *NEXT, counted=True).writes
    assert commands.run("--home", home, *NEXT, point=writes // 2, writing=True).code == KILLED
    copytree(home, folder / "kept")
    return home, said(commands.done("--home", calm, *LOOK_UPS["stats"]))


def test_every_file_that_an_interrupted_load_leaves_is_of_a_known_kind(interrupted):
    home, _ = interrupted
    left = [str(path.relative_to(home)) for path in (home / "pending").rglob("*") if path.is_file()]
    assert left
    assert not [path for path in left if not any(fnmatch(path, kind) for kind in (*KINDS, *ALIKE))]


def test_a_home_that_was_moved_finishes_the_load_and_forgets_plans_that_never_began(commands, interrupted, tmp_path):
    home, wanted = interrupted
    moved = copytree(home, tmp_path / "moved")
    (plan,) = (moved / "pending").glob("*@*")
    copytree(plan, plan.with_name("pubtator3@never@2026-01-01T000000Z"))
    commands.done("--home", moved, *NEXT)
    assert said(commands.done("--home", moved, *LOOK_UPS["stats"])) == wanted
    assert not list((moved / "pending").glob("*@*"))
    assert commands.run("--home", moved, "doctor").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", HARMS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_plan_is_reported_and_the_load_done_again(commands, interrupted, kind, how):
    home, wanted = interrupted
    rmtree(home)
    copytree(home.with_name("kept"), home)
    path: Path = harm(home, kind, how)
    for name in ("stats", "find", "ground"):
        told = commands.run("--home", home, *LOOK_UPS[name])
        assert told.code == 0 or typed(told), told.err
    doctor = commands.run("--home", home, "doctor")
    named = any(path.name in check["found"] for check in doctor.json["checks"] if not check["ok"])
    assert named or (kind.endswith("plan.json") and how == "deleted")
    told = commands.run("--home", home, *NEXT)
    if told.code:
        assert typed(told)
        assert "--rebuild" in told.err
        commands.done("--home", home, *NEXT, "--rebuild")
    assert said(commands.done("--home", home, *LOOK_UPS["stats"])) == wanted
    assert not list((home / "pending").glob("*@*"))
    assert commands.run("--home", home, "doctor").code == 0
