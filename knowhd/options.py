"""The options of `ground` and `cite`. Command, Python, REST, MCP and suites derive their forms from these records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from groundwork.options import Options, StudyOptions, before_option, concepts_option, option, retracted_option
from groundwork.records import Design


@dataclass(frozen=True, kw_only=True)
class Scope(StudyOptions):
    """Which evidence counts. `exclude_retracted` also leaves retracted articles out as support of edges.

    `design` and `organism` limit the sentences of the literature. The articles of edges count in any case.

    Raises:
        InputError: A number is out of range, or a design or an organism is not known.
    """

    before: int | None = before_option()
    k: int = option(8, "Maximum number of articles per claim.", ge=1, le=10_000, flags=("-k", "--k"))
    exclude_retracted: bool = retracted_option()
    tau: float | None = option(
        None, "Ignore articles with a BM25 score below this value, and do not look for the opposite.", panel="Evidence"
    )
    hops: int = option(
        1, "Maximum length of a chain between two concepts of a claim; 1 uses only edges.", ge=1, le=4, panel="Evidence"
    )


@dataclass(frozen=True, kw_only=True)
class CiteOptions(Options):
    """The options of `cite`: how claims are linked and judged.

    Raises:
        InputError: A number is out of range.
    """

    joint: int = option(1, "Number of claims that the model judges in one prompt.", ge=1, panel="Language model")
    once: bool = option(
        True,
        "Ask a language model for the three verdicts on a claim in one prompt, not in one prompt per source.",
        opposite=("each_source", "Send one prompt per evidence source instead of one for all."),
        panel="Language model",
    )
    concepts: Mapping[str, str] | None = concepts_option()


@dataclass(frozen=True, kw_only=True)
class GroundOptions(CiteOptions, Scope):
    """The options of `ground`.

    Raises:
        InputError: A number is out of range.
    """


class CiteKeywords(TypedDict, total=False):
    """The types of the options of `cite` as keyword arguments, for type checkers."""

    joint: int
    once: bool
    concepts: Mapping[str, str] | None


class GroundKeywords(CiteKeywords, total=False):
    """The types of the options of `ground` as keyword arguments, for type checkers."""

    design: Sequence[Design]
    organism: Sequence[str]
    before: int | None
    k: int
    exclude_retracted: bool
    tau: float | None
    hops: int
