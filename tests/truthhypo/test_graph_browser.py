"""`graph browser`: the address of Neo4j Browser, and the file server that its style and guide are fetched from."""

import re
import threading
from contextlib import nullcontext
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from cypher.bolt.server import Server, browser_address
from cypher.browser_files import BrowserFiles, addresses
from groundwork.errors import InputError
from groundwork.settings import Settings
from tests.servers.process import free_ports
from truthhypo.faces.cli.graph import browser_page


def fetch(address, method="GET"):
    headers = {"Origin": "http://localhost:7474", "Access-Control-Request-Headers": "x-requested-with"}
    with urlopen(Request(address, method=method, headers=headers), timeout=10) as answer:
        return answer.status, answer.headers, answer.read()


def test_style_and_guide_are_served_as_neo4j_browser_asks_for_them():
    with BrowserFiles() as served:
        thread = threading.Thread(target=served.serve)
        thread.start()
        try:
            for address, holds in zip(addresses(served.port), ("node.Gene {", "<slide "), strict=True):
                address = address.replace("localhost", "127.0.0.1")
                status, headers, _ = fetch(address, "OPTIONS")
                assert (status, headers["Access-Control-Allow-Origin"]) == (204, "*")
                assert headers["Access-Control-Allow-Headers"] == "*"
                status, headers, body = fetch(address)
                assert (status, headers["Access-Control-Allow-Origin"]) == (200, "*")
                assert holds in body.decode()
            assert f">:style http://127.0.0.1:{served.port}/style.grass</pre>" in body.decode()
            for other in ("hubs.cypher", "", "../address.py", "browser/../../address.py"):
                with pytest.raises(HTTPError, match="404"):
                    fetch(f"http://127.0.0.1:{served.port}/{other}")
        finally:
            served.close()
            thread.join()


@pytest.mark.parametrize(
    ("graph", "password", "wanted"),
    [
        ("bolt://127.0.0.1:7001", "secret", "dbms=bolt://neo4j@127.0.0.1:7001"),
        ("neo4j+s://u:p@host", "secret", "dbms=neo4j+s://neo4j@host:7687"),
        ("bolt://[::1]:7687", "secret", "dbms=bolt://neo4j@[::1]:7687"),
        ("bolt://host", "", "dbms=bolt://host:7687&preselectAuthMethod=NO_AUTH"),
    ],
)
def test_the_page_names_the_graph_and_its_user_and_no_password(graph, password, wanted):
    assert browser_page(Settings(graph=graph, graph_password=password), "https://x/b/") == f"https://x/b/?{wanted}"


@pytest.mark.parametrize("page", ["localhost:7474", "http://localhost:7474", "https://x/b/?a=b", "http:///b/"])
def test_an_invalid_address_of_the_page_is_refused(page):
    with pytest.raises(InputError, match=re.escape(page)) as told:
        browser_page(Settings(graph="bolt://host"), page)
    assert told.value.wanted == "an address such as http://HOST:7474/browser/"


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"http.enabled": "true", "http.advertised_address": "a:7001"}, "http://[::1]:7001/browser/"),
        (
            {"http.enabled": "false", "https.enabled": "true", "https.advertised_address": ":7473"},
            "https://[::1]:7473/browser/",
        ),
        ({"http.enabled": "false", "https.enabled": "false"}, None),
    ],
)
def test_the_server_is_asked_for_the_port(settings, wanted, monkeypatch):
    rows = [[f"server.{name}", value] for name, value in settings.items()]
    monkeypatch.setattr(Server, "read", lambda _, name: {"browser_place": rows}[name])
    with nullcontext() if wanted else pytest.raises(InputError, match="names no port"):
        assert browser_address("bolt://[::1]:7687", Settings()) == wanted


def test_a_server_that_does_not_answer_has_no_page(command, tmp_path):
    (port,) = free_ports(1)
    told = command("--home", tmp_path, "--graph", f"bolt://127.0.0.1:{port}", "graph", "browser")
    assert (told.code, str(port) in told.json["error"]["seen"]) == (3, True)


def test_an_embedded_graph_has_no_page(command, sample_home):
    told = command("--home", sample_home, "graph", "browser")
    assert (told.code, told.json["error"]["wanted"]) == (2, "a graph on a Neo4j server")
