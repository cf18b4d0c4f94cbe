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
from truthhypo.bench.prepared import PreparedSuite, empty_stores, leaking, prepare
from truthhypo.bench.runner import Account, run
from truthhypo.bench.runs import Run
from truthhypo.bench.scores import rescore
from truthhypo.bench.suite import Suite
from truthhypo.faces.cli.judging_request import BudgetCost, BudgetTokens, Concurrency, DryRun, NoCache, limits
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch

#: Width in characters of a figure with its interval.
_FIGURE = len("0.512 (0.498-0.527)")

Data = Annotated[list[str] | None, typer.Option("--data", help="NAME=PATH: path of a dataset; may be repeated.")]


def register(app: typer.Typer) -> None:
    """Add the commands to `truthhypo bench`."""
    app.command("run")(ran)
    app.command("rescore")(scored)


def ran(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="TOML file of a suite, or the name of a suite of this package.")],
    out: Annotated[Path, typer.Option(help="Folder of the run. If it exists, the run is resumed.")],
    shard: Annotated[str | None, typer.Option(help="K/N: only every N-th instance, starting at the K-th.")] = None,
    data: Data = None,
    dry_run: DryRun = False,
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
    part = shard_of(shard) if shard else None
    asked = _limited(suites.read(suite, paths_of(data)), given)
    with output.world(model_cache=given["model_cache"]) as world, watch() as progress:
        held = Run(out)
        prepared = prepare(asked, world, held.manifest())
        for warning in [*leaking(prepared.manifest), *empty_stores(prepared.manifest)]:
            note(f"warning: {warning}")
        if dry_run:
            _plan(output, prepared, world, held, part, progress)
            return
        account = run(prepared, world, held, progress, part)
        shape: dict[str, Any] = account.to_dict()
        whole = part is None and not account.left
        shape["measures"] = str(held.folder / "measures.json") if whole else None
        scores = rescore(held, world.settings.home, paths_of(data)) if whole else None
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


def _plan(
    output: Output, prepared: PreparedSuite, world: Any, held: Run, part: tuple[int, int] | None, progress: Any
) -> None:
    from truthhypo.bench.rehearsal import rehearse

    found = rehearse(prepared, world, held, progress, part)
    output.show(found, lambda console: _costs(console, found))


def shard_of(given: str) -> tuple[int, int]:
    """Parse `K/N`, and return K and N.

    Raises:
        InputError: The text is not of this form, or 1 <= K <= N does not hold.
    """
    first, _, last = given.partition("/")
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
        raise InputError(f"--shard {given}", "K/N with 1 <= K <= N", "for instance --shard 1/4")
    return int(first), int(last)


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
        typer.Exit: Some answers were not asked or failed.
    """
    if account.left:
        note("truthhypo: the budget is spent; to continue, run the same command with a higher budget")
    if account.failed:
        note(f"truthhypo: {account.failed} answers failed; run the same command again to retry missing replies")
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
        f"({account.failed:,} failed), {account.left:,} left; in {escape(account.out)}"
    )


def show(console: Console, scores: dict[str, Any]) -> None:
    """Print a table per model and dataset with a line per setting, over all tasks. Then print the warnings."""
    cells = [cell for cell in scores["cells"] if cell["task"] == "average"]
    for first, (answerer, held) in enumerate(groupby(cells, lambda cell: f"{cell['model']}, on {cell['dataset']}")):
        table = Table(*_columns(), box=None, padding=(0, 1, 0, 0), show_header=first == 0)
        for cell in held:
            figures = cell["measures"]
            names = [escape(str(cell[name])) for name in ("setting", "select", "n", "failed")]
            table.add_row(*names, _figure(figures["link_f1_micro"]), _figure(figures["relation_accuracy_micro"]))
            if cell["failed"]:
                table.add_row("", "incl. failed", "", "", "", _figure(figures["relation_accuracy_of_asked"]))
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


def _costs(console: Console, found: dict[str, Any]) -> None:
    table = Table("model", "answers", "calls", "cached", "prompt tokens", "reply tokens", "cost", box=None)
    for each in found["models"]:
        replies, cost = each["completion_tokens"], each["cost"]
        table.add_row(
            escape(each["model"]),
            *(f"{each[name]:,}" for name in ("texts", "calls", "cached", "prompt_tokens")),
            f"{replies['expected']:,} (at most {replies['at_most']:,})",
            "unknown" if cost is None else f"{cost['expected']:.4f} (at most {cost['at_most']:.4f})",
        )
    console.print(table)
