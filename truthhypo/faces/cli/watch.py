"""The commands `truthhypo watch ...`: statements that are judged again after each load."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundwork.errors import Refused
from truthhypo.faces.cli.output import Output, loading, note
from truthhypo.json_files import write_json
from truthhypo.service.watching import WatchList

if TYPE_CHECKING:
    pass

app = typer.Typer(help="Watch statements: judge them again after a load.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def group() -> None:
    """Watch statements: judge them again after a load, and report what changed."""


@app.command()
def add(
    context: typer.Context, text: Annotated[str, typer.Argument(help="The statement. The next run judges it.")]
) -> None:
    """Watch a statement, and print its id. A statement that is watched already keeps its id."""
    output: Output = context.obj
    added = WatchList(output.settings()).add(text)
    output.show({"id": added.id, "text": added.text}, lambda console: console.print(added.id))


@app.command("list")
def list_(context: typer.Context) -> None:
    """List the watched statements with their last verdicts and risk."""
    from truthhypo.faces import render
    from truthhypo.service.watching import StatementReport

    output: Output = context.obj
    held = WatchList(output.settings()).all()
    shape = [{"id": each.id, "text": each.text, "latest": StatementReport.of(each).after} for each in held]
    output.show({"statements": shape}, lambda console: render.watched_statements(console, held))


@app.command()
def remove(
    context: typer.Context, id: Annotated[str, typer.Argument(help="Id of a statement, from `watch list`.")]
) -> None:
    """Stop watching a statement."""
    output: Output = context.obj
    WatchList(output.settings()).remove(id)
    output.show({"removed": id}, lambda console: console.print(f"removed {id}"))


@app.command()
def run(
    context: typer.Context,
    out: Annotated[Path | None, typer.Option(help="File for the report (JSON), in addition to stdout.")] = None,
) -> None:
    """Judge the statements whose evidence may have changed.

    The report says what changed since the last run.
    The exit code is 1 if a statement could not be judged; the others are judged nevertheless.
    """
    from truthhypo.faces import render
    from truthhypo.faces.progress import watch
    from truthhypo.service.watching import rejudge, rerun, state_of

    output: Output = context.obj
    with output.world() as world:
        statements = WatchList(world.settings)
        with statements.running(), watch() as progress:
            state = loading(world.settings.home, world.graph_store, world.literature_store)
            report = rerun(statements, state_of(world), lambda each: rejudge(world, each), progress)
            shape = {**report.to_dict(), **state}
            if out:
                write_json(out, shape)
            output.show(shape, lambda console: render.watch_report(console, report))
            sys.stdout.flush()
            statements.settle(each.id for each in report.statements)  # only now, after the report was printed
    if report.failed:
        note(f"truthhypo: {report.failed} statements could not be judged (see `error`); the next run tries them again")
        raise typer.Exit(Refused.exit_code)
