"""`graph browser`: the address of Neo4j Browser, and the file server that its style and guide are fetched from."""

import threading
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from cypher.browser_files import BrowserFiles, addresses
from groundwork.settings import Settings
from truthhypo.faces.cli.graph import browser_page


def asked(address, method="GET"):
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
                status, headers, _ = asked(address, "OPTIONS")
                assert (status, headers["Access-Control-Allow-Origin"]) == (204, "*")
                assert headers["Access-Control-Allow-Headers"] == "*"
                status, headers, body = asked(address)
                assert (status, headers["Access-Control-Allow-Origin"]) == (200, "*")
                assert holds in body.decode()
            assert f">:style http://127.0.0.1:{served.port}/style.grass</pre>" in body.decode()
            for other in ("hubs.cypher", "", "../address.py", "browser/../../address.py"):
                with pytest.raises(HTTPError, match="404"):
                    asked(f"http://127.0.0.1:{served.port}/{other}")
        finally:
            served.close()
            thread.join()


@pytest.mark.parametrize(
    ("graph", "page", "wanted"),
    [
        ("bolt://127.0.0.1:7001", "", "http://127.0.0.1:7474/browser/?dbms=bolt://neo4j@127.0.0.1:7001"),
        ("neo4j+s://u:p@host", "", "http://host:7474/browser/?dbms=neo4j+s://neo4j@host:7687"),
        ("bolt://[::1]:7687", "http://x/b/", "http://x/b/?dbms=bolt://neo4j@[::1]:7687"),
    ],
)
def test_the_page_names_the_graph_and_its_user_and_no_password(graph, page, wanted):
    assert browser_page(Settings(graph=graph, graph_password="secret"), page) == wanted


def test_the_page_connects_by_itself_where_no_password_is_set():
    wanted = "http://host:7474/browser/?dbms=bolt://host:7687&preselectAuthMethod=NO_AUTH"
    assert browser_page(Settings(graph="bolt://host")) == wanted


def test_an_embedded_graph_has_no_page(command, sample_home):
    told = command("--home", sample_home, "graph", "browser")
    assert (told.code, told.json["error"]["wanted"]) == (2, "a graph on a Neo4j server")
