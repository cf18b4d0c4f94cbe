"""The distribution contains the seven packages and their data, and nothing else. The public names are those in
`__all__`."""

import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import truthhypo

REPOSITORY = Path(__file__).resolve().parents[2]
ROOMS = {"truthhypo", "ingest", "knowhd", "fuzzygraph", "cypher", "literature", "groundwork"}


def build(target: str, source: Path, folder: Path) -> Path:
    """Build a distribution from a source tree, without the network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return built


def shipped() -> set[str]:
    """Return the files of the packages."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *sorted(ROOMS)]
    told = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return {name for name in told.stdout.splitlines() if (REPOSITORY / name).is_file()}


def test_the_sdist_contains_the_product_alone_and_the_wheel_can_be_built_from_it(tmp_path):
    with tarfile.open(build("sdist", REPOSITORY, tmp_path)) as archive:
        archive.extractall(tmp_path, filter="data")
    (tree,) = (path for path in tmp_path.iterdir() if path.is_dir())
    names = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}
    beside = {"pyproject.toml", "PKG-INFO", ".gitignore", "README.md", "CHANGELOG.md", "LICENSE"}
    assert names == shipped() | beside
    contents = zipfile.ZipFile(build("wheel", tree, tmp_path)).namelist()
    assert {name for name in contents if ".dist-info/" not in name} == shipped()


def test_the_wheel_contains_the_packages_with_their_data_and_no_tests(tmp_path):
    names = set(zipfile.ZipFile(build("wheel", REPOSITORY, tmp_path)).namelist())
    assert {name for name in names if ".dist-info/" not in name} == shipped()
    assert {f"{room}/py.typed" for room in ROOMS} <= names


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
