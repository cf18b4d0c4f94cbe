"""The distribution contains the seven packages and their data, and nothing else. The public names are those in
`__all__`."""

import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import truthhypo

REPOSITORY = Path(__file__).resolve().parents[2]
ROOMS = {"truthhypo", "ingest", "knowhd", "fuzzygraph", "cypher", "literature", "groundwork"}


def test_the_wheel_contains_the_packages_with_their_data_and_no_tests(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == ROOMS
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *sorted(ROOMS)],
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
        text=True,
    )
    assert {f"{room}/py.typed" for room in ROOMS} <= set(names)
    shipped = {name for name in tracked.stdout.splitlines() if (REPOSITORY / name).is_file()}
    assert shipped <= set(names), sorted(shipped - set(names))


@pytest.mark.parametrize("lock", ["app", "dev", "models"])
def test_a_package_has_one_version_for_every_python(lock):
    """Then the type check reads the same stubs with every Python."""
    text = (REPOSITORY / f"requirements/{lock}.lock").read_text()
    names = Counter(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))
    assert [name for name, versions in names.items() if versions > 1] == []


def test_dunder_all_lists_the_public_names():
    public = {name for name in dir(truthhypo) if not name.startswith("_")} - {"TYPE_CHECKING"}
    modules = {name for name in public if isinstance(getattr(truthhypo, name), ModuleType)}
    assert public - modules | {"__version__"} == set(truthhypo.__all__)


def test_importing_truthhypo_writes_nothing_and_does_not_load_torch(tmp_path):
    code = "import sys, truthhypo; print(sorted({'torch', 'transformers', 'spacy'} & set(sys.modules)))"
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert "torch" not in told.stdout
    assert list(tmp_path.iterdir()) == []
