"""From evidence to verdicts. The law is here, one for every judge; how a piece of evidence is read is the judge's.

A judge says of each piece whether it supports or contradicts the claim. The verdict of a source follows: the side with
more articles, counted once each; none without a piece on either side; none on a tie of two sides. So no verdict
stands without evidence that is named, and what contradicts is never lost (flag `mixed`). A chain of edges is an
inference that no article need draw: its articles count only where no edge and no sentence takes a side.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from groundwork.ports import Progress, Silent, watched
from groundwork.records import Record
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Bearing, Evidence, Passage, Piece, Trail

Verdict = Literal["supported", "contradicted", "not_enough", "failed"]
Source = Literal["graph", "literature", "both"]
Stance = Literal["supports", "contradicts"]

SOURCES: tuple[Source, ...] = ("graph", "literature", "both")
#: The stance that says the contrary of another.
CONTRARY: dict[Stance, Stance] = {"supports": "contradicts", "contradicts": "supports"}


@dataclass(frozen=True, slots=True)
class Judgement(Record):
    """A judgement on one claim from one source.

    Attributes:
        verdict: What follows from the evidence; `failed` where the judge gave no usable answer.
        reason: Why, in words.
        stances: Pieces that support or contradict, by id; the others are on neither side.
        mixed: There are pieces on both sides.
        unanswered: It has failed as a call got no reply; asked again, the judge may answer.
        flags: What the judge has to say of the claim: `unread`, `partly`, `negated`, `hedged`, `undirected`.
        probabilities: Where a judge gives them: by id of each piece it read, the probability of each stance, in [0, 1].
    """

    verdict: Verdict
    reason: str
    stances: Mapping[str, Stance]
    mixed: bool = False
    probabilities: Mapping[str, Mapping[Bearing, float]] = field(default_factory=dict)
    unanswered: bool = False
    flags: tuple[str, ...] = ()


class Judge(Protocol):
    """Judges claims by evidence.

    Attributes:
        name: As it is printed and stored.
    """

    name: str

    def judge(self, claim: Claim, evidence: Evidence) -> dict[Source, Judgement]:
        """One judgement per source; `both` judges the union of the evidence.

        Raises:
            ModelUnreachable: A language model that is not there.
        """


Case = tuple[Claim, Evidence]


@runtime_checkable
class JointJudge(Protocol):
    """A judge that does better when it is given many claims at a time."""

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
        """One judgement per source for each case, in their order; each as `Judge.judge` would give it alone."""


def judge_all(judge: Judge, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
    """The judgements on many claims, in their order; `progress` is told of each."""
    seen = progress or Silent()
    if isinstance(judge, JointJudge):
        return judge.judge_all(cases, seen)
    return [judge.judge(claim, evidence) for claim, evidence in watched(cases, seen, "judging", "claims")]


def pieces_of(evidence: Evidence, source: Source) -> tuple[Piece, ...]:
    """The pieces a source judges by: edges and chains, sentences, or all."""
    graph: tuple[Piece, ...] = (*evidence.graph, *evidence.chains) if source != "literature" else ()
    return graph + (evidence.literature if source != "graph" else ())


def weigh(pieces: Sequence[Piece], stances: Mapping[str, Stance], reason: str) -> Judgement:
    """The judgement that follows from the stances of the pieces (contract.md, Judge)."""
    decided = [piece for piece in pieces if piece.id in stances]
    stated = [piece for piece in decided if not isinstance(piece, Trail)]
    counted = stated or decided
    supporting = articles(piece for piece in counted if stances[piece.id] == "supports")
    contradicting = articles(piece for piece in counted if stances[piece.id] == "contradicts")
    verdict: Verdict = "not_enough"
    if len(supporting) != len(contradicting):
        verdict = "supported" if len(supporting) > len(contradicting) else "contradicted"
    mixed = len({stances[piece.id] for piece in decided}) > 1
    if mixed:
        beside = " (chains stand beside them uncounted)" if len(counted) < len(decided) else ""
        reason += f" Articles for it: {len(supporting)}, against it: {len(contradicting)}{beside}."
    return Judgement(verdict, reason, stances, mixed)


def articles(pieces: Iterable[Piece]) -> set[int]:
    """The distinct articles behind pieces of evidence; behind a chain, those of its weakest edge."""
    return {pmid for piece in pieces for pmid in ((piece.pmid,) if isinstance(piece, Passage) else piece.every)}


def failed(reason: str, *, unanswered: bool = False) -> Judgement:
    """The judgement of a judge that gave no usable answer: counted apart, never as a verdict."""
    return Judgement("failed", reason, {}, unanswered=unanswered)


def without_evidence(source: Source) -> Judgement:
    """The judgement where a source holds nothing on the claim."""
    what = {
        "graph": "the graph has no edge",
        "literature": "the literature has no article",
        "both": "neither has anything",
    }
    return Judgement("not_enough", f"No evidence: {what[source]} on this claim.", {})
