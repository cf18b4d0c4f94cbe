"""The three tasks of TruthHypo and their labels (paper A, Table 1)."""

from dataclasses import dataclass

from groundwork.errors import InputError
from groundwork.polarity import Sign
from groundwork.records import Record, split_key
from groundwork.vocabulary import canonical

NO_RELATION = "no_relation"


@dataclass(frozen=True, slots=True)
class Task(Record):
    """A task for one pair of concepts: find the relation between them.

    Attributes:
        name: `Chemical & Gene`, `Disease & Gene` or `Gene & Gene`.
        head: Key of the first concept in canonical order.
        tail: Key of the second concept.
        positive: The label of a positive sign.
        negative: The label of a negative sign.
        default: The label for a relation of unknown sign. It is the one of the two labels that is more frequent in
            paper A, Table 1.
    """

    name: str
    head: str
    tail: str
    positive: str
    negative: str
    default: str

    @property
    def labels(self) -> tuple[str, str, str]:
        """The three possible answers."""
        return self.positive, self.negative, NO_RELATION

    def label(self, sign: Sign) -> str:
        """Return the label of a relation with this sign, and `default` for a relation without a sign."""
        return {1: self.positive, -1: self.negative, 0: self.default}[sign]


#: (type, type) in canonical order -> name, positive label, negative label, default label.
TASKS: dict[tuple[str, str], tuple[str, str, str, str]] = {
    ("Chemical", "Gene"): ("Chemical & Gene", "positive_correlate", "negative_correlate", "negative_correlate"),
    ("Disease", "Gene"): ("Disease & Gene", "stimulate", "inhibit", "stimulate"),
    ("Gene", "Gene"): ("Gene & Gene", "positive_correlate", "negative_correlate", "positive_correlate"),
}


def has_task(a: str, b: str) -> bool:
    """Return whether a pair of keys, in any order, belongs to one of the tasks."""
    head, tail = canonical(a, b)
    return head != tail and (split_key(head)[0], split_key(tail)[0]) in TASKS


def task_of(a: str, b: str) -> Task:
    """Return the task of a pair of keys, in any order.

    Raises:
        InputError: The pair is outside the three tasks, or both keys are the same.
    """
    head, tail = canonical(a, b)
    if not has_task(a, b):
        raise InputError(
            f"{head} and {tail}, a pair that belongs to no task",
            f"two different concepts of these types: {', '.join(name for name, *_ in TASKS.values())}",
            "choose another pair",
        )
    name, positive, negative, default = TASKS[split_key(head)[0], split_key(tail)[0]]
    return Task(name, head, tail, positive, negative, default)


def question(x: str, y: str, x_name: str, y_name: str) -> str:
    """Return the question about two concepts in the words of the published benchmark. It names `x` before `y`.

    Raises:
        InputError: The pair is outside the three tasks.
    """
    first, second = (
        f"{kind} {name} ({ident})" for (kind, ident), name in zip(map(split_key, (x, y)), (x_name, y_name), strict=True)
    )
    return (
        f"Can we hypothesize the potential relation between {first} and {second}? "
        f"The final hypothesis can be one of {list(task_of(x, y).labels)}."
    )
