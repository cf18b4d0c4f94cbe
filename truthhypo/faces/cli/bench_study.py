"""The commands `truthhypo bench study ...`: people choose the more probable of two hypotheses."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from truthhypo.faces.cli.bench_run import Data, paths_of
from truthhypo.faces.cli.output import Output
from truthhypo.lookups import checked

if TYPE_CHECKING:
    from knowhd.judge import Source
    from truthhypo.bench.study.folder import Study
    from truthhypo.bench.study.study_results import Results

Folder = Annotated[Path, typer.Argument(help="Folder of the study.", show_default=False)]

app = typer.Typer(
    help="Make and score a study in which people compare hypotheses.", no_args_is_help=True, rich_markup_mode=None
)


def register(bench: typer.Typer) -> None:
    """Add the commands to `truthhypo bench`."""
    bench.add_typer(app, name="study")


@app.command("pairs")
def paired(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(help="Folder of a bench run with several judged samples.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder for the study; give its folder sheets/ to the annotators.")],
    gap: Annotated[
        float, typer.Option(help="Minimum difference in groundedness within a pair, in percentage points.")
    ] = 30.0,
    source: Annotated[str, typer.Option(help="Groundedness to use: graph, literature or both.")] = "both",
    dataset: Annotated[str | None, typer.Option(help="Dataset, if the run has several.")] = None,
    answerer: Annotated[str | None, typer.Option(help="Model that answered, if the run has several.")] = None,
    setting: Annotated[
        str | None, typer.Option(help="Knowledge that was used, for instance kg, if the run has several.")
    ] = None,
    judged_by: Annotated[str | None, typer.Option(help="Judge of the groundedness, if the run has several.")] = None,
    annotators: Annotated[int, typer.Option(help="Number of people; each gets a sheet.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of ids and order.")] = 0,
    data: Data = None,
) -> None:
    """Make pairs of hypotheses that differ in groundedness.

    Each annotator gets a sheet of pairs. A separate key tells which hypothesis is better grounded.
    """
    from truthhypo.bench.study.folder import KEY, SHEETS, design, write
    from truthhypo.bench.study.hypothesis_pairs import StudySource, find

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
def score(context: typer.Context, folder: Folder) -> None:
    """Count choices and agreement, and test them.

    The tests are those of Table 4 in the paper. The result is written to study.json.
    """
    from truthhypo.bench.study.folder import read
    from truthhypo.bench.study.study_results import score as counted

    output: Output = context.obj
    found = counted(read(folder), folder)
    output.show(found.to_dict(), lambda console: show(console, found))


def _say(console: Console, study: "Study", shape: dict[str, object]) -> None:
    asked, pairs = study.asked, len(study.shown)
    who = f"{asked.model}, {asked.setting}, {asked.gap:g} points or more apart by {asked.judge}"
    console.print(f"{pairs} pairs of {who}", markup=False)
    console.print(f"{study.grounded} of {study.instances} instances had two grounded answers")
    console.print(f"{shape['same_relation']} pairs have the same relation and different reasons")
    for sheet in cast("list[str]", shape["sheets"]):
        console.print(f"give to annotators  {sheet}", markup=False)
    console.print(f"keep secret         {shape['key']}", markup=False)


def show(console: Console, found: "Results") -> None:
    """Print the choices of each annotator with the tests, and then the agreement of annotators."""
    heads = "chosen by", "better grounded", "other", "ties", "missing", "Z test (paper)", "binomial (sound)"
    table = Table(*heads, box=None)
    for one in found.annotators:
        share = "" if one.share is None else f" ({one.share:.1%}, {one.share_low:.1%} to {one.share_high:.1%})"
        tests = ("-" if each is None or each.p is None else f"p {each.p:.4f}" for each in (one.paper, one.sound))
        counts = str(one.low), str(one.ties), str(one.missing)
        table.add_row(escape(one.name), f"{one.high}{share}", *counts, *tests)
    console.print(table)
    for pair in found.agreement:
        told = "no common pairs" if pair.share is None else f"{pair.same} of {pair.n} ({pair.share:.1%})"
        kappa = "" if pair.kappa is None else f", kappa {pair.kappa:.3f}"
        span = "" if pair.kappa_low is None else f" ({pair.kappa_low:.3f} to {pair.kappa_high:.3f})"
        console.print(f"{pair.first} and {pair.second}: {told}{kappa}{span}", markup=False)
    console.print("Pairs were selected by their difference in groundedness, so a test on groundedness proves nothing.")
