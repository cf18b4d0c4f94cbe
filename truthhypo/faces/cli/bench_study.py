"""`truthhypo bench study pairs | annotate | score`: which of two hypotheses is likelier, by people and by models."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from groundwork.errors import InputError, Refused
from truthhypo.faces.cli.bench_run import Data, paths_of
from truthhypo.faces.cli.judging import show_plan
from truthhypo.faces.cli.judging_request import BudgetCost, BudgetTokens, Concurrency, DryRun, NoCache, limits
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch
from truthhypo.lookups import checked

if TYPE_CHECKING:
    from truthhypo.bench.report.answers import Source
    from truthhypo.bench.study.folder import Study
    from truthhypo.bench.study.results import Results

Folder = Annotated[Path, typer.Argument(help="Folder of the study.", show_default=False)]

app = typer.Typer(help="The open-ended study: pairs, choices, tests.", no_args_is_help=True, rich_markup_mode=None)


def register(bench: typer.Typer) -> None:
    """Hang the commands on `truthhypo bench`."""
    bench.add_typer(app, name="study")


@app.command("pairs")
def paired(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(help="Folder of bench run: several samples, judged.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the study; sheets/ in it is for the annotators.")],
    gap: Annotated[float, typer.Option(help="Points of groundedness between the two, at least.")] = 30.0,
    source: Annotated[str, typer.Option(help="graph, literature or both: on which they were judged.")] = "both",
    dataset: Annotated[str | None, typer.Option(help="Of the run; where it has several.")] = None,
    answerer: Annotated[str | None, typer.Option(help="Whose answers; where there are several.")] = None,
    setting: Annotated[str | None, typer.Option(help="With which knowledge; likewise.")] = None,
    judged_by: Annotated[str | None, typer.Option(help="Whose groundedness; likewise.")] = None,
    annotators: Annotated[int, typer.Option(help="How many people; a sheet each.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Of ids and orders: the same seed, the same study.")] = 0,
    data: Data = None,
) -> None:
    """Pairs of hypotheses of one instance that differ in groundedness, as blind sheets to fill, and a key apart."""
    from truthhypo.bench.study.folder import KEY, SHEETS, design, write
    from truthhypo.bench.study.pairs import StudySource, find

    checked("source", source, ("graph", "literature", "both"))
    output: Output = context.obj
    asked = StudySource(dataset, answerer, setting, judged_by, cast("Source", source), gap)
    found = find(run, asked, paths_of(data))
    study = design(found, run, annotators, seed)
    write(study, out)
    shape = {
        "asked": study.asked.to_dict(),
        "pairs": len(study.shown),
        **{name: getattr(found, name) for name in ("instances", "grounded", "same_text")},
        "same_relation": sum(pair.high.relation == pair.low.relation for pair in found.pairs),
        "sheets": [str((out / SHEETS / f"{name}.csv").resolve()) for name in study.annotators],
        "key": str((out / KEY).resolve()),
    }
    output.show(shape, lambda console: _say(console, study, shape))


@app.command()
def annotate(
    context: typer.Context,
    folder: Folder,
    dry_run: DryRun = False,
    budget_tokens: BudgetTokens = None,
    budget_cost: BudgetCost = None,
    concurrency: Concurrency = None,
    no_cache: NoCache = False,
) -> None:
    """Ask --model of every pair, in both orders; killed at any moment, the same command goes on.

    Exit 1 where the budget was spent before all was asked, or questions failed.
    """
    from truthhypo.bench.study.folder import read
    from truthhypo.bench.study.judging import annotate as asked
    from truthhypo.bench.study.judging import rehearse
    from truthhypo.worker_pool import pool_for

    output: Output = context.obj
    study = read(folder)
    with output.world(**limits(budget_tokens, budget_cost, concurrency, no_cache)) as world:
        if (model := world.model) is None:
            raise InputError("the rules cannot say which is likelier", "a language model", "give --model")
        if dry_run:
            show_plan(output, rehearse(study, folder, model, world.settings.model_tokens))
            return
        pool, shared = pool_for(world)
        with watch() as progress:
            account = asked(study, folder, shared.model or model, pool, progress)
    text = f"{account.questions} questions: {account.kept} kept, {account.written} written ({account.failed} failed), "
    output.show(account.to_dict(), lambda console: console.print(f"{text}{account.left} left", markup=False))
    if account.left:
        note("truthhypo: the budget is spent; run the same command with a higher one to go on where it stopped")
    if account.failed:
        note(f"truthhypo: {account.failed} answers failed and are on record; calls without a reply are asked again")
    if account.left or account.failed:
        raise typer.Exit(Refused.exit_code)


@app.command()
def score(
    context: typer.Context,
    folder: Folder,
    partial: Annotated[bool, typer.Option("--partial", help="Count sheets that are not finished too.")] = False,
) -> None:
    """Agreement, who chose which, and the tests of Table 4 in both forms; kept as study.json for bench report."""
    from truthhypo.bench.study.folder import read
    from truthhypo.bench.study.results import score as counted

    output: Output = context.obj
    found = counted(read(folder), folder, partial=partial)
    output.show(found.to_dict(), lambda console: show(console, found))


def _say(console: Console, study: "Study", shape: dict[str, object]) -> None:
    asked, pairs = study.asked, len(study.shown)
    who = f"{asked.model}, {asked.setting}, {asked.gap:g} points or more apart by {asked.judge}"
    console.print(f"{pairs} pairs of {who}", markup=False)
    console.print(f"{study.grounded} of {study.instances} instances had two grounded answers")
    console.print(f"{shape['same_relation']} pairs have one relation and two reasons")
    for sheet in cast("list[str]", shape["sheets"]):
        console.print(f"hand out   {sheet}", markup=False)
    console.print(f"keep back  {shape['key']}", markup=False)


def show(console: Console, found: "Results") -> None:
    """Choices with their tests, then agreement."""
    heads = "chosen by", "better grounded", "other", "ties", "missing", "Z test (paper)", "binomial (sound)"
    table = Table(*heads, box=None)
    for one in found.annotators:
        share = "" if one.share is None else f" ({one.share:.1%}, {one.share_low:.1%} to {one.share_high:.1%})"
        tests = ("-" if each is None or each.p is None else f"p {each.p:.4f}" for each in (one.paper, one.sound))
        counts = str(one.low), str(one.ties), str(one.missing)
        table.add_row(escape(one.name), f"{one.high}{share}", *counts, *tests)
    console.print(table)
    for pair in found.agreement:
        told = "nothing in common" if pair.share is None else f"{pair.same} of {pair.n} ({pair.share:.1%})"
        kappa = "" if pair.kappa is None else f", kappa {pair.kappa:.3f}"
        span = "" if pair.kappa_low is None else f" ({pair.kappa_low:.3f} to {pair.kappa_high:.3f})"
        console.print(f"{pair.first} and {pair.second}: {told}{kappa}{span}", markup=False)
    console.print("The better grounded were chosen for their gap: a test on groundedness proves nothing here.")
