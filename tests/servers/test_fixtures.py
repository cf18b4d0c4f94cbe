"""What a developer and CI see without servers: a separate pytest run that cannot start any."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
REASON = "Maven (mvn) is not on the PATH; no container engine: docker is not on the PATH"

CONFTEST = 'pytest_plugins = ["tests.servers.fixtures"]\n'
TESTS = """
import pytest
pytestmark = pytest.mark.servers
def test_graph(neo4j_address): assert neo4j_address
def test_library(elasticsearch_address): assert elasticsearch_address
def test_neither(): pass
"""
CONFIGURATION = "[pytest]\nmarkers =\n    servers: needs servers\n"

# `python -m tests.servers`, with stand-ins for the servers.
STAND_INS = """
import os
from tests.servers import __main__ as main, process
from tests.servers.pool import Store

def store(name):
    command = process.Command(["sleep", "600"], dict(os.environ))
    return Store(name, (lambda: process.start(name, lambda folder: command, lambda folder: f"at {folder}", 20),))

main.NEO4J, main.ELASTICSEARCH = main.STORES = store("Neo4j"), store("Elasticsearch")
raise SystemExit(main.main())
"""


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment that can start no server: an empty cache, and neither mvn nor docker on the PATH."""
    environment = {name: value for name, value in os.environ.items() if name not in {"CI", "PYTEST_ADDOPTS"}}
    return environment | {
        "PATH": str(tmp_path),
        "TRUTHHYPO_TEST_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": str(REPOSITORY),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def run_pytest(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TESTS)
    (folder / "pytest.ini").write_text(CONFIGURATION)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(folder), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("workers", [[], ["-p", "xdist.plugin", "-n", "2"]], ids=["alone", "workers"])
def test_missing_servers_skip_their_tests_and_are_named_in_one_line(
    tmp_path: Path, bare: dict[str, str], workers: list[str]
) -> None:
    done = run_pytest(tmp_path, bare, *workers)
    assert done.returncode == 0
    assert "1 passed, 2 skipped" in done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith("Not tested")]
    assert lines == [f"Not tested on Neo4j and Elasticsearch: {REASON}"]


def test_missing_servers_fail_in_ci(tmp_path: Path, bare: dict[str, str]) -> None:
    done = run_pytest(tmp_path, bare | {"CI": "true"})
    assert done.returncode == 1
    assert "1 passed, 2 errors" in done.stdout
    assert f"Neo4j cannot be started here: {REASON}" in done.stdout


def test_only_servers_that_the_tests_need_are_started(tmp_path: Path, bare: dict[str, str]) -> None:
    assert "Not tested on Neo4j:" in run_pytest(tmp_path, bare, "-k", "graph").stdout
    assert "Not tested" not in run_pytest(tmp_path, bare, "--collect-only").stdout


def test_the_command_says_why_it_cannot_start(bare: dict[str, str]) -> None:
    command = [sys.executable, "-m", "tests.servers"]
    done = subprocess.run(command, cwd=REPOSITORY, env=bare, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"The servers cannot be started here: {REASON}" in done.stderr


def test_the_command_prints_the_addresses_and_stops_the_servers_when_interrupted() -> None:
    command = [sys.executable, "-c", STAND_INS]
    servers = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert servers.stdout is not None
    lines = [servers.stdout.readline().strip().split("at ") for _ in range(2)]
    assert [name for name, _ in lines] == ["export TRUTHHYPO_GRAPH=", "export TRUTHHYPO_LITERATURE="]
    folders = [Path(folder) for _, folder in lines]
    assert all(folder.is_dir() for folder in folders)
    servers.send_signal(signal.SIGINT)
    _, errors = servers.communicate(timeout=60)
    assert servers.returncode == 0, errors
    assert not any(folder.exists() for folder in folders)
