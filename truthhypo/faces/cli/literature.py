"""The commands `truthhypo literature ...`: search the abstracts."""

from typing import Annotated

import typer

from truthhypo.faces import render
from truthhypo.faces.cli.graph import Before
from truthhypo.faces.cli.output import Output, loading

app = typer.Typer(help="Search the abstracts.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def group() -> None:
    """Search the abstracts."""


@app.command()
def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Plain text; it is not read as a query language.")],
    k: Annotated[int, typer.Option("-k", "--k", help="Maximum number of hits, 1 to 10000.")] = 32,
    before: Before = None,
    min_score: Annotated[float | None, typer.Option(help="Omit hits with a BM25 score below this value.")] = None,
    exclude_retracted: Annotated[bool, typer.Option("--exclude-retracted", help="Ignore retracted articles.")] = False,
) -> None:
    """Show the best matching articles, ranked by BM25."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.literature_store)
        hits = world.literature_store.search(
            text, k=k, before=before, min_score=min_score, exclude_retracted=exclude_retracted
        )
    output.show({**hits.to_dict(), **state}, lambda console: render.hits(console, text, hits))
