"""From evidence to verdicts. The law is here, one for every judge; how a piece of evidence is read is the judge's.

A judge says of each piece whether it supports or contradicts the claim. The verdict of a source follows: the side with
more articles, counted once each; none without a piece on either side; none on a tie of two sides. So no verdict
stands without evidence that is named, and what contradicts is never lost (flag `mixed`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from groundwork.records import Record
from knowhd.claims import Claim
from knowhd.evidence import Edge, Evidence, Passage

Verdict = Literal["supported", "contradicted", "not_enough", "failed"]
Source = Literal["graph", "literature", "both"]
Stance = Literal["supports", "contradicts"]
Piece = Edge | Passage

SOURCES: tuple[Source, ...] = ("graph", "literature", "both")


@dataclass(frozen=True, slots=True)
class Judgement(Record):
    """A judgement on one claim from one source.

    Attributes:
        verdict: What follows from the evidence; `failed` where the judge gave no usable answer.
        reason: Why, in words.
        stances: Pieces that support or contradict, by id; the others are on neither side.
        mixed: There are pieces on both sides.
    """

    verdict: Verdict
    reason: str
    stances: Mapping[str, Stance]
    mixed: bool = False


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


def pieces_of(evidence: Evidence, source: Source) -> tuple[Piece, ...]:
    """The pieces a source judges by."""
    graph: tuple[Piece, ...] = evidence.graph if source != "literature" else ()
    return graph + (evidence.literature if source != "graph" else ())


def weigh(pieces: Sequence[Piece], stances: Mapping[str, Stance], reason: str) -> Judgement:
    """The judgement that follows from the stances of the pieces (contract.md, Judge)."""
    supporting = articles(piece for piece in pieces if stances.get(piece.id) == "supports")
    contradicting = articles(piece for piece in pieces if stances.get(piece.id) == "contradicts")
    verdict: Verdict = "not_enough"
    if len(supporting) != len(contradicting):
        verdict = "supported" if len(supporting) > len(contradicting) else "contradicted"
    mixed = bool(supporting) and bool(contradicting)
    if mixed:
        reason += f" Articles for it: {len(supporting)}, against it: {len(contradicting)}."
    return Judgement(verdict, reason, stances, mixed)


def articles(pieces: Iterable[Piece]) -> set[int]:
    """The distinct articles behind pieces of evidence."""
    return {pmid for piece in pieces for pmid in (piece.every if isinstance(piece, Edge) else (piece.pmid,))}


def failed(reason: str) -> Judgement:
    """The judgement of a judge that gave no usable answer: counted apart, never as a verdict."""
    return Judgement("failed", reason, {})


def without_evidence(source: Source) -> Judgement:
    """The judgement where a source holds nothing on the claim."""
    what = {
        "graph": "the graph has no edge",
        "literature": "the literature has no article",
        "both": "neither has anything",
    }
    return Judgement("not_enough", f"No evidence: {what[source]} on this claim.", {})
