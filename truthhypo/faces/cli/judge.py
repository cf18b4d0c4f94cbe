"""`truthhypo ground | risk | hypothesize | belief`: judgements."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console

from fuzzygraph.belief import propagate, read_network
from fuzzygraph.report import RiskReport
from groundwork.errors import InputError
from knowhd.check import GroundReport
from truthhypo.faces import render
from truthhypo.faces.batch import Batch, read_texts
from truthhypo.faces.cli.graph import Before
from truthhypo.faces.cli.output import Output, note
from truthhypo.hypotheses.context import Setting
from truthhypo.hypotheses.select import Select
from truthhypo.world import World

Text = Annotated[str | None, typer.Argument(help="The text to judge.")]
File = Annotated[
    Path | None, typer.Option(help="Many texts: .txt (one a line), .csv or .jsonl (column or field text).")
]
Out = Annotated[Path | None, typer.Option(help="JSON lines, written a record at a time; a second run goes on.")]
ExcludeRetracted = Annotated[bool, typer.Option("--exclude-retracted", help="Leave retracted articles out.")]


Report = GroundReport | RiskReport


def register(app: typer.Typer) -> None:
    """Hang the judging commands on the command line."""
    for command in (ground, risk, hypothesize, belief):
        app.command()(command)


def ground(
    context: typer.Context,
    text: Text = None,
    file: File = None,
    out: Out = None,
    before: Before = None,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Documents per claim at most.")] = 8,
    tau: Annotated[float | None, typer.Option(help="BM25 score a document must reach.")] = None,
    exclude_retracted: ExcludeRetracted = False,
) -> None:
    """Split a text into claims and judge each against graph and literature (KnowHD)."""
    options: dict[str, Any] = {"before": before, "k": k, "tau": tau, "exclude_retracted": exclude_retracted}
    _judge(context.obj, text, file, out, "ground", options, World.ground, render.ground)


def risk(
    context: typer.Context,
    text: Text = None,
    file: File = None,
    out: Out = None,
    before: Before = None,
    form: Annotated[str, typer.Option(help="mu from the cosine: scaled, paper or linear.")] = "scaled",
    alpha: Annotated[float, typer.Option(help="Weight of a similarity edge, in (0, 1].")] = 0.9,
    tau_min: Annotated[float, typer.Option(help="Weakest edge that is walked, in [0, 1].")] = 0.2,
    hops: Annotated[int, typer.Option(help="Longest path, 1-4.")] = 3,
    aggregate: Annotated[str, typer.Option(help="noisy_or, max or sum.")] = "noisy_or",
    contradiction: Annotated[str, typer.Option(help="signed, or inverted (the paper's).")] = "signed",
    paths: Annotated[int, typer.Option(min=0, help="Paths to show.")] = 20,
) -> None:
    """Hallucination risk of a text from path probabilities on the fuzzy concept graph."""
    options: dict[str, Any] = {
        "before": before,
        "form": form,
        "alpha": alpha,
        "tau_min": tau_min,
        "hops": hops,
        "aggregate": aggregate,
        "contradiction": contradiction,
        "paths": paths,
    }
    _judge(context.obj, text, file, out, "risk", options, World.risk, render.risk)


def hypothesize(
    context: typer.Context,
    head: Annotated[str, typer.Argument(help="Key or name of one concept.")],
    tail: Annotated[str, typer.Argument(help="Key or name of the other.")],
    setting: Annotated[str, typer.Option(help="parametric, kg, lit or kg+lit.")] = "kg+lit",
    before: Before = None,
    hops: Annotated[int, typer.Option(help="Longest chain, 1-4.")] = 2,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Documents at most.")] = 32,
    n: Annotated[int, typer.Option("-n", "--n", help="Candidates to generate.")] = 1,
    select: Annotated[str, typer.Option(help="greedy, majority or groundedness.")] = "greedy",
    exclude_retracted: ExcludeRetracted = False,
) -> None:
    """Hypothesise the relation of two concepts (the TruthHypo task)."""
    output: Output = context.obj
    with output.world() as world:
        hypothesis = world.hypothesize(
            head,
            tail,
            setting=cast("Setting", setting),
            before=before,
            hops=hops,
            k=k,
            n=n,
            select=cast("Select", select),
            exclude_retracted=exclude_retracted,
        )
    output.show(hypothesis.to_dict(), lambda console: render.hypothesis(console, hypothesis))


def belief(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON: alpha, nodes {name: mu}, supports [[from, to], ...].")],
) -> None:
    """Fuzzy belief propagation over a small network of sources and claims."""
    output: Output = context.obj
    report = propagate(read_network(file))
    output.show(report.to_dict(), lambda console: render.belief(console, report))


def _judge(
    output: Output,
    text: str | None,
    file: Path | None,
    out: Path | None,
    command: str,
    options: dict[str, Any],
    check: Callable[..., Report],
    show: Callable[..., None],
) -> None:
    """One text to stdout, or many from a file to stdout or to --out."""
    if (text is None) == (file is None):
        raise InputError("both TEXT and --file" if text else "neither TEXT nor --file", "one of them", "give one")
    if out and not file:
        raise InputError("--out without --file", "a file of texts", "give --file, or redirect stdout")
    with output.world() as world:
        _warn_if_empty(world, literature=command == "ground")
        if file is None:
            report = check(world, text, **options)
            output.show(report.to_dict(), lambda console: show(console, report, _names(world, report)))
        elif out is None:
            reports = [check(world, said.text, **options) for said in read_texts(file)]
            output.show(
                [report.to_dict() for report in reports], lambda console: _show_all(console, show, world, reports)
            )
        else:
            batch = Batch(out, {"command": command, "model": world.settings.model, **options})
            summary = batch.run(read_texts(file), lambda said: check(world, said, **options).to_dict())
            output.show(summary, lambda console: render.counts(console, summary))


def _show_all(console: Console, show: Callable[..., None], world: World, reports: list[Report]) -> None:
    for report in reports:
        show(console, report, _names(world, report))


def _names(world: World, report: Report) -> dict[str, str]:
    """Names of the concepts a report speaks of, for people."""
    return {key: concept.name for key, concept in world.graph_store.concepts(sorted(report.keys())).items()}


def _warn_if_empty(world: World, *, literature: bool) -> None:
    """An empty store judges nothing; say so once rather than let 'not enough' look like a finding."""
    if not world.graph_store.releases():
        note("warning: the graph is empty; load a release with: truthhypo ingest relations FILE")
    if literature and not world.literature.info().documents:
        note("warning: the literature is empty; load abstracts with: truthhypo ingest documents|pubmed FILE")
