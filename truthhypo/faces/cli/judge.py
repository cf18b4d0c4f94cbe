"""The commands `truthhypo ground`, `risk`, `hypothesize` and `belief`."""

from pathlib import Path
from typing import Annotated

import typer

from fuzzygraph.options import RiskOptions
from groundwork.errors import InputError
from groundwork.records.base import counted
from knowhd.options import GroundOptions
from truthhypo.faces import render
from truthhypo.faces.cli.grouped_command import GroupedCommand
from truthhypo.faces.cli.judging import judge
from truthhypo.faces.cli.judging_request import (
    BudgetCost,
    BudgetTokens,
    Concurrency,
    FailOnOption,
    JudgeName,
    JudgingRequest,
    NoCache,
    end,
    fail_on_of,
    limits,
    takes,
)
from truthhypo.faces.cli.output import Output, loading
from truthhypo.faces.progress import watch
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.hypotheses.rows import outcome
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


def register(app: typer.Typer) -> None:
    """Add the judging commands to the command line."""
    for command in (ground, risk, hypothesize, belief):
        app.command(cls=GroupedCommand)(command)


@takes(GroundOptions)
def ground(
    context: typer.Context,
    text: Text = None,
    file: File = None,
    column: Column = None,
    out: Out = None,
    *,
    options: GroundOptions,
    judge_name: JudgeName = None,
    evidence_tokens: Annotated[
        int | None, typer.Option(help="Maximum tokens of evidence per claim.", rich_help_panel="Evidence")
    ] = None,
    budget_tokens: BudgetTokens = None,
    budget_cost: BudgetCost = None,
    concurrency: Concurrency = None,
    no_cache: NoCache = False,
    fail_on: FailOnOption = None,
) -> None:
    """Split a text into claims, and judge each claim against the graph and the literature.

    This is the hallucination detector KnowHD. Groundedness is the share of the judged claims that the evidence
    supports. If a text contains no claim, groundedness is null and the exit code is 0. The exit code is 1 if no claim
    of a text could be judged: the rules found no relation in any claim, or the model gave no usable reply.
    """
    held = limits(budget_tokens, budget_cost, concurrency, no_cache)
    held |= {"judge": judge_name, "evidence_tokens": evidence_tokens}
    condition, asked = fail_on_of(fail_on), options.keywords()
    judge(
        context.obj,
        JudgingRequest("ground", text, file, out, asked, World.ground, render.ground, held, column, condition),
    )


@takes(RiskOptions)
def risk(
    context: typer.Context,
    text: Text = None,
    file: File = None,
    column: Column = None,
    out: Out = None,
    *,
    options: RiskOptions,
) -> None:
    """Estimate the hallucination risk of a text from path probabilities in the concept graph.

    Unless all claims can be measured, the hallucination risk score (HRS) of the text is null, and the exit code is 0.
    """
    asked = options.keywords()
    judge(context.obj, JudgingRequest("risk", text, file, out, asked, World.risk, render.risk, {}, column))


@takes(HypothesizeOptions)
def hypothesize(
    context: typer.Context,
    head: Annotated[str | None, typer.Argument(help="Key or name of the first concept.")] = None,
    tail: Annotated[str | None, typer.Argument(help="Key or name of the second concept.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="A file of pairs: .csv, .jsonl or .parquet with the columns head and tail.")
    ] = None,
    out: Out = None,
    *,
    options: HypothesizeOptions,
    budget_tokens: BudgetTokens = None,
    budget_cost: BudgetCost = None,
    concurrency: Concurrency = None,
    no_cache: NoCache = False,
) -> None:
    """Propose how two concepts are related, or do so for each pair in a file, as in the TruthHypo paper.

    The two concepts are a gene and a chemical, a disease or another gene, or a chemical and a disease. Where the rules
    find that no sign prevails, they propose no relation: it is null, with the reason, and the exit code is 0.
    """
    output: Output = context.obj
    given = [each for each in (head, tail) if each is not None]
    if len(given) != (0 if file else 2):
        seen = f"{counted(len(given), 'concept')} {'and' if file else 'without'} --file"
        raise InputError(seen, "either HEAD and TAIL, or --file", "give HEAD and TAIL, or a file of pairs")
    if out and not file:
        raise InputError("--out without --file", "--file together with --out", "give --file, or redirect stdout")
    with output.world(**limits(budget_tokens, budget_cost, concurrency, no_cache)) as world:
        read = [world.literature_store] if "lit" in options.setting else []
        state = loading(world.settings.home, world.graph_store, *read)
        if file:
            from truthhypo.faces.cli.judging_rows import judge_rows

            with watch() as progress:
                many = world.hypothesize_many(file, progress=progress, out=out, **options.keywords())
            unrelated = judge_rows(output, many, out, state, render.pair).relations["failed"]
            lost = f"{counted(unrelated, 'pair')} without a relation" if unrelated else ""
            end(many.summary["usage"], many.summary["failed"], lost=lost, item="pair")
            return
        hypothesis = world.hypothesize(given[0], given[1], **options.keywords())
    output.show({**hypothesis.to_dict(), **state}, lambda console: render.hypothesis(console, hypothesis))
    end(
        dict(hypothesis.usage), lost="no relation" if outcome(hypothesis.relation, hypothesis.model) == "failed" else ""
    )


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
