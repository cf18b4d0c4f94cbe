"""The options of `risk`. Command, Python, REST and MCP derive their forms from `RiskOptions`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from groundwork.errors import InputError
from groundwork.options import Options, before_option, concepts_option, option, retracted_option

Scoring = Literal["calibrated", "paper"]
Form = Literal["scaled", "paper", "linear"]
FORMS: tuple[Form, ...] = get_args(Form)
Aggregate = Literal["noisy_or", "max", "sum"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
Contradicting = Literal["signed", "inverted"]

_PROBABILITIES, _SIMILARITY = "Probabilities", "Similarity edges"


@dataclass(frozen=True, kw_only=True)
class PathOptions(Options):
    """Which paths count, and how they are combined. `Terms` repeats these options in every report.

    Raises:
        InputError: A number is out of range, or a name is unknown.
    """

    before: int | None = before_option()
    score: Scoring = option(
        "calibrated",
        "How the risk is computed: calibrated (probabilities from direct edges, and from longer paths as far as they "
        "are more than chance), or paper (support and contradiction by all paths alike).",
    )
    hops: int = option(3, "Maximum number of edges in a path.", ge=1, le=4)
    paths: int = option(20, "Maximum number of paths to list per claim.", ge=0, most_served=10_000)
    tau_min: float = option(
        0.2,
        "Minimum belief of a relation edge, and minimum mu of a similarity edge. CONTRADICTS edges are always used.",
        ge=0,
        le=1,
        panel=_PROBABILITIES,
    )
    aggregate: Aggregate = option(
        "noisy_or",
        "How the score paper combines the probabilities of paths: noisy_or, max or sum.",
        panel=_PROBABILITIES,
    )
    contradiction: Contradicting = option(
        "signed",
        "How contradiction is computed for the score paper: signed (paths of the opposite sign contradict a claim) or "
        "inverted (every path does, by the product of 1 - p over its edges, as in the paper).",
        panel=_PROBABILITIES,
    )
    form: Form = option(
        "scaled",
        "How the similarity mu, from 0 to 1, is computed from the cosine: scaled, paper or linear.",
        panel=_SIMILARITY,
    )
    alpha: float = option(0.9, "Weight of a similarity edge.", gt=0, le=1, panel=_SIMILARITY)


@dataclass(frozen=True, kw_only=True)
class RiskOptions(PathOptions):
    """The options of `risk`.

    Raises:
        InputError: A number is out of range, a name is unknown, or only one of k and s0 is given.
    """

    k: float | None = option(
        None,
        "Steepness of the form scaled; needs the argument `s0`. By default, that of the graph's similarity edges.",
        gt=0,
        panel=_SIMILARITY,
    )
    s0: float | None = option(
        None,
        "Cosine at which the form scaled gives 0.5; needs the argument `k`. By default, that of the graph's similarity "
        "edges.",
        ge=-1,
        le=1,
        panel=_SIMILARITY,
    )
    exclude_retracted: bool = retracted_option()
    words: bool = option(True, "Compare the words of each claim with the closest sentence in the literature.")
    concepts: Mapping[str, str] | None = concepts_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.k, self.s0) != (None, None) and (self.k is None or self.s0 is None or self.form != "scaled"):
            raise InputError(
                f"form {self.form}, k = {self.k}, s0 = {self.s0}",
                "both k and s0 with the form scaled, or neither",
                "give both the argument `k` and the argument `s0`, or neither to use those of the graph's similarity "
                "edges",
            )


class RiskKeywords(TypedDict, total=False):
    """The types of the options of `risk` as keyword arguments, for type checkers."""

    before: int | None
    score: Scoring
    hops: int
    paths: int
    tau_min: float
    aggregate: Aggregate
    contradiction: Contradicting
    form: Form
    alpha: float
    k: float | None
    s0: float | None
    exclude_retracted: bool
    words: bool
    concepts: Mapping[str, str] | None
