"""The commands `truthhypo ground`, `risk`, `hypothesize` and `belief`."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from groundwork.errors import InputError
from groundwork.records.shortened import counted
from truthhypo.faces import render
from truthhypo.faces.cli.graph import Before
from truthhypo.faces.cli.grouped_command import GroupedCommand
from truthhypo.faces.cli.judging import end, judge
from truthhypo.faces.cli.judging_request import (
    BudgetCost,
    BudgetTokens,
    Concurrency,
    JudgingRequest,
    NoCache,
    limits,
    named,
)
from truthhypo.faces.cli.output import Output, loading
from truthhypo.world import World

Text = Annotated[str | None, typer.Argument(help="The text to judge.")]
File = Annotated[Path | None, typer.Option(help="A file of texts: .txt (one per line), .csv, .jsonl or .parquet.")]
Column = Annotated[str | None, typer.Option(help="Column or field of --file that holds the texts.")]
Out = Annotated[
    Path | None,
    typer.Option(
        help="File for the results: .jsonl, or a table as .csv or .parquet. If it exists, the run is resumed."
    ),
]
Concepts = Annotated[
    list[str] | None,
    typer.Option("--concept", metavar="NAME=KEY", help="Concept that an ambiguous name means; may be repeated."),
]
ExcludeRetracted = Annotated[bool, typer.Option("--exclude-retracted", help="Ignore retracted articles.")]


def register(app: typer.Typer) -> None:
    """Add the judging commands to the command line."""
    for command in (ground, risk, hypothesize, belief):
        app.command(cls=GroupedCommand)(command)


def ground(
    context: typer.Context,
    text: Text = None,
    file: File = None,
    column: Column = None,
    out: Out = None,
    before: Before = None,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Maximum number of articles per claim.")] = 8,
    exclude_retracted: ExcludeRetracted = False,
    judge_name: Annotated[
        str | None,
        typer.Option(
            "--judge",
            help="Judge to use instead of --model: rules, or the entailment models nli:NAME and minicheck:NAME.",
        ),
    ] = None,
    tau: Annotated[
        float | None,
        typer.Option(help="Ignore articles with a BM25 score below this value.", rich_help_panel="Evidence"),
    ] = None,
    hops: Annotated[
        int,
        typer.Option(help="Maximum length of a chain used as evidence, 1 to 4.", rich_help_panel="Evidence"),
    ] = 1,
    evidence_tokens: Annotated[
        int | None, typer.Option(help="Maximum tokens of evidence per claim.", rich_help_panel="Evidence")
    ] = None,
    joint: Annotated[
        int,
        typer.Option(help="Number of claims that the model judges in one prompt.", rich_help_panel="Language model"),
    ] = 1,
    each_source: Annotated[
        bool,
        typer.Option(
            "--each-source",
            help="Send one prompt per evidence source instead of one for all.",
            rich_help_panel="Language model",
        ),
    ] = False,
    concept: Concepts = None,
    budget_tokens: BudgetTokens = None,
    budget_cost: BudgetCost = None,
    concurrency: Concurrency = None,
    no_cache: NoCache = False,
) -> None:
    """Split a text into claims, and judge each claim against the graph and the literature.

    This is the hallucination detector KnowHD. Groundedness is the share of the judged claims that the evidence
    supports. If a text contains no claim, groundedness is null and the exit code is 0. The exit code is 1 if no claim
    of a text could be judged: the rules found no relation in any claim, or the model gave no usable reply.
    """
    options: dict[str, Any] = {"before": before, "k": k, "tau": tau, "exclude_retracted": exclude_retracted}
    options |= {"hops": hops, "joint": joint, "once": not each_source, "concepts": named(concept or [])}
    held = limits(budget_tokens, budget_cost, concurrency, no_cache)
    held |= {"judge": judge_name, "evidence_tokens": evidence_tokens}
    judge(
        context.obj,
        JudgingRequest("ground", text, file, out, options, World.ground, render.ground, held, column),
    )


def risk(
    context: typer.Context,
    text: Text = None,
    file: File = None,
    column: Column = None,
    out: Out = None,
    before: Before = None,
    hops: Annotated[int, typer.Option(help="Maximum number of edges in a path, 1 to 4.")] = 3,
    paths: Annotated[int, typer.Option(min=0, help="Maximum number of paths to show.")] = 20,
    exclude_retracted: ExcludeRetracted = False,
    words: Annotated[
        bool, typer.Option(help="Compare the wording with the closest sentence in the literature.")
    ] = True,
    tau_min: Annotated[
        float,
        typer.Option(
            help="Minimum belief of a relation edge, and minimum mu of a similarity edge, 0 to 1. CONTRADICTS edges "
            "are always used.",
            rich_help_panel="Probabilities",
        ),
    ] = 0.2,
    aggregate: Annotated[
        str, typer.Option(help="How paths are combined: noisy_or, max or sum.", rich_help_panel="Probabilities")
    ] = "noisy_or",
    contradiction: Annotated[
        str,
        typer.Option(
            help="How contradiction is computed: signed (from the signs of relations), or inverted (as in the paper).",
            rich_help_panel="Probabilities",
        ),
    ] = "signed",
    form: Annotated[
        str,
        typer.Option(
            help="How the similarity mu is computed from the cosine: scaled, paper or linear.",
            rich_help_panel="Similarity edges",
        ),
    ] = "scaled",
    alpha: Annotated[
        float,
        typer.Option(help="Weight of a similarity edge, above 0 and up to 1.", rich_help_panel="Similarity edges"),
    ] = 0.9,
    k: Annotated[
        float | None,
        typer.Option(
            help="Steepness of the form scaled; needs --s0. Default: that of the graph's similarity edges.",
            rich_help_panel="Similarity edges",
        ),
    ] = None,
    s0: Annotated[
        float | None,
        typer.Option(
            help="Cosine at which the form scaled gives 0.5; needs --k. Default: that of the graph's similarity edges.",
            rich_help_panel="Similarity edges",
        ),
    ] = None,
    concept: Concepts = None,
) -> None:
    """Estimate the hallucination risk of a text from path probabilities in the concept graph.

    If no sentence can be measured, the hallucination risk score (HRS) is null and the exit code is 0.
    """
    options: dict[str, Any] = {
        "before": before,
        "form": form,
        "alpha": alpha,
        "tau_min": tau_min,
        "hops": hops,
        "aggregate": aggregate,
        "contradiction": contradiction,
        "paths": paths,
        "k": k,
        "s0": s0,
        "words": words,
        "exclude_retracted": exclude_retracted,
        "concepts": named(concept or []),
    }
    judge(context.obj, JudgingRequest("risk", text, file, out, options, World.risk, render.risk, {}, column))


def hypothesize(
    context: typer.Context,
    head: Annotated[str | None, typer.Argument(help="Key or name of the first concept.")] = None,
    tail: Annotated[str | None, typer.Argument(help="Key or name of the second concept.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="A file of pairs: .csv, .jsonl or .parquet with the columns head and tail.")
    ] = None,
    out: Out = None,
    setting: Annotated[
        str,
        typer.Option(
            help="Knowledge to use: parametric (only what the model knows), kg (graph), lit (literature) or kg+lit."
        ),
    ] = "kg+lit",
    before: Before = None,
    hops: Annotated[int, typer.Option(help="Maximum number of edges in a chain, 1 to 4.")] = 2,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Maximum number of articles.")] = 32,
    n: Annotated[int, typer.Option("-n", "--n", help="Number of candidates to generate.")] = 1,
    select: Annotated[
        str,
        typer.Option(
            help="How to choose a candidate: greedy (the first), majority (the most frequent relation) or groundedness "
            "(the one with the best supported rationale)."
        ),
    ] = "greedy",
    exclude_retracted: ExcludeRetracted = False,
    concept: Concepts = None,
    budget_tokens: BudgetTokens = None,
    budget_cost: BudgetCost = None,
    concurrency: Concurrency = None,
    no_cache: NoCache = False,
) -> None:
    """Propose how two concepts are related, or do so for each pair in a file, as in the TruthHypo paper."""
    output: Output = context.obj
    given = [each for each in (head, tail) if each is not None]
    if len(given) != (0 if file else 2):
        seen = f"{counted(len(given), 'concept')} {'and' if file else 'without'} --file"
        raise InputError(seen, "either HEAD and TAIL, or --file", "give HEAD and TAIL, or a file of pairs")
    if out and not file:
        raise InputError("--out without --file", "--file together with --out", "give --file, or redirect stdout")
    options = {
        "setting": setting,
        "before": before,
        "hops": hops,
        "k": k,
        "n": n,
        "select": select,
        "exclude_retracted": exclude_retracted,
        "concepts": named(concept or []),
    }

    with output.world(**limits(budget_tokens, budget_cost, concurrency, no_cache)) as world:
        read = [world.literature_store] if "lit" in setting else []
        state = loading(world.graph_store, *read)
        if file:
            from truthhypo.faces.cli.judging_pairs import hypothesize_pairs

            hypothesize_pairs(output, world, file, out, options, state)
            return
        hypothesis = world.hypothesize(*given, **cast("Any", options))
    output.show({**hypothesis.to_dict(), **state}, lambda console: render.hypothesis(console, hypothesis))
    end(dict(hypothesis.usage), lost="no relation" if hypothesis.relation is None else "")


def belief(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            help="JSON file with alpha (strength of propagation, above 0 and up to 1), nodes (each with its initial "
            "belief) and supports (pairs of a node and the node that it supports): "
            '{"alpha": 0.8, "nodes": {"S1": 0.7, "C1": 0.5}, "supports": [["S1", "C1"]]}.'
        ),
    ],
) -> None:
    """Propagate fuzzy belief over a small network of sources and claims."""
    from fuzzygraph.belief import propagate, read_network

    output: Output = context.obj
    report = propagate(read_network(file))
    output.show(report.to_dict(), lambda console: render.belief(console, report))
