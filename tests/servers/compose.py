"""Starts the servers in containers, from docker/compose.yml, on machines where Java cannot run them."""

import secrets
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.servers import elasticsearch, neo4j, process
from tests.servers.errors import UnavailableError
from tests.servers.process import ENVIRONMENT, Command, Server

FILES = (Path(__file__).parents[2] / "docker" / "compose.yml", Path(__file__).with_name("compose.yml"))

START_SECONDS = 600.0  # the images may have to be fetched first
ENGINE_SECONDS = 20.0


def start_neo4j() -> Server:
    """Starts Neo4j in a container on free loopback ports, without authentication.

    Raises:
        UnavailableError: no container engine answers.
        StartError: it ended, or did not answer in time.
    """
    bolt, http, guide = process.free_ports(3)
    address = f"bolt://127.0.0.1:{bolt}"
    ports = {"NEO4J_BOLT_PORT": bolt, "NEO4J_HTTP_PORT": http, "NEO4J_GUIDE_PORT": guide}
    command = _up("neo4j", ports)

    def probe(_: Path) -> str | None:
        return address if neo4j.answers(address) else None

    server = process.start(neo4j.NAME, lambda _: command, probe, START_SECONDS)
    server.page, server.guide = neo4j.browser_page(f"http://127.0.0.1:{http}", address), guide
    return server


def start_elasticsearch() -> Server:
    """Starts Elasticsearch in a container on a free loopback port, without authentication.

    Raises:
        UnavailableError: no container engine answers.
        StartError: it ended, or did not answer in time.
    """
    (port,) = process.free_ports(1)
    address = f"http://127.0.0.1:{port}"
    command = _up("elasticsearch", {"ELASTICSEARCH_PORT": port})

    def probe(_: Path) -> str | None:
        return address if elasticsearch.answers(address) else None

    return process.start(elasticsearch.NAME, lambda _: command, probe, START_SECONDS)


def engine() -> str:
    """Returns the path of `docker`, if its engine answers and it has the command `compose`.

    Raises:
        UnavailableError: there is none.
    """
    docker = shutil.which("docker")
    if not docker:
        raise UnavailableError("no container engine: docker is not on the PATH")
    for arguments, lack in ((["info"], "no container engine answers"), (["compose", "version"], "no docker compose")):
        try:
            command = [docker, *arguments]
            done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=ENGINE_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise UnavailableError(lack) from None
        if done.returncode != 0:
            raise UnavailableError(lack)
    return docker


def _up(service: str, ports: Mapping[str, int]) -> Command:
    """Returns the command that runs one service in a separate compose project, and the command that removes its
    volumes."""
    files = [argument for file in FILES for argument in ("-f", str(file))]
    project = [engine(), "compose", "-p", f"truthhypo-test-{service}-{secrets.token_hex(4)}", *files]
    # docker/compose.yml requires these passwords; the compose file beside this module switches authentication off.
    passwords = {"NEO4J_PASSWORD": secrets.token_hex(), "ELASTIC_PASSWORD": secrets.token_hex()}
    environment = ENVIRONMENT | {name: str(port) for name, port in ports.items()} | passwords
    down = [*project, "down", "--volumes", "--timeout", "5"]
    return Command([*project, "up", "--no-color", service], environment, afterwards=down)
