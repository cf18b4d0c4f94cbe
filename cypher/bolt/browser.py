"""Find the address of Neo4j Browser on a server."""

from contextlib import closing
from urllib.parse import urlsplit

from cypher.bolt.server import Server
from groundwork.errors import InputError
from groundwork.settings import Settings


def browser_address(graph: str, settings: Settings) -> str:
    """Return the address of Neo4j Browser: the host of `graph`, with the server's port for HTTP or HTTPS.

    Args:
        graph: Address of the graph on a Neo4j server.
        settings: The settings with the credentials.

    Raises:
        InputError: The server has no port for HTTP or HTTPS.
        StoreError: The server does not answer.
    """
    with closing(Server(graph, settings)) as server:
        told = dict(server.read("browser_place"))
    for scheme in ("http", "https"):
        if told.get(f"server.{scheme}.enabled") == "true":
            host = urlsplit(graph).netloc.removesuffix(f":{urlsplit(graph).port}")
            return f"{scheme}://{host}:{told[f'server.{scheme}.advertised_address'].rpartition(':')[2]}/browser/"
    seen = f"{graph} names no port of Neo4j Browser"
    raise InputError(seen, "a server with HTTP", "give --page with the address of Neo4j Browser")
