"""What a command was asked to judge, with which model's limits: the options that judging commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from groundwork.errors import InputError

if TYPE_CHECKING:
    from fuzzygraph.report import RiskReport
    from groundwork.ports import Progress
    from knowhd.report import GroundReport
    from truthhypo.faces.texts import Texts
    from truthhypo.world import World

Report: TypeAlias = "GroundReport | RiskReport"

_MODEL = "Language model"

DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Show the calls, tokens and cost of the language model; ask nothing.", rich_help_panel=_MODEL
    ),
]
BudgetTokens = Annotated[
    int | None,
    typer.Option(help="Stop when this run has spent so many tokens; results so far are kept.", rich_help_panel=_MODEL),
]
BudgetCost = Annotated[
    float | None,
    typer.Option(help="Stop when this run has cost so much; needs the settings model_price_*.", rich_help_panel=_MODEL),
]
Concurrency = Annotated[
    int | None, typer.Option(help="Calls of a remote model at a time, at most.", rich_help_panel=_MODEL)
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Neither use replies kept under HOME nor keep new ones.", rich_help_panel=_MODEL),
]


@dataclass(frozen=True, slots=True)
class JudgingRequest:
    """What a command was asked to judge.

    Attributes:
        command: Its name.
        text: The text, or None.
        file: A file of texts, or None.
        out: Where their records or their table go; None: all at once to stdout.
        options: How they are judged.
        check: The judgement.
        show: Prints it for people.
        limits: Settings of the model given as flags.
        dry_run: Only tell what it would cost.
        column: The column or field of the file that holds the texts; None: see `read_texts`.
    """

    command: str
    text: str | None
    file: Path | None
    out: Path | None
    options: dict[str, Any]
    check: Callable[..., Report]
    show: Callable[..., None]
    limits: dict[str, Any]
    dry_run: bool = False
    column: str | None = None

    @property
    def asking(self) -> bool:
        """Whether a language model is asked at all."""
        return self.command != "risk"

    def texts(self) -> Texts:
        """Read the texts of the file; InputError as `read_texts`."""
        from truthhypo.faces.texts import read_texts

        assert self.file is not None
        return read_texts(self.file, self.column)

    def judged(self, world: World, text: str, progress: Progress) -> Report:
        """What the judgement says of a text; `progress` is told of what is in it."""
        return self.check(world, text, progress=progress, **self.options)


def named(pairs: list[str]) -> dict[str, str]:
    """Concepts by name from `NAME=KEY` words.

    Raises:
        InputError: A word without name, `=` or key, or a name that is given twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, _, key = map(str.strip, pair.partition("="))
        if not name or not key or name in found:
            raise InputError(f"--concept {pair!r}", "NAME=KEY, once a name", "write it as --concept PSA='Gene|354'")
        found[name] = key
    return found


def limits(tokens: int | None, cost: float | None, concurrency: int | None, no_cache: bool) -> dict[str, Any]:
    """The settings behind those flags; None where one was not given."""
    return {
        "model_budget_tokens": tokens,
        "model_budget_cost": cost,
        "model_concurrency": concurrency,
        "model_cache": False if no_cache else None,
    }
