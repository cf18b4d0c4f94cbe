"""The commands `truthhypo ground`, `risk`, `hypothesize` and `belief`.

The module `judging_files` judges a file of texts. It is imported only if a file is given, because its imports are slow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from fuzzygraph.options import RiskOptions
from groundwork.errors import InputError
from groundwork.organisms import distinct_name
from groundwork.records.base import counted
from knowhd.options import GroundOptions
from truthhypo.faces import render_judgement
from truthhypo.faces.cli.options import (
    FailOnOption,
    GroupedCommand,
    JudgeName,
    ModelLimits,
    end,
    fail_on_of,
    failing,
    takes,
)
from truthhypo.faces.cli.output import Output, loading, note
from truthhypo.faces.judging_outcome import FailOn, fails, judgeable, wholly_unread
from truthhypo.faces.progress import watch
from truthhypo.hypotheses.hypothesis import outcome
from truthhypo.hypotheses.options import HypothesizeOptions

if TYPE_CHECKING:
    from rich.console import Console

    from fuzzygraph.risk_report import RiskReport
    from groundwork.ports import LanguageModel, Literature, Progress
    from knowhd.ground_report import GroundReport
    from truthhypo.faces.many.report import Command
    from truthhypo.world import World

Report: TypeAlias = "GroundReport | RiskReport"

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


@takes
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
    limits: ModelLimits,
    fail_on: FailOnOption = None,
) -> None:
    """Split a text into claims, and judge each claim against the graph and the literature.

    This is the hallucination detector KnowHD. Groundedness is the share of the judged claims that the evidence
    supports. If a text contains no claim, groundedness is null and the exit code is 0. The exit code is 1 if no claim
    of a text could be judged: the rules found no relation in any claim, or the model gave no usable reply.
    """
    held = limits.settings()
    held |= {"judge": judge_name, "evidence_tokens": evidence_tokens}
    judge(context.obj, JudgingRequest("ground", text, file, out, options, held, column, fail_on_of(fail_on)))


@takes
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
    judge(context.obj, JudgingRequest("risk", text, file, out, options, {}, column))


@takes
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
    limits: ModelLimits,
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
    with output.world(**limits.settings()) as world:
        read = [world.literature_store] if "lit" in options.setting else []
        state = loading(world.settings.home, world.graph_store, *read)
        if file:
            from truthhypo.faces.cli.judging_files import judge_rows

            with watch() as progress:
                many = world.hypothesize_many(file, progress=progress, out=out, **options.keywords())
            unrelated = judge_rows(output, many, out, state, render_judgement.pair).relations["failed"]
            lost = f"{counted(unrelated, 'pair')} without a relation" if unrelated else ""
            end(many.summary["usage"], many.summary["failed"], lost=lost, item="pair")
            return
        hypothesis = world.hypothesize(given[0], given[1], **options.keywords())
    output.show({**hypothesis.to_dict(), **state}, lambda console: render_judgement.hypothesis(console, hypothesis))
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
    output.show(report.to_dict(), lambda console: render_judgement.belief(console, report))


@dataclass(frozen=True, slots=True)
class JudgingRequest:
    """The arguments of a judging command.

    Attributes:
        command: Name of the command.
        text: The text to judge; None if a file is given.
        file: A file of texts to judge; None if a text is given.
        out: File for the records or the table. With None, all results are written to stdout at the end.
        options: The options of the judgement.
        limits: Settings that were given as options of this command, by name.
        column: Column or field of the file that holds the texts. `read_texts` describes what None means.
        fail_on: The condition of `--fail-on`.
    """

    command: Command
    text: str | None
    file: Path | None
    out: Path | None
    options: GroundOptions | RiskOptions
    limits: dict[str, Any]
    column: str | None = None
    fail_on: FailOn | None = None

    def model(self, world: World) -> LanguageModel | None:
        """Return the language model that the command may call; None if there is none."""
        return None if isinstance(self.options, RiskOptions) else world.model

    def judged(self, world: World, model: LanguageModel | None, text: str, progress: Progress) -> Report:
        """Judge one text and return the report. `progress` receives the numbers of finished sentences and claims."""
        if isinstance(self.options, RiskOptions):
            return world.judging.measured(text, self.options, progress)
        return world.judging.grounded(text, self.options, model, progress)

    def literature(self, world: World) -> list[Literature]:
        """Return a list with the literature store if the command reads the literature, and an empty list otherwise."""
        reading = world.judging.reads(self.options)
        return [reading] if reading else []

    def print(self, console: Console, world: World, report: Report) -> None:
        """Print a report for people, with the names of its concepts; those of animals' genes with the organism."""
        concepts = world.graph_store.concepts(sorted(report.keys()))
        show: Callable[..., None] = render_judgement.risk if self.command == "risk" else render_judgement.ground
        show(console, report, {key: distinct_name(concept) for key, concept in concepts.items()})


def judge(output: Output, asked: JudgingRequest) -> None:
    """Judge one text, or the texts of a file, and write the results to stdout or to --out.

    Raises:
        typer.Exit: With code 1, after the results, if the budget is spent, the model failed on some texts, or nothing
            could be judged.
        InputError: The options do not fit together.
    """
    if (asked.text is None) == (asked.file is None):
        seen = "both TEXT and --file" if asked.text else "neither TEXT nor --file"
        raise InputError(seen, "either TEXT or --file", "give one of them")
    if asked.out and not asked.file:
        raise InputError("--out without --file", "--file together with --out", "give --file, or redirect stdout")
    if asked.column and not asked.file:
        raise InputError("--column without --file", "--file together with --column", "give --file, or omit --column")
    table = None
    if asked.out is not None:
        from truthhypo.faces.many.report import table_for

        table = table_for(asked.out, asked.command)
    with output.world(**asked.limits) as world:
        _warn_if_empty(world, literature=asked.command != "risk")
        if isinstance(asked.options, RiskOptions) and asked.options.words and (why := world.judging.stores.compared[1]):
            note(
                f"warning: {why}; the risk itself needs no literature, but the words of the text are not "
                "compared with any article (--no-words turns this comparison off)"
            )
        state = loading(world.settings.home, world.graph_store, *asked.literature(world))
        if asked.file is None:
            _judge_one(output, world, asked, state)
        else:
            from truthhypo.faces.cli.judging_files import judge_texts

            judge_texts(output, world, asked, table, state)


def _judge_one(output: Output, world: World, asked: JudgingRequest, state: Mapping[str, bool]) -> None:
    """Judge the text given on the command line and show its report."""
    with watch() as progress:
        report = asked.judged(world, asked.model(world), asked.text or "", progress)
    shape = report.to_dict()
    output.show({**shape, **state}, lambda console: asked.print(console, world, report))
    lost = "" if judgeable(shape) else "none of the claims could be judged"
    met = failing(asked.fail_on, int(fails(shape, asked.fail_on)), 1, "text")
    end(shape.get("usage", {}), lost=lost, unread=wholly_unread(shape), met=met)


def _warn_if_empty(world: World, *, literature: bool) -> None:
    """Warn about empty stores, which contain no evidence. `World` warns about stores that do not exist."""
    if not world.graph_store.releases() and "graph" not in world.absent:
        note("warning: the graph is empty; load a release with: truthhypo ingest relations FILE")
    if literature and not world.literature.info().documents and "literature" not in world.absent:
        note("warning: the literature is empty; load abstracts with: truthhypo ingest documents|pubmed FILE")
