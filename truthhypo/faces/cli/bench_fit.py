"""The commands `truthhypo bench calibrate`, `grid`, `fit-risk` and `train-reader`: measures and fits."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from groundwork.errors import InputError, Refused
from knowhd import judges
from knowhd.calibration import JudgeFigures, calibration_of, keep
from knowhd.judge import VERDICTS
from truthhypo.bench.labelled import read_pairs
from truthhypo.faces.cli.graph import Before
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.layout import decimals
from truthhypo.faces.progress import watch

if TYPE_CHECKING:
    from truthhypo.bench.grid import Grid, GridReport
    from truthhypo.bench.risk_fit import Fit


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
    from truthhypo.bench.judge_calibration import measured

    output: Output = context.obj
    chosen = _settings_of(judge)
    with output.world(**chosen) as world:
        judging = world.judge
        if data is None:
            known = calibration_of(judging.name, world.settings.home)
            if known is None:
                raise InputError(f"no figures for {judging.name!r}", "a judge that was measured", "give --data")
            output.show(
                {"judge": judging.name, **known.to_dict()},
                lambda console: _show_figures(console, judging.name, known, *known.beside),
            )
            return
        pairs, other = read_pairs(data)[:limit], read_pairs(against) if against else []
        with watch() as progress:
            progress.begin("judging", len(pairs), "pairs")
            name = f"{data.name}{f', first {limit}' if limit else ''}"
            found = measured(judging, pairs, name, against=other, seen=lambda _done: progress.advance(1))
        place = keep(judging.name, found, world.settings.home)
    output.show(
        {"judge": judging.name, **found.to_dict(), "kept": str(place)},
        lambda console: _show_figures(console, judging.name, found),
    )
    if found.constant:
        note(f"truthhypo: {judging.name} answers {found.constant} almost always, so these figures say little about it")
        raise typer.Exit(Refused.exit_code)


def _settings_of(judge: str | None) -> dict[str, Any]:
    """Return the settings that select a judge. Names that no judge has are those of language models."""
    if judge is None:
        return {}
    return {"judge": judge} if judges.is_named(judge) else {"model": judge, "judge": None}


def _show_figures(console: Console, judge: str, *sets: JudgeFigures) -> None:
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


#: Number of points of the grid (combinations of options) that are printed.
_POINTS = 8


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
    from truthhypo.bench.grid import LOOK_UPS, measured, write_grid
    from truthhypo.bench.labelled import read_statements
    from truthhypo.charting import reader

    output: Output = context.obj
    points = _grid(forms, alphas, taus, hops, aggregates)
    statements = read_statements(data)
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
        write_grid(found, out)
    output.show({**found.to_dict(), "out": str(out) if out else None}, lambda console: _show_grid(console, found))
    for warning in found.warnings:
        note(f"truthhypo: {warning}")
    if not found.reached["measured"]:
        note("truthhypo: no statement could be measured; load a graph that has paths between their concepts")
        raise typer.Exit(Refused.exit_code)


def _grid(forms: str, alphas: str, taus: str, hops: str, aggregates: str) -> "Grid":
    """Return the grid of the given values. An empty option stands for the default values."""
    from truthhypo.bench.grid import Grid

    given: dict[str, Any] = {
        "forms": _values(forms, str, "--forms"),
        "alphas": _values(alphas, float, "--alphas"),
        "taus": _values(taus, float, "--taus"),
        "hops": _values(hops, int, "--hops"),
        "aggregates": _values(aggregates, str, "--aggregates"),
    }
    chosen = Grid(**{name: values for name, values in given.items() if values})
    try:
        for _ in chosen.terms():  # check each point before anything is read
            pass
    except InputError as error:
        lists = ", ".join(f"--{name}" for name in given)
        raise InputError(error.seen, error.wanted, f"choose another value in one of the lists {lists}") from None
    return chosen


def _values(text: str, kind: type, option: str) -> tuple[Any, ...]:
    try:
        return tuple(cast("Any", kind)(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise InputError(f"{option} {text}", "values separated by commas", f"for instance {option} 0.2,0.5") from error


def _show_grid(console: Console, found: "GridReport") -> None:
    """Show how many statements were measured, the best points and the cross-validated choice."""
    console.print("labels   " + ", ".join(f"{name} {count:,}" for name, count in found.labels.items()))
    console.print("reached  " + ", ".join(f"{name} {count:,}" for name, count in found.reached.items()))
    table = Table(
        "form", "alpha", "tau", "hops", "aggregate", "measured", "AUROC", "F1 at .5", "F1 best", "ECE", box=None
    )
    for each in sorted(found.points, key=lambda p: -(p.auroc or 0.0))[:_POINTS]:
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


#: AUROC of a score that says nothing.
_CHANCE = 0.5


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
    output.show(
        {**found.to_dict(), "kept": str(place) if place else None}, lambda console: _show_fit(console, found, place)
    )


def _show_fit(console: Console, found: "Fit", place: Path | None) -> None:
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


#: Default number of epochs, and the BERT to start from.
EPOCHS, BASE = 2, "sentence-transformers/all-MiniLM-L6-v2"


def train_reader(
    context: typer.Context,
    data: Annotated[
        Path, typer.Argument(help="Folder with the labelled sets: labelled/, biored/, bc5cdr/ and others.")
    ],
    out: Annotated[Path, typer.Option(help="File to write the weights to (.onnx).")],
    base: Annotated[str, typer.Option(help="Folder or hub name of the BERT to start from.")] = BASE,
    epochs: Annotated[int, typer.Option(min=1, help="Number of epochs before the last one.")] = EPOCHS,
    state: Annotated[
        Path | None, typer.Option(help="Folder for the state after each epoch; a killed fit goes on.")
    ] = None,
) -> None:
    """Fit the encoder that reads claims and evidence on sets of labelled sentences.

    This needs the extra `models`, and about half an hour an epoch on two cores. The figures on the documents that are
    set aside are printed. To use the weights, set the setting `reader` to the file --out.
    """
    from truthhypo.bench.reader.training import train

    output: Output = context.obj
    if state:
        state.mkdir(parents=True, exist_ok=True)
    card = train(data, out, base=base, epochs=epochs, state=state, say=lambda line: print(line, file=sys.stderr))  # noqa: T201
    output.show({"out": str(out), **card}, lambda console: _show_card(console, out, card))


def _show_card(console: Console, out: Path, card: Mapping[str, Any]) -> None:
    console.print(f"{sum(card['rows'].values()):,} rows an epoch, written to {escape(str(out))}")
    for name, found in card["set_aside"].items():
        console.print(
            f"  {name}: {found['found']:.3f} of {found['signed']:,} signs found, {found['right']:.3f} of the decided "
            f"right; {found['decided']:.3f} of {found['others']:,} others decided"
        )
