"""The command `truthhypo bench calibrate`: measures a judge on labelled pairs of claim and evidence."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from groundwork.errors import InputError, Refused
from knowhd import judges
from knowhd.calibration import JudgeFigures, calibration_of, keep
from knowhd.judge import VERDICTS
from truthhypo.bench.judge_calibration.pairs import load
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.layout import decimals
from truthhypo.faces.progress import watch


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo bench`."""
    app.command()(calibrate)


def calibrate(
    context: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Labelled pairs: HealthVer .csv, Citation-Integrity folder or claims file, or any .csv or .jsonl with "
            "the columns claim, evidence and label."
        ),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Judge: rules, nli:NAME, minicheck:NAME, medv1:NAME, or a language model.")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="Another split of the data. The figures are also given without the pairs that share evidence or a "
            "question with this split."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Use only this many pairs, from the start.")] = None,
) -> None:
    """Measure a judge on labelled pairs of claim and evidence.

    The figures (kappa, calibration, confusion) are shown beside groundedness. Without --data, the figures that were
    measured before are shown. The exit code is 1 if the judge gave almost always the same verdict.
    """
    from truthhypo.bench.judge_calibration.calibrate import measured

    output: Output = context.obj
    chosen = _settings(judge)
    with output.world(**chosen) as world:
        judging = world.judge
        if data is None:
            known = calibration_of(judging.name, world.settings.home)
            if known is None:
                raise InputError(f"no figures for {judging.name!r}", "a judge that was measured", "give --data")
            output.show(
                {"judge": judging.name, **known.to_dict()},
                lambda console: show(console, judging.name, known, *known.beside),
            )
            return
        pairs, other = load(data)[:limit], load(against) if against else []
        with watch() as progress:
            progress.begin("judging", len(pairs), "pairs")
            name = f"{data.name}{f', first {limit}' if limit else ''}"
            found = measured(judging, pairs, name, against=other, seen=lambda _done: progress.advance(1))
        place = keep(judging.name, found, world.settings.home)
    output.show(
        {"judge": judging.name, **found.to_dict(), "kept": str(place)},
        lambda console: show(console, judging.name, found),
    )
    if found.constant:
        note(f"truthhypo: {judging.name} answers {found.constant} almost always, so these figures say little about it")
        raise typer.Exit(Refused.exit_code)


def _settings(judge: str | None) -> dict[str, Any]:
    """Return the settings that select a judge. Names that no judge has are those of language models."""
    if judge is None:
        return {}
    return {"judge": judge} if judges.is_named(judge) else {"model": judge, "judge": None}


def show(console: Console, judge: str, *sets: JudgeFigures) -> None:
    """Show the judge's figures and confusion matrix for each labelled set.

    The figures contain kappa without the pairs that the set shares with another split.
    """
    console.print(escape(judge))
    for found in sets:
        console.print(f"{escape(found.dataset)}: {found.n:,} pairs ({escape(found.measured_on)})")
        console.print(_figures(found))
        if found.confusion:
            table = Table("label", *VERDICTS, box=None)
            for name, counts in found.confusion.items():
                table.add_row(name, *(f"{counts[verdict]:,}" for verdict in VERDICTS))
            console.print(table)
        console.print(f"failed: {found.failed:,}" + (f"; almost always {found.constant}" if found.constant else ""))


def _figures(found: JudgeFigures) -> Table:
    figures = Table("figure", "value", "95 %", box=None)
    rows = [
        ("kappa", found.kappa, found.kappa_interval),
        ("balanced accuracy", found.balanced_accuracy, found.balanced_accuracy_interval),
        ("macro-F1", found.macro_f1, found.macro_f1_interval),
        (f"ECE, 10 bins, {found.ece_n:,} verdicts", found.ece, None),
        ("share decided", found.decided, None),
        ("precision of the decided", found.precision, None),
        *((f"kappa, without shared {p.without} ({p.n:,})", p.kappa, p.kappa_interval) for p in found.purged),
    ]
    for name, value, span in rows:
        figures.add_row(name, decimals(value), f"{span[0]:.3f} to {span[1]:.3f}" if span else "")
    return figures
