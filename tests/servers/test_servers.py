"""The real servers: they start, answer, protect what they must not reveal, and end.

Tests that start a server of their own are slow. How any server ends is in test_process.py, which always runs.
"""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from elasticsearch import AuthenticationException, Elasticsearch
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, ClientError

from tests.servers import elasticsearch, neo4j
from tests.servers.artifacts import NEO4J_POM
from tests.servers.fixtures import ELASTICSEARCH, NEO4J, acquire

pytestmark = pytest.mark.servers

PASSWORD = "kept-in-the-test"


@pytest.fixture
def web() -> Iterator[HTTPServer]:
    """A page on loopback that counts its requests in `visits`."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.server.visits += 1
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        server.visits = 0
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_neo4j_answers_over_bolt(neo4j_address: str) -> None:
    with GraphDatabase.driver(neo4j_address) as driver:
        (record,), _, _ = driver.execute_query(
            "CALL dbms.components() YIELD name, versions, edition WHERE name = $name RETURN *", name="Neo4j Kernel"
        )
    assert record["edition"] == "community"
    assert f">{record['versions'][0]}</neo4j.version>" in NEO4J_POM.read_text()


def test_neo4j_browser_is_served(neo4j_address: str) -> None:
    page = acquire(NEO4J).page
    assert page.endswith(f"/browser/?dbms={neo4j_address}&preselectAuthMethod=NO_AUTH")
    with urlopen(page) as reply:
        assert reply.status == 200
        assert reply.headers.get_content_type() == "text/html"
        assert b"Neo4j Browser" in reply.read()


def test_neo4j_loads_no_file(neo4j_address: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("secret")
    with GraphDatabase.driver(neo4j_address) as driver, pytest.raises(ClientError, match="is false"):
        driver.execute_query("LOAD CSV FROM $url AS line RETURN line", url=secret.as_uri())


def test_neo4j_fetches_no_address(neo4j_address: str, web: HTTPServer) -> None:
    url = f"http://127.0.0.1:{web.server_port}/"
    with GraphDatabase.driver(neo4j_address) as driver, pytest.raises(ClientError, match="is blocked"):
        driver.execute_query("LOAD CSV FROM $url AS line RETURN line", url=url)
    assert web.visits == 0
    with urlopen(url):
        assert web.visits == 1


@pytest.mark.slow
def test_neo4j_keeps_its_home_and_asks_for_its_password(tmp_path: Path) -> None:
    """A server that starts on a home has the data that neo4j-admin imported into it."""
    (tmp_path / "concepts.csv").write_text(":ID,key\n1,Disease|MESH:D003920\n")
    home = tmp_path / "home"
    home.mkdir()
    nodes = f"--nodes=Concept={tmp_path / 'concepts.csv'}"
    done = subprocess.run(
        neo4j.admin_command(home, "database", "import", "full", "neo4j", nodes), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

    with neo4j.start(password=PASSWORD, home=home, heap="512m", quick=True) as server:
        assert PASSWORD not in server.page
        with GraphDatabase.driver(server.address, auth=(neo4j.USER, PASSWORD)) as driver:
            (record,), _, _ = driver.execute_query("MATCH (c:Concept) RETURN c.key AS key")
        assert record["key"] == "Disease|MESH:D003920"
        with GraphDatabase.driver(server.address) as driver, pytest.raises(AuthError):
            driver.verify_connectivity()
    assert not server.alive()
    assert not server.folder.exists()
    assert home.is_dir()


def test_elasticsearch_indexes_and_finds_with_english_stems(elasticsearch_address: str) -> None:
    settings = {"analysis": {"analyzer": {"biomedical": {"type": "english"}}}}
    mappings = {"properties": {"abstract": {"type": "text", "analyzer": "biomedical"}}}
    index = "test-servers"
    with Elasticsearch(elasticsearch_address) as client:
        client.indices.create(index=index, settings=settings, mappings=mappings)
        try:
            client.index(index=index, id="1", document={"abstract": "The kidneys were failing."}, refresh=True)
            client.index(index=index, id="2", document={"abstract": "The liver was not."}, refresh=True)
            found = client.search(index=index, query={"match": {"abstract": "kidney failed"}})
            stopped = client.search(index=index, query={"match": {"abstract": "the"}})
        finally:
            client.indices.delete(index=index)
    assert [hit["_id"] for hit in found["hits"]["hits"]] == ["1"]
    assert stopped["hits"]["total"]["value"] == 0


def test_elasticsearch_has_its_port_in_its_configuration(elasticsearch_address: str) -> None:
    configured = acquire(ELASTICSEARCH).folder / "home" / "config" / "elasticsearch.yml"
    if configured.exists():  # a container has its port from compose
        assert f"http.port: {urlsplit(elasticsearch_address).port}\n" in configured.read_text()


@pytest.mark.slow
def test_elasticsearch_asks_for_its_password_and_dies_with_its_process() -> None:
    with elasticsearch.start(password=PASSWORD, heap="512m", quick=True) as server:
        with Elasticsearch(server.address, basic_auth=(elasticsearch.USER, PASSWORD)) as client:
            assert client.cluster.health()["status"] == "green"
        with Elasticsearch(server.address) as client, pytest.raises(AuthenticationException):
            client.cluster.health()

        # The process is a launcher; the node is its child, and may not outlive it.
        os.kill(server.pid, signal.SIGKILL)
        address = urlsplit(server.address)
        deadline = time.monotonic() + 20
        while listens(address.hostname, address.port) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not listens(address.hostname, address.port)
        assert not server.alive()


def listens(host: str | None, port: int | None) -> bool:
    with socket.socket() as client:
        return client.connect_ex((host, port)) == 0
