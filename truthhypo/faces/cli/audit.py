"""The command `truthhypo ingest audit`: reports the content and the changes of a release, for people or for CI."""

from typing import Annotated

import typer

from groundwork.errors import Refused
from truthhypo.faces import render_audit
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo ingest`."""
    app.command()(audit)


def audit(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(help="ID or SOURCE:ID of the release; default: the live one.")] = None,
    against: Annotated[
        str | None, typer.Option(help="Release to compare with; default: the previous live release.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Number of concepts in each list.")] = 20,
) -> None:
    """Report the content and the changes of a release.

    The exit code is 1 if the release exceeds a limit. Each limit is shown beside the measured value.
    """
    from ingest.audit.audit import examine

    output: Output = context.obj
    with output.world() as world, watch() as progress:
        found = examine(id, world.graph_store, world.settings, against=against, top=top, progress=progress)
    output.show(found.to_dict(), lambda console: render_audit.audit(console, found))
    for check in found.limits:
        if not check.passed:
            note(f"truthhypo: limit exceeded: {check}")
    if not found.passed:
        raise typer.Exit(Refused.exit_code)
