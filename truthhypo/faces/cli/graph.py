"""The commands `truthhypo graph ...`: lookups in the concept graph. They never write to the graph."""

import json
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, cast
from urllib.parse import urlsplit

import typer

from groundwork.errors import InputError, without_password
from groundwork.files import loads
from groundwork.records import Rank
from truthhypo.faces import render
from truthhypo.faces.cli.output import Output, loading

if TYPE_CHECKING:
    from groundwork.settings import Settings

app = typer.Typer(help="Look up concepts, edges and chains in the graph.", no_args_is_help=True, rich_markup_mode=None)

Before = Annotated[int | None, typer.Option(min=1, help="Use only evidence with a PMID up to this one.")]
Pmids = Annotated[int, typer.Option(min=0, help="Number of PMIDs to list per edge, newest first.")]


@app.command()
def chains(
    context: typer.Context,
    head: Annotated[str, typer.Argument(help="Key or name of the first concept.")],
    tail: Annotated[str, typer.Argument(help="Key or name of the second concept.")],
    hops: Annotated[int, typer.Option(help="Maximum number of edges in a chain, 1 to 4.")] = 2,
    before: Before = None,
    limit: Annotated[int, typer.Option(min=0, help="Maximum number of chains to show.")] = 32,
    rank: Annotated[
        str,
        typer.Option(
            help="Order of the chains: evidence (belief), dwpc (degree-weighted path count) or hops (length)."
        ),
    ] = "evidence",
    pmids: Pmids = 20,
    similar: Annotated[bool, typer.Option("--similar", help="Also follow similarity edges.")] = False,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Weight of a similarity edge.")] = 0.9,
) -> None:
    """Show the paths between two concepts, best first.

    A path is a chain of relations. Edges are followed in both directions, and no concept occurs twice in a chain.
    """
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.settings.home, world.graph_store)
        found = world.graph.chains(
            head,
            tail,
            hops=hops,
            before=before,
            limit=limit,
            rank=cast("Rank", rank),
            pmids=pmids,
            similar=alpha if similar else None,
        )
        names = world.graph_store.concepts(found.keys())
    output.show({**found.to_dict(), **state}, lambda console: render.chains(console, found, names))


@app.command()
def edges(
    context: typer.Context,
    concepts: Annotated[list[str], typer.Argument(help="Keys or names of the concepts, two or more.")],
    before: Before = None,
    pmids: Pmids = 20,
) -> None:
    """Show all relation edges among the given concepts."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.settings.home, world.graph_store)
        found = world.graph.edges(*concepts, before=before, pmids=pmids)
        names = world.graph_store.concepts(found.keys())
    output.show({**found.to_dict(), **state}, lambda console: render.edges(console, found.edges, names))


@app.command()
def find(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="A key, a name, or part of a name.")],
    type: Annotated[str | None, typer.Option(help="Show only concepts of this type.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of concepts to show.")] = 10,
) -> None:
    """Find concepts by key or name, best match first."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.settings.home, world.graph_store)
        found = world.graph.find(text, type=type, limit=limit)
    output.show({**found.to_dict(), **state}, lambda console: render.found(console, text, found))


@app.command()
def query(
    context: typer.Context,
    cypher: Annotated[str, typer.Argument(help="A Cypher query that only reads; '-' takes it from stdin.")],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="k=v", help="Parameter of the query; the value is read as JSON if possible, else as text."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of rows; at most the setting row_limit.")
    ] = None,
) -> None:
    """Run a Cypher query that only reads.

    Allowed: MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, SKIP, LIMIT, UNION, EXPLAIN, and subqueries
    that only read.
    """
    from cypher.guard import permitted
    from truthhypo.faces.progress import watch

    output: Output = context.obj
    text = sys.stdin.read() if cypher == "-" else cypher
    given = parameters(param or [])
    permitted(text, given)  # a query that is refused needs no database
    with output.world() as world, watch() as progress:
        state = loading(world.settings.home, world.graph_store)
        world.graph_store.draw(progress)
        table = world.graph.query(text, given, limit=limit)
    output.show({**table.to_dict(), **state}, lambda console: render.table(console, table))


@app.command()
def stats(context: typer.Context) -> None:
    """Count concepts and edges, and list the releases. The digest is a checksum of the relation edges."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.settings.home, world.graph_store)
        found = world.graph.stats()
        address = world.graph_store.address
    output.show({**found.to_dict(), **state}, lambda console: render.stats(console, address, found))


@app.command()
def browser(
    context: typer.Context,
    page: Annotated[str, typer.Option(help="Address of Neo4j Browser. By default, the server is asked for it.")] = "",
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port at which the guide and the style are served; 0 chooses a free one."),
    ] = 0,
    open_page: Annotated[bool, typer.Option("--open", help="Also open the page in a web browser.")] = False,
) -> None:
    """Show the address at which Neo4j Browser opens with a guide.

    The guide and a style for the graph are served until Ctrl-C.
    """
    from cypher.browser_files import BrowserFiles, addresses

    output: Output = context.obj
    address = browser_page(output.settings(), page)
    try:
        served = BrowserFiles(port)
    except OSError as error:
        raise InputError(f"port {port}: {error.strerror}", "a free port", "omit --port to take a free one") from None
    with served:
        style, guide = addresses(served.port)
        told = {"page": f"{address}&cmd=guide&arg={guide}", "style": f":style {style}", "guide": f":guide {guide}"}
        output.show(told, lambda console: render.browser(console, told))
        sys.stdout.flush()
        if open_page:
            typer.launch(told["page"])
        with suppress(KeyboardInterrupt):
            served.serve()


def browser_page(settings: "Settings", page: str = "") -> str:
    """Return an address that opens Neo4j Browser for the graph. If no password is set, the browser connects at once.

    Args:
        settings: Settings with a graph on a Neo4j server.
        page: Address of Neo4j Browser. By default the server is asked for it.

    Raises:
        InputError: The graph is not on a Neo4j server, or `page` is not the address of a web page.
        StoreError: The server was asked for the address and did not answer.
    """
    graph = settings.graph_address
    parts = urlsplit(graph)
    if not parts.scheme.startswith(("bolt", "neo4j")) or not parts.hostname:
        remedy = "give --graph bolt://HOST:7687; `make servers` and docker/compose.yml start a server"
        raise InputError(f"the graph {without_password(graph)}", "a graph on a Neo4j server", remedy)
    if page and not re.fullmatch(r"https?://[^/?#\s]+/[^?#\s]*", page):
        remedy = "omit --page to ask the server for it"
        raise InputError(f"--page {page}", "an address such as http://HOST:7474/browser/", remedy)
    if not page:
        from cypher.bolt.server import browser_address

        page = browser_address(graph, settings)
    place = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place += f":{parts.port or 7687}"
    if settings.graph_password.get_secret_value():
        return f"{page}?dbms={parts.scheme}://{settings.graph_user}@{place}"
    return f"{page}?dbms={parts.scheme}://{place}&preselectAuthMethod=NO_AUTH"


def parameters(pairs: list[str]) -> dict[str, Any]:
    """Return the query parameters from words of the form `k=v`.

    Raises:
        InputError: A word has no `=` or no name before it.
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise InputError(f"--param {pair!r}", "a parameter as k=v", "for instance --param key='Gene|7157'")
        try:
            values[name] = loads(text)
        except json.JSONDecodeError:
            values[name] = text
    return values
