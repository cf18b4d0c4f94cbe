"""`truthhypo graph`: look-ups on the concept graph. None of them writes."""

import json
import sys
from typing import Annotated, Any, cast

import typer

from groundwork.errors import InputError
from groundwork.records import Rank, plain
from truthhypo.faces import render
from truthhypo.faces.cli.output import Output, loading

app = typer.Typer(help="Look-ups on the concept graph.", no_args_is_help=True, rich_markup_mode=None)

Before = Annotated[int | None, typer.Option(min=1, help="Only evidence with PMID <= this counts.")]
Pmids = Annotated[int, typer.Option(min=0, help="PMIDs to list on an edge, newest first.")]


@app.command()
def chains(
    context: typer.Context,
    head: Annotated[str, typer.Argument(help="Key or name of one concept.")],
    tail: Annotated[str, typer.Argument(help="Key or name of the other.")],
    hops: Annotated[int, typer.Option(help="Longest chain, 1-4.")] = 2,
    before: Before = None,
    limit: Annotated[int, typer.Option(min=0, help="Chains to show.")] = 32,
    rank: Annotated[str, typer.Option(help="evidence, dwpc or hops.")] = "evidence",
    pmids: Pmids = 20,
    similar: Annotated[bool, typer.Option("--similar", help="Walk similarity edges too.")] = False,
    alpha: Annotated[float, typer.Option(min=0, max=1, help="Weight of a similarity edge.")] = 0.9,
) -> None:
    """Simple undirected paths between two concepts, best first."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.graph_store)
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
        names = world.graph_store.concepts(
            {key for chain in found.chains for hop in chain.hops for key in (hop.head, hop.tail)}
        )
    output.show({**found.to_dict(), **state}, lambda console: render.chains(console, found, names))


@app.command()
def edges(
    context: typer.Context,
    concepts: Annotated[list[str], typer.Argument(help="Keys or names of two concepts or more.")],
    before: Before = None,
    pmids: Pmids = 20,
) -> None:
    """All relation edges among some concepts."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.graph_store)
        found = world.graph.edges(concepts, before=before, pmids=pmids)
        names = world.graph_store.concepts({key for hop in found for key in (hop.head, hop.tail)})
    output.show({"edges": plain(found), **state}, lambda console: render.edges(console, found, names))


@app.command()
def find(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="A key, a name, or something like one.")],
    type: Annotated[str | None, typer.Option(help="Only concepts of this type.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Concepts to show.")] = 10,
) -> None:
    """Concepts by key or name, best first."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.graph_store)
        found = world.graph.find(text, type=type, limit=limit)
    output.show({**found.to_dict(), **state}, lambda console: render.found(console, text, found))


@app.command()
def query(
    context: typer.Context,
    cypher: Annotated[str, typer.Argument(help="Cypher that only reads; '-' reads it from stdin.")],
    param: Annotated[list[str] | None, typer.Option(help="k=v; v is read as JSON, else as text.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Rows to return; at most the setting row_limit.")] = None,
) -> None:
    """One free query that only reads.

    MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, SKIP, LIMIT, UNION, EXPLAIN, read-only subqueries.
    """
    output: Output = context.obj
    text = sys.stdin.read() if cypher == "-" else cypher
    with output.world() as world:
        state = loading(world.graph_store)
        table = world.graph.query(text, parameters(param or []), limit=limit)
    output.show({**table.to_dict(), **state}, lambda console: render.table(console, table))


@app.command()
def stats(context: typer.Context) -> None:
    """Counts by type and relation, releases, and the digest of the relation edges."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.graph_store)
        found = world.graph.stats()
        address = world.graph_store.address
    output.show({**found.to_dict(), **state}, lambda console: render.stats(console, address, found))


def parameters(pairs: list[str]) -> dict[str, Any]:
    """Query parameters from `k=v` words.

    Raises:
        InputError: A word without `=`.
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise InputError(f"--param {pair!r}", "k=v", "write it as --param key='Gene|7157'")
        try:
            values[name] = json.loads(text)
        except json.JSONDecodeError:
            values[name] = text
    return values
