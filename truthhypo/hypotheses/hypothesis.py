"""A proposed relation for a pair of concepts, and the candidates from which it was chosen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwork.llm.usage import Usage
from groundwork.records import Record, walk
from groundwork.records.base import listed
from knowhd.calibration import Calibration
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.rows import HYPOTHESIS_COLUMNS, KINDS, hypothesis_rows, outcome

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Candidate(Record):
    """One answer to the question how two concepts are related.

    Attributes:
        relation: A label of the task; None if the model's reply failed, or if no sign prevails for the rules.
        rationale: The reason that the model or the rules give for the answer, or the reason why there is
            no answer.
        groundedness: Share of the judged claims in rationale and answer that graph and literature together support;
            None if the groundedness was not requested or no claim could be judged.
        contradicted: Share of the judged claims that graph and literature together contradict; None in the same cases
            as `groundedness`.
        claims_judged: Number of judged claims; None if the groundedness was not requested.
    """

    relation: str | None
    rationale: str
    groundedness: float | None = None
    contradicted: float | None = None
    claims_judged: int | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis(Record):
    """The chosen answer, the knowledge on which it is based, and all candidates.

    Attributes:
        head: Key of the first concept.
        tail: Key of the second concept.
        task: Name of the task.
        setting: Kind of knowledge that the model was given: `parametric` (none), `kg`, `lit` or `kg+lit`.
        relation: The chosen label; None if every candidate failed, or if no sign prevails for the rules.
        rationale: The rationale of the chosen answer, or the reason why there is no answer.
        context: The knowledge that the model was given.
        candidates: All answers, in the order in which they were made.
        select: How the answer was chosen: `greedy`, `majority` or `groundedness` (see `select.choose`).
        model: Name of the model or rules that answered.
        usage: Usage of the language model (`groundwork.ports.model`); all 0 with the rules.
        calibration: How good the judge of the candidates is, measured on labelled pairs; None if nothing was judged or
            the judge was not measured.

    Example:
        >>> world.hypothesize("simvastatin", "HMGCR").to_frame()["head_name"].tolist()
        ['Simvastatin']
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

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with one row and the columns `rows.HYPOTHESIS_COLUMNS`."""
        from pandas import DataFrame

        return DataFrame(list(hypothesis_rows(self.to_dict())), columns=list(HYPOTHESIS_COLUMNS))

    def __repr__(self) -> str:
        told = outcome(self.relation, self.model)
        title = f"Hypothesis: {self.context.head} and {self.context.tail}: {told} ({self.model})"
        return listed(title, [self.rationale, *(f"candidate: {each.relation}" for each in self.candidates[1:])])

    def _repr_html_(self) -> str:
        from groundwork.pictures import Piece, Statement, html

        context, chains = self.context, self.context.chains
        pieces = (
            []
            if chains is None
            else [
                Piece("chain", walk(chain.hops, chains.names), [pmid for hop in chain.hops for pmid in hop.pmids[:2]])
                for chain in chains.chains
            ]
        )
        pieces += [Piece("article", each.title, [each.pmid], each.retracted) for each in context.passages or ()]
        result = outcome(self.relation, self.model)
        told = Statement(KINDS.get(result, "proposed"), result, self.rationale, "", (), pieces)
        return html(f"{context.head} and {context.tail}", f"{self.task}, {self.setting}, by {self.model}", [told])


def statement(context: Context, relation: str) -> str:
    """Return the hypothesis as a sentence such as "Metformin positively correlates with AMPK.".

    A label without a verb is that of unrelated pairs.
    """
    verbs = {
        "positive_correlate": "positively correlates with",
        "negative_correlate": "negatively correlates with",
        "stimulate": "stimulates",
        "inhibit": "inhibits",
        "cause": "causes",
        "treat": "treats",
    }
    return f"{context.head} {verbs.get(relation, 'is not associated with')} {context.tail}."
