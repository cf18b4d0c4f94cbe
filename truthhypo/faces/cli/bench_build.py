"""The command `truthhypo bench build`: makes a benchmark set from a loaded release."""

from pathlib import Path
from typing import Annotated, cast

import typer
from rich.console import Console
from rich.table import Table

from truthhypo.faces.cli.output import Output
from truthhypo.faces.progress import watch
from truthhypo.hypotheses.build import Mode, Order, Size, build
from truthhypo.hypotheses.card import BuiltSet
from truthhypo.hypotheses.release import Cuts
from truthhypo.hypotheses.traits import read_species
from truthhypo.lookups import checked


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo bench`."""
    app.command("build")(built)


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
    output.show(found.to_dict(), lambda console: show(console, found))
    if found.short or not found.passed:
        raise typer.Exit(1)


#: Text for the result of the leak probe if the set may still be used.
_LEAKS = {
    "leaks": "the labels leak, as expected in this mode",
    "too small": "too small to test whether the labels leak",
    "none found": "no leak found",
}


def show(console: Console, found: BuiltSet) -> None:
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
