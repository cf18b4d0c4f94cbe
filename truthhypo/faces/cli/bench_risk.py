"""The command `truthhypo bench fit-risk`: fits the coefficients of the calibrated risk score on the loaded graph."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from truthhypo.faces.cli.output import Output
from truthhypo.faces.layout import decimals
from truthhypo.faces.progress import watch

#: AUROC of a score that says nothing.
_CHANCE = 0.5

if TYPE_CHECKING:
    from truthhypo.bench.risk_fit import Fit


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo bench`."""
    app.command("fit-risk")(fit_risk)


def fit_risk(
    context: typer.Context,
    before: Annotated[
        int | None, typer.Option(min=1, help="Hold out the articles after this PMID; by default, each fifth in turn.")
    ] = None,
    keep: Annotated[bool, typer.Option(help="Keep the coefficients under HOME, so that `risk` uses them.")] = True,
) -> None:
    """Fit the coefficients of the calibrated risk score on the loaded graph, and measure them.

    Each fifth of the articles is held out in turn; with --before, the articles after that PMID are held out instead.
    The pairs that held-out articles relate are compared with pairs that no article relates, whose ends have the same
    types and similar degrees. A fit is for graphs of the same kind as the loaded one. To go back to the coefficients
    that come with the program, delete HOME/risk.json.
    """
    from truthhypo.bench import risk_fit

    output: Output = context.obj
    with output.world() as world, watch() as progress:
        edges = risk_fit.edges_of(world.graph_store, world.uncounted())
        held = risk_fit.splits(edges, before)
        progress.begin("measuring", len(held), "splits")
        folds = []
        for number, pmids in enumerate(held):
            folds.append(risk_fit.cases(edges, pmids, number))
            progress.advance(1)
        releases = [one.label for one in world.graph.stats().releases if one.state == "live"]
        found = risk_fit.fit(folds, f"releases {', '.join(releases)}")
        place = risk_fit.keep(found, world.settings.home) if keep else None
    output.show({**found.to_dict(), "kept": str(place) if place else None}, lambda console: show(console, found, place))


def show(console: Console, found: "Fit", place: Path | None) -> None:
    """Show the coefficients and the figures of a fit, and where it was kept."""
    held = found.coefficients
    console.print(f"base {held.base:.3f}; three undisputed articles: HRS at most {held.highest_risk(3):.3f}")
    for name, row in held.to_dict().items():
        if name != "base":
            console.print(f"  {name:10}  " + ", ".join(f"{part} {value:.3f}" for part, value in row.items()))
    console.print(f"{found.related:,} related and {found.unrelated:,} unrelated cases that the other articles connect")
    console.print(f"AUROC of strength, pairs without a direct edge: {decimals(found.auroc)}")
    console.print(f"sign right where strength >= 0.5: {decimals(found.sign_right)} of {found.sure:,}")
    console.print(f"expected calibration error of P(claim): {decimals(found.ece)}")
    if found.auroc is not None and found.auroc < _CHANCE:
        console.print(
            "[yellow]strength ranks these pairs no better than chance: do not use these coefficients[/yellow]"
        )
    if place is not None:
        console.print(f"kept in {escape(str(place))}: risk uses it from now on, a running service after its next start")
