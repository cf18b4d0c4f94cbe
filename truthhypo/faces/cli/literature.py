"""The commands `truthhypo literature ...`: search and show the abstracts."""

from typing import Annotated

import typer

from groundwork.errors import UnknownArticle
from groundwork.options import StudyOptions
from truthhypo.faces import render
from truthhypo.faces.cli.graph import Before
from truthhypo.faces.cli.options import takes
from truthhypo.faces.cli.output import Output, loading
from truthhypo.lookups import article_fields

app = typer.Typer(help="Search and show the abstracts.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def group() -> None:
    """Search and show the abstracts."""


@app.command()
@takes
def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Plain text; it is not read as a query language.")],
    k: Annotated[int, typer.Option("-k", "--k", help="Maximum number of hits, 1 to 10000.")] = 32,
    before: Before = None,
    min_score: Annotated[float | None, typer.Option(help="Omit hits with a BM25 score below this value.")] = None,
    exclude_retracted: Annotated[bool, typer.Option("--exclude-retracted", help="Ignore retracted articles.")] = False,
    *,
    options: StudyOptions,
) -> None:
    """Show the best matching articles, ranked by BM25."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.settings.home, world.literature_store)
        hits = world.literature_store.search(
            text,
            k=k,
            before=before,
            min_score=min_score,
            exclude_retracted=exclude_retracted,
            **options.keywords(),
        )
    output.show({**hits.to_dict(), **state}, lambda console: render.hits(console, text, hits))


@app.command()
def get(
    context: typer.Context,
    pmids: Annotated[list[int], typer.Argument(min=1, metavar="PMID", help="PMIDs of the articles to show.")],
) -> None:
    """Show articles: title, journal, year, abstract and concepts."""
    output: Output = context.obj
    with output.world() as world:
        state = loading(world.settings.home, world.literature_store)
        held = world.literature_store.get(pmids)
        if missing := [pmid for pmid in pmids if pmid not in held]:
            raise UnknownArticle(missing[0])
        articles = [article_fields(held[pmid]) for pmid in dict.fromkeys(pmids)]
    output.show({"articles": articles, **state}, lambda console: render.articles(console, articles))
