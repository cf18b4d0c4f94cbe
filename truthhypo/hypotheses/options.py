"""The options of `hypothesize`. Command, Python, REST, MCP and suites derive their forms from `HypothesizeOptions`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

from groundwork.options import Options, before_option, concepts_option, option, retracted_option

Setting = Literal["parametric", "kg", "lit", "kg+lit"]
Select = Literal["greedy", "majority", "groundedness"]


@dataclass(frozen=True, kw_only=True)
class HypothesizeOptions(Options):
    """The options of `hypothesize`.

    Raises:
        InputError: A number is out of range, or a name is unknown.
    """

    setting: Setting = option(
        "kg+lit",
        "Knowledge to use: parametric (only what the model knows), kg (graph), lit (literature) or kg+lit.",
    )
    before: int | None = before_option()
    hops: int = option(2, "Maximum number of edges in a chain.", ge=1, le=4)
    k: int = option(32, "Maximum number of articles.", ge=1, le=10_000, flags=("-k", "--k"))
    n: int = option(1, "Number of candidates to generate.", ge=1, most_served=100, flags=("-n", "--n"))
    select: Select = option(
        "greedy",
        "How to choose a candidate: greedy (the first), majority (the most frequent relation) or groundedness (the "
        "one with the best supported rationale).",
    )
    exclude_retracted: bool = retracted_option()
    concepts: Mapping[str, str] | None = concepts_option()


class HypothesizeKeywords(TypedDict, total=False):
    """The types of the options of `hypothesize` as keyword arguments, for type checkers."""

    setting: Setting
    before: int | None
    hops: int
    k: int
    n: int
    select: Select
    exclude_retracted: bool
    concepts: Mapping[str, str] | None
