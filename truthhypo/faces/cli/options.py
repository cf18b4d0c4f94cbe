"""What commands share: options from records of options, options of language models and judges, and the exit code.

`takes` gives a command one option for each option of a record (`groundwork.options`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, cast, get_args

import typer
from typer.core import TyperCommand

from groundwork.errors import InputError, Refused
from groundwork.options import Entry, Options, entries, made_of, option
from groundwork.records.base import counted
from truthhypo.faces.cli.entry import in_options
from truthhypo.faces.cli.output import note
from truthhypo.faces.judging_outcome import FailOn

_MODEL = "Language model"

#: What a command says if `--budget-tokens` or `--budget-cost` was too small.
BUDGET_SPENT = (
    "truthhypo: the budget is spent; to continue, run the same command with a higher --budget-tokens or --budget-cost"
)


@dataclass(frozen=True, kw_only=True)
class ModelLimits(Options):
    """Limits on the calls of a language model, which are settings."""

    budget_tokens: int | None = option(None, "Stop after this many tokens; finished work is kept.", panel=_MODEL)
    budget_cost: float | None = option(
        None, "Stop at this cost, in the currency of the settings model_price_*.", panel=_MODEL
    )
    concurrency: int | None = option(None, "Maximum number of simultaneous calls to a remote model.", panel=_MODEL)
    no_cache: bool = option(False, "Do not read or write the reply cache under HOME.", panel=_MODEL)

    def settings(self) -> dict[str, Any]:
        """Return the settings for these options. The value is None if an option was not given."""
        given = {f"model_{name}": value for name, value in self.keywords().items() if name != "no_cache"}
        return {**given, "model_cache": False if self.no_cache else None}


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


class GroupedCommand(TyperCommand):
    """A command whose help lists each option with a `rich_help_panel` in a section that has the name of the panel."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the common options, and then the groups in the order of their first options."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Common options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                common = "Arguments" if param.param_type_name == "argument" else "Common options"
                sections.setdefault(getattr(param, "rich_help_panel", None) or common, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def takes(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that has one option for each option of the records among its parameters, in their places.

    A parameter whose annotation is a class of `Options` receives the record of the values that the user gave.
    """
    own = signature(command, eval_str=True)
    records = {name: each.annotation for name, each in own.parameters.items() if _is_record(each.annotation)}
    flat: list[Parameter] = []
    for name, each in own.parameters.items():
        flat += (
            [_parameter(entry.asked) for entry in entries(records[name])]
            if name in records
            else [each.replace(kind=Parameter.KEYWORD_ONLY)]
        )

    @wraps(command)
    def call(**given: Any) -> None:
        if given.get("concepts") is not None:
            given["concepts"] = named(given["concepts"])
        made = {name: made_of(record, given) for name, record in records.items()}
        kept = {name: value for name, value in given.items() if name in own.parameters}
        command(**kept, **made)

    vars(call)["__signature__"] = own.replace(parameters=flat)
    return call


def _is_record(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Options)


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
