"""The commands `truthhypo bench ...`: build a benchmark set, run and rescore a suite, and report the results."""

from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from groundwork.errors import InputError, Refused
from truthhypo.bench import suite as suites
from truthhypo.bench.measures import rescore
from truthhypo.bench.runner import Account, empty_stores, leaking, prepare, run
from truthhypo.bench.runs import Run
from truthhypo.bench.suite import Suite
from truthhypo.faces.cli import bench_fit
from truthhypo.faces.cli.options import BUDGET_SPENT, ModelLimits, takes
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch
from truthhypo.hypotheses.build import BuiltSet, Mode, Order, Size, build
from truthhypo.hypotheses.leaks import read_species
from truthhypo.hypotheses.release import Cuts
from truthhypo.lookups import checked

if TYPE_CHECKING:
    from truthhypo.bench.report import Report
    from truthhypo.bench.report_page import Files


def built(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder for instances.tsv, cases.jsonl and the data card.")],
    mode: Annotated[
        str, typer.Option(help="paper (the published rules) or sound (labels that do not leak).")
    ] = "paper",
    seen_to: Annotated[
        int, typer.Option(min=1, help="Last PMID of the seen articles, which a model may use.")
    ] = Cuts().seen_to,
    unseen_from: Annotated[
        int, typer.Option(min=1, help="First PMID of the unseen articles, which state the answers.")
    ] = Cuts().unseen_from,
    seed: Annotated[int, typer.Option(min=0, help="Random seed. The same seed gives the same set.")] = 0,
    size: Annotated[
        str,
        typer.Option(help="Pairs to use: all related pairs, or table1 (at most as many as in Table 1 of the paper)."),
    ] = "all",
    genes: Annotated[
        Path | None, typer.Option(help="NCBI's gene_info (plain or .gz), which tells the species of a gene.")
    ] = None,
) -> None:
    """Make the TruthHypo benchmark from the loaded release.

    The set has a data card. Simple models that know no biology try to guess its labels; if they can, the labels leak.
    The exit code is 1 if a set of the mode sound leaks its labels, or if too few unrelated pairs were found; the JSON
    is still printed.
    """
    checked("mode", mode, ("paper", "sound"))
    checked("size", size, ("all", "table1"))
    output: Output = context.obj
    order = Order(
        Cuts(seen_to, unseen_from),
        cast("Mode", mode),
        seed,
        cast("Size", size),
        read_species(genes) if genes else None,
    )
    with output.world() as world, watch() as progress:
        found = build(world.graph_store, out, order, progress)
    output.show(found.to_dict(), lambda console: _show_set(console, found))
    if found.short or not found.passed:
        raise typer.Exit(1)


#: Text for the result of the leak probe if the set may still be used.
_LEAKS = {
    "leaks": "the labels leak, as expected in this mode",
    "too small": "too small to test whether the labels leak",
    "none found": "no leak found",
}


def _show_set(console: Console, found: BuiltSet) -> None:
    """Show the counts beside those of Table 1, the results of the leak probe and the warnings."""
    table = Table("task", "label", "instances", "Table 1", box=None)
    for task, labels in found.counts.items():
        for label, count in labels.items():
            table.add_row(task, label, str(count), str(found.table_1[task][label]))
    console.print(table)
    console.print(f"left out  edges between a concept and itself: {found.self_relations}")
    for task, why in found.dropped.items():
        console.print(
            f"left out  {task}, of {found.unseen[task]} unseen edges: {why.seen_pair} with a pair seen before, "
            f"{why.one_article} found in one article only; {why.two_labels} pairs with two labels"
        )
    for probe in found.probe:
        for model, figure in probe.auroc.items():
            right = probe.accuracy[model]
            console.print(
                f"probe  {probe.task}, {model}: AUROC {figure.value:.3f} ({figure.low:.3f}-{figure.high:.3f}), "
                f"accuracy {right.value:.3f} (majority {probe.majority:.3f})"
            )
    for warning in found.warnings():
        console.print(f"warning: {warning}")
    verdict = "the labels leak; do not use this set" if not found.passed else _LEAKS[found.verdict]
    console.print(f"{found.total} instances, mode {found.mode}, {verdict}", markup=False)
    console.print(f"in {found.out}", markup=False, soft_wrap=True)


#: Width in characters of a figure with its interval.
_FIGURE = len("0.512 (0.498-0.527)")

Data = Annotated[
    list[str] | None, typer.Option("--data", help="NAME=PATH: where the suite's dataset NAME is now; may be repeated.")
]


@takes
def ran(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="TOML file of a suite, or the name of a suite of this package.")],
    out: Annotated[Path, typer.Option(help="Folder of the run. If it exists, the run is resumed.")],
    data: Data = None,
    *,
    limits: ModelLimits,
) -> None:
    """Run a suite: every model on every instance in every setting. Run it again to resume an interrupted run.

    The exit code is 1 if the budget was spent before all calls were made, or if calls got no reply. The same command
    continues the run.
    """
    output: Output = context.obj
    given = limits.settings()
    asked = _limited(suites.read_suite(suite, paths_of(data)), given)
    with output.world(model_cache=given["model_cache"]) as world, watch() as progress:
        held = Run(out)
        prepared = prepare(asked, world, held.manifest())
        for warning in [*leaking(prepared.manifest), *empty_stores(prepared.manifest)]:
            note(f"warning: {warning}")
        account = run(prepared, world, held, progress)
        shape: dict[str, Any] = account.to_dict()
        shape["measures"] = None if account.left else str(held.folder / "measures.json")
        scores = None if account.left else rescore(held, world.settings.home, paths_of(data))
    output.show(shape, lambda console: _say(console, account, scores))
    _end_run(account)


def scored(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Folder of a finished bench run.")],
    data: Data = None,
) -> None:
    """Compute measures.json again, without calling a model. It uses the records and the gold labels."""
    output: Output = context.obj
    found = rescore(Run(folder), output.settings().home, paths_of(data))
    output.show(found, lambda console: show_scores(console, found))


def paths_of(given: list[str] | None) -> dict[str, str]:
    """Parse words of the form NAME=PATH, and return the path of each dataset by name.

    Raises:
        InputError: A word has no `=`, no name or no path.
    """
    found = {}
    for each in given or []:
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise InputError(f"--data {each}", "NAME=PATH", "for instance --data sound=sets/sound")
        found[name] = path
    return found


def _end_run(account: Account) -> None:
    """End the command with exit code 1 if its result needs attention, and say why."""
    if account.left:
        note(BUDGET_SPENT)
    if account.failed:
        note(
            f"truthhypo: {account.failed} answers failed; run the same command again to ask for missing "
            "replies (unusable replies are final)"
        )
    if account.left or account.failed:
        raise typer.Exit(Refused.exit_code)


def _limited(asked: Suite, given: dict[str, Any]) -> Suite:
    """Return the suite with the limits that were given as options. Other limits of the suite are kept."""
    flags = {name: given[f"model_{name}"] for name in ("budget_tokens", "budget_cost", "concurrency")}
    held = asked.limits.model_copy(update={name: value for name, value in flags.items() if value is not None})
    return asked.model_copy(update={"limits": held})


def _say(console: Console, account: Account, scores: dict[str, Any] | None) -> None:
    if scores:
        show_scores(console, scores)
    console.print(
        f"{account.records:,} records: {account.kept:,} kept, {account.written:,} written "
        f"({account.failed:,} failed, {account.undecided:,} undecided), {account.left:,} left; in {escape(account.out)}"
    )


def show_scores(console: Console, scores: dict[str, Any]) -> None:
    """Print one table per model and dataset, and then the warnings.

    A table has one line per setting and way to select an answer, with figures over all tasks. If answers are missing, a
    second line gives the accuracy among all instances asked.
    """
    cells = [cell for cell in scores["cells"] if cell["task"] == "average"]
    for first, (answerer, held) in enumerate(groupby(cells, lambda cell: f"{cell['model']}, on {cell['dataset']}")):
        table = Table(*_columns(), box=None, padding=(0, 1, 0, 0), show_header=first == 0)
        for cell in held:
            figures = cell["measures"]
            names = [escape(str(cell[name])) for name in ("setting", "select", "n", "failed")]
            table.add_row(*names, _figure(figures["link_f1_micro"]), _figure(figures["relation_accuracy_micro"]))
            if cell["answered"] < cell["n"]:
                table.add_row("", "of all asked", "", "", "", _figure(figures["relation_accuracy_of_asked"]))
        console.print(answerer, markup=False, style="bold", soft_wrap=True)
        console.print(table)
    for warning in scores["warnings"]:
        console.print(f"warning: {escape(warning)}")


def _columns() -> tuple[Column, ...]:
    """Return the columns of all tables. Their widths are fixed and add up to 80 characters at most."""
    figures = (Column(name, width=_FIGURE) for name in ("link F1, micro", "accuracy, micro"))
    counts = (Column(name, width=6, justify="right") for name in ("n", "failed"))
    return Column("setting", width=10), Column("select", width=12), *counts, *figures


def _figure(figure: dict[str, Any]) -> str:
    if figure["value"] is None:
        return "-"
    span = f" ({figure['low']:.3f}-{figure['high']:.3f})" if figure["low"] is not None else ""
    return f"{figure['value']:.3f}{span}"


def reported(
    context: typer.Context,
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders written by bench run or grid.", show_default=False),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The page (.html); .json and .csv are written beside it. Default: HOME/reports, named after the first "
            "folder."
        ),
    ] = None,
    instances: Annotated[int, typer.Option(min=0, help="Number of instances to _show_report with all answers.")] = 50,
    data: Data = None,
    note: Annotated[str, typer.Option(help="A note for readers, shown above the warnings.")] = "",
) -> None:
    """Write a report on runs and grids.

    The report contains the papers' tables, paired tests and instances.
    """
    _extra()
    from truthhypo.bench.report import report
    from truthhypo.bench.report_page import save, target

    output: Output = context.obj
    page = target(out or output.settings().home / "reports" / f"{folders[0].absolute().name}.html")
    found = report(folders, instances, paths_of(data), note)
    files = save(found, page, sealed=out is None)
    shape = {
        **files.to_dict(),
        "runs": [run.name for run in found.runs],
        "grids": [grid.name for grid in found.grids],
        "figures": len(found.figures),
        "comparisons": len(found.comparisons),
        "warnings": list(found.warnings),
    }
    output.show(shape, lambda console: _show_report(console, found, files))


def _extra() -> None:
    """Check that the packages for pictures and statistical tests are installed."""
    missing = [name for name in ("altair", "vl_convert", "scipy", "statsmodels") if find_spec(name) is None]
    if missing:
        seen = f"a report needs {', '.join(missing)}, which is not installed"
        raise InputError(seen, "the extra `bench`", "install it: pip install 'truthhypo[bench]'")


def _show_report(console: Console, found: "Report", files: "Files") -> None:
    """Print the warnings, the number of figures, the number of paired tests, and the paths of the files."""
    for warning in found.warnings:
        console.print(f"warning: {warning}", markup=False)
    console.print(f"{len(found.figures)} figures, {len(found.comparisons)} paired tests", markup=False)
    for path in files.to_dict().values():
        console.print(path, markup=False)


app = typer.Typer(help="Build and run benchmarks, and report the results.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def group() -> None:
    """Build and run benchmarks, and report the results."""


for _name, _command in (
    ("build", built),
    ("calibrate", bench_fit.calibrate),
    ("grid", bench_fit.grid),
    ("train-reader", bench_fit.train_reader),
    ("report", reported),
    ("fit-risk", bench_fit.fit_risk),
    ("run", ran),
    ("rescore", scored),
):
    app.command(_name)(_command)
