"""What the judging commands share: their options, `JudgingRequest` with the arguments of one command, and their end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast, get_args

import typer

from groundwork.errors import InputError, Refused
from groundwork.options import Entry, Options, entries, made_of
from groundwork.organisms import distinct_name
from groundwork.records.base import counted
from truthhypo.faces.cli.entry import in_options
from truthhypo.faces.cli.output import note
from truthhypo.faces.judging_outcome import FailOn

if TYPE_CHECKING:
    from fuzzygraph.risk_report import RiskReport
    from groundwork.ports import Literature, Progress
    from knowhd.ground_report import GroundReport
    from truthhypo.faces.batch import Command
    from truthhypo.faces.texts import Texts
    from truthhypo.world import World

Report: TypeAlias = "GroundReport | RiskReport"

_MODEL = "Language model"

#: What a command says if `--budget-tokens` or `--budget-cost` was too small.
BUDGET_SPENT = (
    "truthhypo: the budget is spent; to continue, run the same command with a higher --budget-tokens or --budget-cost"
)

BudgetTokens = Annotated[
    int | None,
    typer.Option(help="Stop after this many tokens; finished work is kept.", rich_help_panel=_MODEL),
]
BudgetCost = Annotated[
    float | None,
    typer.Option(help="Stop at this cost, in the currency of the settings model_price_*.", rich_help_panel=_MODEL),
]
Concurrency = Annotated[
    int | None, typer.Option(help="Maximum number of simultaneous calls to a remote model.", rich_help_panel=_MODEL)
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Do not read or write the reply cache under HOME.", rich_help_panel=_MODEL),
]


JudgeName = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Judge to use instead of --model: rules, or the models nli:NAME, minicheck:NAME, medv1:NAME.",
    ),
]
FailOnOption = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        help="End with exit code 1 if a claim is contradicted, or if one is unsupported (not supported).",
        metavar="contradicted|unsupported",
    ),
]


def fail_on_of(given: str | None) -> FailOn | None:
    """Return the condition of `--fail-on`.

    Raises:
        InputError: There is no such condition.
    """
    if given is None or given in get_args(FailOn):
        return cast("FailOn | None", given)
    raise InputError(f"--fail-on {given!r}", " or ".join(get_args(FailOn)), "choose one of them")


def failing(condition: FailOn | None, count: int, total: int, item: str) -> str:
    """Return a message if items meet the condition of `--fail-on`, otherwise an empty text."""
    return f"{count:,} of {counted(total, item)} met --fail-on {condition}" if count else ""


@dataclass(frozen=True, slots=True)
class JudgingRequest:
    """The arguments of a judging command.

    Attributes:
        command: Name of the command.
        text: The text to judge; None if a file is given.
        file: A file of texts to judge; None if a text is given.
        out: File for the records or the table. With None, all results are written to stdout at the end.
        options: Keyword arguments of the judgement.
        check: Function that judges one text.
        show: Function that prints a report for people.
        limits: Settings that were given as options of this command, by name.
        column: Column or field of the file that holds the texts. `read_texts` describes what None means.
        fail_on: The condition of `--fail-on`.
    """

    command: Command
    text: str | None
    file: Path | None
    out: Path | None
    options: dict[str, Any]
    check: Callable[..., Report]
    show: Callable[..., None]
    limits: dict[str, Any]
    column: str | None = None
    fail_on: FailOn | None = None

    @property
    def asking(self) -> bool:
        """Whether the command may call a language model."""
        return self.command != "risk"

    def texts(self) -> Texts:
        """Return the texts of the file. Raises InputError in the same cases as `read_texts`."""
        from truthhypo.faces.texts import read_texts

        assert self.file is not None
        return read_texts(self.file, self.column)

    def judged(self, world: World, text: str, progress: Progress) -> Report:
        """Judge one text and return the report. `progress` receives the numbers of finished sentences and claims."""
        return self.check(world, text, progress=progress, **self.options)


def takes(record: type[Options]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command one option for each option of a record, in the order of its fields.

    The command receives the record as its argument `options`. The help lists the options in the place of `options`.
    """
    made = [_parameter(each.asked) for each in entries(record)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = signature(command, eval_str=True)
        flat: list[Parameter] = []
        for name, each in own.parameters.items():
            flat += made if name == "options" else [each.replace(kind=Parameter.KEYWORD_ONLY)]

        @wraps(command)
        def call(**given: Any) -> None:
            chosen = {each.name: given.pop(each.name) for each in made}
            if chosen.get("concepts") is not None:
                chosen["concepts"] = named(chosen["concepts"])
            command(**given, options=made_of(record, chosen))

        vars(call)["__signature__"] = own.replace(parameters=flat)
        return call

    return decorate


def _parameter(entry: Entry) -> Parameter:
    """Return the parameter of a command for an option, annotated as typer expects."""
    held, kind, flags, told = entry.option, entry.type, entry.option.flags, in_options(entry.help)
    if entry.names or entry.many:
        kind, told = list[str] | None, f"{told} May be repeated."
    elif entry.choices:
        kind = str
    elif entry.default is False:
        flags = (f"--{entry.name.replace('_', '-')}",)
    shown = typer.Option(*flags, help=told, metavar=held.metavar, rich_help_panel=held.panel or None)
    default = None if entry.many else entry.default
    return Parameter(entry.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown])


def named(pairs: list[str]) -> dict[str, str]:
    """Parse arguments of the form `NAME=KEY`, and return the concept key of each name.

    Raises:
        InputError: An argument lacks the name, `=` or the key, or a name is given twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, _, key = map(str.strip, pair.partition("="))
        if not name or not key or name in found:
            raise InputError(f"--concept {pair!r}", "NAME=KEY, each name once", "write it as --concept PSA='Gene|354'")
        found[name] = key
    return found


def limits(tokens: int | None, cost: float | None, concurrency: int | None, no_cache: bool) -> dict[str, Any]:
    """Return the settings for these options. The value is None if an option was not given."""
    return {
        "model_budget_tokens": tokens,
        "model_budget_cost": cost,
        "model_concurrency": concurrency,
        "model_cache": False if no_cache else None,
    }


def end(
    usage: dict[str, Any],
    failed: int = 0,
    unusable: int = 0,
    lost: str = "",
    *,
    unread: bool = False,
    item: str = "text",
    met: str = "",
) -> None:
    """End the command with exit code 1 if its result needs attention, and say why.

    Args:
        usage: Usage of the language model.
        failed: Number of texts for which an error was recorded.
        unusable: Number of texts for which no reply was usable.
        lost: What is missing in the answer, as part of a message; empty if nothing is missing.
        unread: Whether the rule-based judge found no relation in any claim of any text.
        item: The word for what was judged, in the singular.
        met: How the condition of `--fail-on` was met, as a message; empty if it was not.

    Raises:
        typer.Exit: The budget was spent before all calls were made, texts failed, an answer is missing, or the
            condition of `--fail-on` was met.
    """
    if usage.get("unasked"):
        note(BUDGET_SPENT)
    if failed:
        note(f"truthhypo: {counted(failed, item)} failed (see their `error`); run the same command again to retry them")
    if unusable:
        note(
            f"truthhypo: the model gave no usable reply to {counted(unusable, 'text')}, and no claim there was judged; "
            "see the reasons"
        )
    if lost:
        note(f"truthhypo: {lost}, because the model gave no usable reply; see the reason")
    if unread:
        note(
            "truthhypo: the judge by rules found no relation in any claim, so nothing was judged; judges that "
            "read whole sentences are --judge nli:NAME, minicheck:NAME and medv1:NAME, and --model NAME"
        )
    if met:
        note(f"truthhypo: {met}")
    if usage.get("unasked") or failed or unusable or lost or unread or met:
        raise typer.Exit(Refused.exit_code)


def literature_read(world: World, asked: JudgingRequest) -> list[Literature]:
    """Return a list with the literature store if the command reads the literature, and an empty list otherwise."""
    reading = world.literature_store if asked.asking else world.compared if asked.options["words"] else None
    return [reading] if reading else []


def names(world: World, report: Report) -> dict[str, str]:
    """Return the names of the concepts in a report by key, for display; those of animals' genes with the organism."""
    return {key: distinct_name(concept) for key, concept in world.graph_store.concepts(sorted(report.keys())).items()}
