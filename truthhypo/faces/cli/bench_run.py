"""The commands `truthhypo bench run` and `rescore`: run a suite into a folder, and compute its measures again."""

from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from groundwork.errors import InputError, Refused
from truthhypo.bench import suite as suites
from truthhypo.bench.prepared import empty_stores, leaking, prepare
from truthhypo.bench.runner import Account, run
from truthhypo.bench.runs import Run
from truthhypo.bench.scores import rescore
from truthhypo.bench.suite import Suite
from truthhypo.faces.cli.judging_request import BUDGET_SPENT, BudgetCost, BudgetTokens, Concurrency, NoCache, limits
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch

#: Width in characters of a figure with its interval.
_FIGURE = len("0.512 (0.498-0.527)")

Data = Annotated[
    list[str] | None, typer.Option("--data", help="NAME=PATH: where the suite's dataset NAME is now; may be repeated.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to `truthhypo bench`."""
    app.command("run")(ran)
    app.command("rescore")(scored)


def ran(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="TOML file of a suite, or the name of a suite of this package.")],
    out: Annotated[Path, typer.Option(help="Folder of the run. If it exists, the run is resumed.")],
    data: Data = None,
    budget_tokens: BudgetTokens = None,
    budget_cost: BudgetCost = None,
    concurrency: Concurrency = None,
    no_cache: NoCache = False,
) -> None:
    """Run a suite: every model on every instance in every setting. Run it again to resume an interrupted run.

    The exit code is 1 if the budget was spent before all calls were made, or if calls got no reply. The same command
    continues the run.
    """
    output: Output = context.obj
    given = limits(budget_tokens, budget_cost, concurrency, no_cache)
    asked = _limited(suites.read(suite, paths_of(data)), given)
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
    end(account)


def scored(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Folder of a finished bench run.")],
    data: Data = None,
) -> None:
    """Compute measures.json again, without calling a model. It uses the records and the gold labels."""
    output: Output = context.obj
    found = rescore(Run(folder), output.settings().home, paths_of(data))
    output.show(found, lambda console: show(console, found))


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


def end(account: Account) -> None:
    """End the command with exit code 1 if its result needs attention, and say why.

    Raises:
        typer.Exit: Some questions were not asked, or some answers failed.
    """
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
        show(console, scores)
    console.print(
        f"{account.records:,} records: {account.kept:,} kept, {account.written:,} written "
        f"({account.failed:,} failed, {account.undecided:,} undecided), {account.left:,} left; in {escape(account.out)}"
    )


def show(console: Console, scores: dict[str, Any]) -> None:
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
