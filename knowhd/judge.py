"""Derive verdicts from evidence, by one rule for all judges.

A judge decides for each piece of evidence whether it supports or contradicts the claim. The verdict of a source is the
side with more articles, each article counted once. It is `not_enough` if no piece takes a side or if both sides have
equally many articles. If pieces take both sides, the flag `mixed` is set. A chain of edges is an inference that no
article may state, so its articles count only if no edge and no sentence takes a side.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from groundwork.ports import Progress
from groundwork.records import Record
from knowhd.claims import Claim
from knowhd.pieces import Bearing, Evidence, Marked, Passage, Piece, Trail, say

Verdict = Literal["supported", "contradicted", "not_enough", "failed"]
Source = Literal["graph", "literature", "both"]
Stance = Literal["supports", "contradicts"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SOURCES: tuple[Source, ...] = ("graph", "literature", "both")
#: The opposite of each stance.
CONTRARY: dict[Stance, Stance] = {"supports": "contradicts", "contradicts": "supports"}


@dataclass(frozen=True, slots=True)
class Judgement(Record):
    """A judgement on one claim from one source.

    Attributes:
        verdict: The verdict that follows from the evidence; `failed` if the judge gave no usable answer.
        reason: The reason, as text.
        stances: Stance of each piece that supports or contradicts the claim, by the id of the piece. Other pieces take
            no side.
        mixed: Whether there are pieces on both sides.
        unanswered: Whether the judgement failed because a call got no reply. A second attempt may succeed.
        flags: Remarks of the judge about the claim: `unread`, `partly`, `negated`, `hedged`, `undirected`. See
            `ground_report.ClaimReport.flags`.
        probabilities: For each piece that the judge read, by id, a mapping from ways in which a piece can bear on a
            claim (`pieces.Bearing`) to their probabilities, in [0, 1]. Empty if the judge gives no probabilities.
        unrelated: Ids of the pieces that name neither end of the claim. They are no evidence, and reports leave them
            out. Empty if the judge does not read the ends of claims.
        denied: Ids of the deciding sentences that take their side by denying a relation.
        marked: A person's word on pieces (`marks`), by id of the piece.
        whole: Whether the judge judged articles as a whole, so that no single sentence of an article decides.
    """

    verdict: Verdict
    reason: str
    stances: Mapping[str, Stance]
    mixed: bool = False
    probabilities: Mapping[str, Mapping[Bearing, float]] = field(default_factory=dict)
    unanswered: bool = False
    flags: tuple[str, ...] = ()
    unrelated: tuple[str, ...] = ()
    denied: frozenset[str] = frozenset()
    whole: bool = False
    marked: Mapping[str, Marked] = field(default_factory=dict)


Case = tuple[Claim, Evidence]


class Judge(Protocol):
    """Judges claims by their evidence. Output and storage use its `name`."""

    name: str

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
        """Return one judgement per source for each case, in order. `both` judges the union of the evidence.

        `progress` receives a report after each judged claim.

        Raises:
            ModelError: The model failed.
            ModelUnreachable: The language model cannot be reached.
        """


def pieces_of(evidence: Evidence, source: Source) -> tuple[Piece, ...]:
    """Return the pieces of a source: edges and chains for `graph`, sentences for `literature`, all for `both`."""
    graph: tuple[Piece, ...] = (*evidence.graph, *evidence.chains) if source != "literature" else ()
    return graph + (evidence.literature if source != "graph" else ())


def weigh(pieces: Sequence[Piece], stances: Mapping[str, Stance], reason: str) -> Judgement:
    """Return the judgement that follows from the stances of the pieces, by the rule of this module."""
    supporting, contradicting = sides(pieces, stances)
    verdict: Verdict = "not_enough"
    if supporting != contradicting:
        verdict = "supported" if supporting > contradicting else "contradicted"
    mixed = len({stances[piece.id] for piece in pieces if piece.id in stances}) > 1
    return Judgement(verdict, reason, stances, mixed)


def sides(pieces: Iterable[Piece], stances: Mapping[str, Stance]) -> tuple[int, int]:
    """Return the number of supporting and of contradicting articles, as they are counted for the verdict."""
    decided = [piece for piece in pieces if piece.id in stances]
    counted = [piece for piece in decided if not isinstance(piece, Trail)] or decided
    supporting = articles(piece for piece in counted if stances[piece.id] == "supports")
    return len(supporting), len(articles(piece for piece in counted if stances[piece.id] == "contradicts"))


def articles(pieces: Iterable[Piece]) -> set[int]:
    """Return the PMIDs of the articles behind pieces of evidence. Of a chain, only the weakest edge counts."""
    return {pmid for piece in pieces for pmid in ((piece.pmid,) if isinstance(piece, Passage) else piece.every)}


def failed(reason: str, *, unanswered: bool = False) -> Judgement:
    """Return the judgement `failed`, because the judge gave no usable answer. Such a claim is not counted as judged."""
    return Judgement("failed", reason, {}, unanswered=unanswered)


def without_evidence(source: Source) -> Judgement:
    """Return the judgement for a source without evidence on the claim."""
    return Judgement("not_enough", say("all", source), {})
