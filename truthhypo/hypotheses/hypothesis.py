"""A hypothesis about a pair, and the candidates it was chosen from."""

from dataclasses import dataclass

from groundwork.llm.usage import Usage
from groundwork.records import Record
from knowhd.calibration.figures import Calibration
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.tasks import NO_RELATION


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """One answer.

    Attributes:
        relation: A label of the task; None when the model's reply failed.
        rationale: Why, in the model's words; the reason of the failure when it failed.
        groundedness: Share of its claims that graph and literature support; None where not asked for or no claim
            could be judged.
        contradicted: Share of its judged claims that they contradict; None likewise.
        claims_judged: How many claims these shares rest on; None where not asked for.
    """

    relation: str | None
    rationale: str
    groundedness: float | None = None
    contradicted: float | None = None
    claims_judged: int | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis(Record):
    """The chosen answer, the knowledge it was given, and all candidates.

    Attributes:
        head: Key.
        tail: Key.
        task: Name of the task.
        setting: Which knowledge was given.
        relation: The chosen label; None when every candidate failed.
        rationale: Why.
        context: The knowledge.
        candidates: All answers, in the order they were made.
        select: How the answer was chosen.
        model: Who answered.
        usage: What the language model was used (`groundwork.ports.model`); all 0 with the rules.
        calibration: How well whoever judged the candidates does on labelled pairs; None where nobody did, or it was
            not measured.
    """

    head: str
    tail: str
    task: str
    setting: str
    relation: str | None
    rationale: str
    context: Context
    candidates: tuple[Candidate, ...]
    select: str
    model: str
    usage: Usage
    calibration: Calibration | None = None


def statement(context: Context, relation: str) -> str:
    """The hypothesis as one sentence: `Metformin positively correlates with AMPK`, with a full stop."""
    if relation == NO_RELATION:
        return f"{context.head} is not associated with {context.tail}."
    verbs = {
        "positive_correlate": "positively correlates with",
        "negative_correlate": "negatively correlates with",
        "stimulate": "stimulates",
        "inhibit": "inhibits",
    }
    return f"{context.head} {verbs[relation]} {context.tail}."
