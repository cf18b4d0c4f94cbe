import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
import yaml
from neo4j import GraphDatabase

from cypher.browser_files import post_connect
from tests.servers import artifacts, compose, neo4j, process
from tests.servers.errors import StartError, UnavailableError

SERVICES = ("neo4j", "elasticsearch")


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    return yaml.safe_load(compose.FILES[0].read_text())["services"]


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for docker that records its arguments. It fails for the argument that the file `fails` names."""
    program = tmp_path / "docker"
    program.write_text(
        '#!/bin/sh\ncd "$(dirname "$0")"\necho "$NEO4J_BOLT_PORT $*" >> asked\n'
        'case " $* " in *" $(cat fails) "*) echo "broken image"; exit 1;; esac\n'
    )
    program.chmod(0o755)
    (tmp_path / "fails").write_text("nothing")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_a_missing_docker_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"^no container engine: docker is not on the PATH$"):
        compose.start_neo4j()


@pytest.mark.parametrize(
    ("fails", "reason"), [("info", "no container engine answers"), ("version", "no docker compose")]
)
def test_a_docker_without_engine_or_compose_is_reported(docker: Path, fails: str, reason: str) -> None:
    (docker / "fails").write_text(fails)
    with pytest.raises(UnavailableError, match=f"^{reason}$"):
        compose.start_elasticsearch()


def test_one_service_runs_in_a_separate_project_and_its_volumes_are_removed(docker: Path) -> None:
    (docker / "fails").write_text("up")
    with pytest.raises(StartError, match=r"ended while starting(?s:.)*broken image"):
        compose.start_neo4j()
    port, up = (docker / "asked").read_text().splitlines()[2].split(maxsplit=1)
    down = (docker / "asked").read_text().splitlines()[3].split(maxsplit=1)[1]
    project = re.escape(up.split(" up ")[0])
    assert int(port) in range(20000, 32000)
    assert re.fullmatch(rf"{project} up --no-color neo4j", up)
    assert re.fullmatch(rf"{project} down --volumes --timeout 5", down)
    assert all(f"-f {file}" in up for file in compose.FILES)


@pytest.mark.parametrize("service", SERVICES)
def test_the_version_is_the_one_that_the_tests_run(services: dict[str, dict[str, Any]], service: str) -> None:
    pom = (artifacts.HERE / "maven" / f"{service}.xml").read_text()
    (version,) = re.findall(rf"<{service}.version>(.*)</", pom)
    assert services[service]["image"] == f"{service}:{version}"


@pytest.mark.parametrize("service", SERVICES)
def test_ports_are_bound_to_this_machine_and_volumes_and_memory_are_named(
    services: dict[str, dict[str, Any]], service: str
) -> None:
    assert all(port.startswith("127.0.0.1:") for port in services[service]["ports"])
    assert services[service]["volumes"]
    assert services[service]["mem_limit"]


@pytest.mark.parametrize("service", SERVICES)
def test_health_checks_allow_for_slow_starts(services: dict[str, dict[str, Any]], service: str) -> None:
    probe = services[service]["healthcheck"]
    assert int(probe["start_period"].removesuffix("s")) >= 60
    assert int(probe["timeout"].removesuffix("s")) > 0


def test_a_yellow_cluster_is_healthy(services: dict[str, dict[str, Any]]) -> None:
    shell, command = services["elasticsearch"]["healthcheck"]["test"]
    assert shell == "CMD-SHELL"
    assert "/_cluster/health?wait_for_status=yellow" in command
    assert "--fail" in command


def test_passwords_come_only_from_the_environment(services: dict[str, dict[str, Any]]) -> None:
    assert re.fullmatch(r"neo4j/\$\{NEO4J_PASSWORD:\?.+\}", services["neo4j"]["environment"]["NEO4J_AUTH"])
    assert re.fullmatch(r"\$\{ELASTIC_PASSWORD:\?.+\}", services["elasticsearch"]["environment"]["ELASTIC_PASSWORD"])


def in_image(setting: str) -> str:
    """Return the environment variable of a setting in the image: _ stands for a dot, and __ for an underscore."""
    return "NEO4J_" + setting.replace("_", "__").replace(".", "_")


def test_neo4j_has_the_guards_that_the_tests_run_with(services: dict[str, dict[str, Any]]) -> None:
    environment = services["neo4j"]["environment"]
    for setting, value in neo4j.GUARDS.items():
        assert environment[in_image(setting)] == value


@pytest.mark.servers
def test_neo4j_of_this_version_knows_every_setting(services: dict[str, dict[str, Any]], neo4j_address: str) -> None:
    with GraphDatabase.driver(neo4j_address) as driver:
        rows = driver.execute_query("SHOW SETTINGS YIELD name").records
    known = {in_image(name) for (name,) in rows} | {
        in_image(name) for name in neo4j.GUARDS
    }  # internal ones are not shown
    assert services["neo4j"]["environment"].keys() - known == {"NEO4J_AUTH"}


def test_the_guide_is_sent_to_neo4j_browser(services: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    """Run the command of the container here, with only the files that the container mounts."""
    for volume in services["guide"]["volumes"]:
        source, inside, _ = volume.split(":")
        file = tmp_path / inside.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to((compose.FILES[0].parent / source).resolve())
    _, *arguments, host, port = services["guide"]["command"]
    assert (host, services["guide"]["ports"]) == ("0.0.0.0", [f"127.0.0.1:${{NEO4J_GUIDE_PORT:-7475}}:{port}"])
    (free,) = process.free_ports(1)
    words = [word.replace("/cypher", f"{tmp_path}/cypher") for word in arguments]
    told = services["neo4j"]["environment"]["NEO4J_browser_post__connect__cmd"]
    assert told.replace("${NEO4J_GUIDE_PORT:-7475}", str(free)) == post_connect(free)
    with subprocess.Popen([sys.executable, *words, "127.0.0.1", str(free)]) as running:
        try:
            for command in post_connect(free).split("; "):
                address = command.split()[1].replace("localhost", "127.0.0.1")
                assert answered(address, "GET").read()
                assert answered(address, "OPTIONS").headers["Access-Control-Allow-Origin"] == "*"
        finally:
            running.terminate()


def answered(address: str, method: str) -> Any:
    """Return the reply from an address, which may take some seconds to listen."""
    for _ in range(200):
        with contextlib.suppress(URLError):
            return urlopen(Request(address, method=method), timeout=5)
        time.sleep(0.05)
    raise TimeoutError(address)
