"""The command `truthhypo ingest audit`: reports the content and the changes of a release, for people or for CI."""

from typing import Annotated

import typer

from groundwork.errors import Refused
from ingest.audit.limits import Limits
from truthhypo.faces import render_audit
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch

_DEFAULT = Limits()


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
    max_lost_edges: Annotated[float, typer.Option(help="Share of edges that may be lost.")] = _DEFAULT.max_lost_edges,
    max_lost_concepts: Annotated[
        float, typer.Option(help="Largest share of concepts that may disappear.")
    ] = _DEFAULT.max_lost_concepts,
    max_growth: Annotated[
        float, typer.Option(help="Largest share by which the number of edges may change.")
    ] = _DEFAULT.max_growth,
    max_move: Annotated[
        float, typer.Option(help="Largest share by which the count of a relation may differ from the expected count.")
    ] = _DEFAULT.max_move,
    max_reject_share: Annotated[
        float, typer.Option(help="Largest share of rows that may be rejected.")
    ] = _DEFAULT.max_reject_share,
    max_hub_share: Annotated[
        float, typer.Option(help="Share of edges that may belong to one concept.")
    ] = _DEFAULT.max_hub_share,
    min_edges: Annotated[
        int, typer.Option(help="Ignore changes and hubs with fewer edges than this.")
    ] = _DEFAULT.min_edges,
) -> None:
    """Report the content of a release of relations and its changes. Exit 1 if a limit is exceeded."""
    from ingest.audit.audit import examine

    output: Output = context.obj
    limits = Limits(
        max_lost_edges=max_lost_edges,
        max_lost_concepts=max_lost_concepts,
        max_growth=max_growth,
        max_move=max_move,
        max_reject_share=max_reject_share,
        max_hub_share=max_hub_share,
        min_edges=min_edges,
    )
    with output.world() as world, watch() as progress:
        found = examine(
            id, world.graph_store, world.settings, against=against, limits=limits, top=top, progress=progress
        )
    output.show(found.to_dict(), lambda console: render_audit.audit(console, found))
    for check in found.limits:
        if not check.passed:
            note(f"truthhypo: limit exceeded: {check}")
    if not found.passed:
        raise typer.Exit(Refused.exit_code)
