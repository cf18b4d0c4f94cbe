import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.servers import artifacts
from tests.servers.errors import UnavailableError
from tests.servers.java import Jdk

REPOSITORY = Path(__file__).parents[2]
JDK = Jdk(Path("/nowhere"), 25)

# Builds half of an artifact, prints `half`, and waits until it is killed.
HALF_A_BUILD = """
import sys, time
from tests.servers.artifacts import cached

def build(folder):
    (folder / "half").write_text("half")
    print("half", flush=True)
    time.sleep(600)

cached("thing", "v1", build)
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(artifacts.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def whole(folder: Path) -> None:
    (folder / "whole").write_text("whole")


def never(folder: Path) -> None:
    raise AssertionError("built again")


def test_a_second_run_builds_nothing() -> None:
    first = artifacts.cached("thing", "v1", whole)
    assert artifacts.cached("thing", "v1", never) == first
    assert (first / "whole").read_text() == "whole"


def test_each_version_has_its_own_folder() -> None:
    assert artifacts.cached("thing", "v1", whole) != artifacts.cached("thing", "v2", whole)


def test_a_killed_build_leaves_nothing_that_looks_finished(cache: Path) -> None:
    killed = subprocess.Popen([sys.executable, "-c", HALF_A_BUILD], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "half\n"
    killed.kill()
    killed.communicate()
    assert not list(cache.glob("thing-*"))

    finished = artifacts.cached("thing", "v1", whole)
    assert {file.name for file in finished.iterdir()} == {"whole", artifacts.STAMP}


def test_a_failed_build_is_tried_again(cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise UnavailableError("no network")

    with pytest.raises(UnavailableError, match="no network"):
        artifacts.cached("thing", "v1", fail)
    assert not list(cache.glob("thing-*"))
    assert not (artifacts.cached("thing", "v1", whole) / "half").exists()


def test_concurrent_calls_build_only_once() -> None:
    builds: list[Path] = []

    def build(folder: Path) -> None:
        builds.append(folder)
        whole(folder)

    with ThreadPoolExecutor(4) as executor:
        folders = set(executor.map(lambda _: artifacts.cached("thing", "v1", build), range(4)))
    assert len(folders) == len(builds) == 1


def test_the_key_changes_with_the_versions(tmp_path: Path) -> None:
    pom = tmp_path / "pom.xml"
    pom.write_text("<version>1</version>")
    before = artifacts.fingerprint(pom)
    assert artifacts.fingerprint(pom) == before
    pom.write_text("<version>2</version>")
    assert artifacts.fingerprint(pom) != before


def test_a_missing_maven_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"^Maven \(mvn\) is not on the PATH$"):
        artifacts.neo4j_jars(JDK)


def test_the_first_error_of_maven_is_passed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mvn = tmp_path / "mvn"
    mvn.write_text("#!/bin/sh\necho '[ERROR] the network is down'\necho '[ERROR] see the manual'\nexit 1\n")
    mvn.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(UnavailableError, match=r"^Maven could not fetch neo4j: \[ERROR\] the network is down$"):
        artifacts.neo4j_jars(JDK)
