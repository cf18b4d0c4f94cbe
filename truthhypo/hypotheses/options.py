"""What `hypothesize` is asked: its options, and the pairs of concepts whose relation can be proposed.

Command, Python, REST, MCP and suites derive their forms from `HypothesizeOptions`. Three of the tasks are those of
TruthHypo.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

from groundwork.errors import InputError
from groundwork.options import Options, before_option, concepts_option, option, retracted_option
from groundwork.records import Record, split_key
from groundwork.vocabulary import canonical

Setting = Literal["parametric", "kg", "lit", "kg+lit"]
Select = Literal["greedy", "majority", "groundedness"]
NO_RELATION = "no_relation"


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


@dataclass(frozen=True, slots=True)
class Task(Record):
    """A task for one pair of concepts: find the relation between them.

    Attributes:
        name: The types of the pair: `Chemical & Gene`, `Disease & Gene`, `Gene & Gene` or `Chemical & Disease`.
        head: Key of the first concept in canonical order.
        tail: Key of the second concept.
        positive: The label of a positive sign.
        negative: The label of a negative sign.
        unrelated: The label of a pair without a relation.
    """

    name: str
    head: str
    tail: str
    positive: str
    negative: str
    unrelated: str

    @property
    def labels(self) -> tuple[str, str, str]:
        """The three possible answers."""
        return self.positive, self.negative, self.unrelated


#: (type, type) in canonical order -> name, positive label, negative label, label of unrelated pairs.
Tasks = Mapping[tuple[str, str], tuple[str, str, str, str]]
#: The tasks of the benchmark (paper A, Table 1).
TASKS: Tasks = {
    ("Chemical", "Gene"): ("Chemical & Gene", "positive_correlate", "negative_correlate", NO_RELATION),
    ("Disease", "Gene"): ("Disease & Gene", "stimulate", "inhibit", NO_RELATION),
    ("Gene", "Gene"): ("Gene & Gene", "positive_correlate", "negative_correlate", NO_RELATION),
}
#: All pairs whose relation can be proposed.
PROPOSABLE: Tasks = {**TASKS, ("Chemical", "Disease"): ("Chemical & Disease", "cause", "treat", "none")}


def has_task(a: str, b: str, *, tasks: Tasks = PROPOSABLE) -> bool:
    """Return whether a pair of keys, in any order, belongs to one of the tasks."""
    head, tail = canonical(a, b)
    return head != tail and (split_key(head)[0], split_key(tail)[0]) in tasks


def task_of(a: str, b: str, *, tasks: Tasks = PROPOSABLE) -> Task:
    """Return the task of a pair of keys, in any order.

    Raises:
        InputError: The pair is outside the tasks, or both keys are the same.
    """
    head, tail = canonical(a, b)
    if not has_task(a, b, tasks=tasks):
        raise InputError(
            f"{head} and {tail}, a pair that belongs to no task",
            f"two different concepts of these types: {', '.join(name for name, *_ in tasks.values())}",
            "choose another pair",
        )
    name, *labels = tasks[split_key(head)[0], split_key(tail)[0]]
    return Task(name, head, tail, *labels)


def question(x: str, y: str, x_name: str, y_name: str) -> str:
    """Return the question about two concepts in the words of the published benchmark. It names `x` before `y`.

    Raises:
        InputError: The relation of the pair cannot be proposed.
    """
    first, second = (
        f"{kind} {name} ({ident})" for (kind, ident), name in zip(map(split_key, (x, y)), (x_name, y_name), strict=True)
    )
    return (
        f"Can we hypothesize the potential relation between {first} and {second}? "
        f"The final hypothesis can be one of {list(task_of(x, y).labels)}."
    )
