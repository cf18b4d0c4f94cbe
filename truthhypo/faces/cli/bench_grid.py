"""The command `truthhypo bench grid`: measures which options of `risk` best separate true from false statements."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console
from rich.table import Table

from groundwork.errors import InputError, Refused
from truthhypo.faces.cli.graph import Before
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.layout import decimals
from truthhypo.faces.progress import watch

if TYPE_CHECKING:
    from truthhypo.bench.grid.grid_report import GridReport
    from truthhypo.bench.grid.risks import Grid

#: Number of points of the grid (combinations of options) that are printed.
SHOWN = 8


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo bench`."""
    app.command()(grid)


def grid(
    context: typer.Context,
    data: Annotated[
        Path,
        typer.Option(
            help="Labelled statements: PubMedQA's .json, or .csv or .jsonl with the fields text (or question) "
            "and label."
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="Folder for grid.json and grid.csv.")] = None,
    taus: Annotated[str, typer.Option(help="Values of --tau-min, separated by commas.")] = "",
    alphas: Annotated[str, typer.Option(help="Weights of similarity edges, separated by commas.")] = "",
    forms: Annotated[str, typer.Option(help="Forms of mu, separated by commas: scaled, paper, linear.")] = "",
    aggregates: Annotated[
        str, typer.Option(help="Ways to combine paths, separated by commas: noisy_or, max, sum.")
    ] = "",
    hops: Annotated[str, typer.Option(help="Maximum path lengths, separated by commas.")] = "",
    before: Before = None,
) -> None:
    """Measure risk on labelled statements over a grid of options.

    Every combination of tau, alpha, form, aggregate and hops is measured: F1, AUROC, calibration. Questions are turned
    into statements by rules. By default, tau is .1 to .9, alpha .5, .7, .85, .9 and 1, hops 1 to 4, and all forms and
    aggregates are tried. All points use the score `paper`. The choice of a combination is cross-validated.
    """
    from fuzzygraph.risk_report import fitted
    from truthhypo.bench.grid.data import load
    from truthhypo.bench.grid.grid_report import measured, write
    from truthhypo.bench.grid.risks import LOOK_UPS
    from truthhypo.charting import reader

    output: Output = context.obj
    points = _grid(forms, alphas, taus, hops, aggregates)
    statements = load(data)
    with output.world() as world, watch() as progress:
        settings = world.settings
        graph = reader(world.graph_store, settings, LOOK_UPS * len(statements))
        errors = settings.syst, settings.rand
        points = replace(points, scale=fitted(graph.releases()))
        found = measured(
            statements,
            data.name,
            graph,
            points,
            errors,
            before=before,
            without=world.uncounted(),
            begin=progress.begin,
            seen=lambda: progress.advance(1),
        )
    if out is not None:
        write(found, out)
    output.show({**found.to_dict(), "out": str(out) if out else None}, lambda console: show(console, found))
    for warning in found.warnings:
        note(f"truthhypo: {warning}")
    if not found.reached["measured"]:
        note("truthhypo: no statement could be measured; load a graph that has paths between their concepts")
        raise typer.Exit(Refused.exit_code)


def _grid(forms: str, alphas: str, taus: str, hops: str, aggregates: str) -> "Grid":
    """Return the grid of the given values. An empty option stands for the default values."""
    from truthhypo.bench.grid.risks import Grid

    given: dict[str, Any] = {
        "forms": _list(forms, str, "--forms"),
        "alphas": _list(alphas, float, "--alphas"),
        "taus": _list(taus, float, "--taus"),
        "hops": _list(hops, int, "--hops"),
        "aggregates": _list(aggregates, str, "--aggregates"),
    }
    chosen = Grid(**{name: values for name, values in given.items() if values})
    try:
        for _ in chosen.terms():  # check each point before anything is read
            pass
    except InputError as error:
        lists = ", ".join(f"--{name}" for name in given)
        raise InputError(error.seen, error.wanted, f"choose another value in one of the lists {lists}") from None
    return chosen


def _list(text: str, kind: type, option: str) -> tuple[Any, ...]:
    try:
        return tuple(cast("Any", kind)(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise InputError(f"{option} {text}", "values separated by commas", f"for instance {option} 0.2,0.5") from error


def show(console: Console, found: "GridReport") -> None:
    """Show how many statements were measured, the best points and the cross-validated choice."""
    console.print("labels   " + ", ".join(f"{name} {count:,}" for name, count in found.labels.items()))
    console.print("reached  " + ", ".join(f"{name} {count:,}" for name, count in found.reached.items()))
    table = Table(
        "form", "alpha", "tau", "hops", "aggregate", "measured", "AUROC", "F1 at .5", "F1 best", "ECE", box=None
    )
    for each in sorted(found.points, key=lambda p: -(p.auroc or 0.0))[:SHOWN]:
        terms = each.form, f"{each.alpha:g}", f"{each.tau_min:g}", str(each.hops), each.aggregate
        figures = each.auroc, each.f1, each.f1_best, each.ece
        table.add_row(*terms, f"{each.measured:,}", *map(decimals, figures))
    console.print(table)
    if found.crossed is not None:
        c = found.crossed
        console.print(
            f"cross-validated choice, on {c.measured:,} measured statements of {c.n:,}: F1 {decimals(c.f1)} (if all "
            f"are called false: {decimals(c.f1_always)}), accuracy {decimals(c.accuracy)} (majority label: "
            f"{decimals(c.majority)}), AUROC {decimals(c.auroc)}"
        )
        console.print(
            f"the same choice, on all statements: F1 {c.f1_all:.3f}, accuracy {c.accuracy_all:.3f} "
            f"(majority label: {c.majority_all:.3f})"
        )
