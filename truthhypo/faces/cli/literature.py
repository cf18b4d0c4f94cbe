"""`truthhypo literature`: search in the abstracts."""

from typing import Annotated

import typer

from truthhypo.faces import render
from truthhypo.faces.cli.graph import Before
from truthhypo.faces.cli.output import Output, loading

app = typer.Typer(help="Search in the abstracts.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def group() -> None:
    """Search in the abstracts."""


@app.command()
def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Free text; no query syntax is read in it.")],
    k: Annotated[int, typer.Option("-k", "--k", help="Hits at most, 1-10000.")] = 32,
    before: Before = None,
    min_score: Annotated[float | None, typer.Option(help="Leave out hits below this BM25 score.")] = None,
    exclude_retracted: Annotated[
        bool, typer.Option("--exclude-retracted", help="Leave retracted articles out.")
    ] = False,
) -> None:
    """The best documents by BM25, the PMID cut inside the query."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.literature)
        hits = world.literature.search(
            text, k=k, before=before, min_score=min_score, exclude_retracted=exclude_retracted
        )
    output.show({**hits.to_dict(), **state}, lambda console: render.hits(console, text, hits))
