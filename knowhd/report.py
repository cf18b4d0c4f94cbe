"""What is told of a text that was judged: its claims with evidence and verdicts, and their sum."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from groundwork.linking import Mention
from groundwork.records import Record
from groundwork.statistics.intervals import Interval
from knowhd.calibration.figures import Calibration
from knowhd.claims.claims import Claim
from knowhd.evidence.gather import ENDS
from knowhd.evidence.pieces import Bearing, Edge, Evidence, Kind, Passage, Piece, Trail
from knowhd.groundedness import Aggregates
from knowhd.judge import CONTRARY, SOURCES, Judgement, Source, Stance, Verdict, pieces_of

Usage = Mapping[str, float | None]
_Piece = TypeVar("_Piece", Edge, Trail, Passage)

KINDS: tuple[Kind, ...] = ("graph", "literature", "chains")


@dataclass(frozen=True, slots=True)
class ClaimReport(Record):
    """One claim with its evidence and verdicts.

    Attributes:
        text: The claim, self-contained.
        sentence: The sentence it came from.
        span: Where that stands in the text: offsets of its first character and after its last.
        concepts: Keys of the concepts it names.
        evidence: What each source holds on it.
        verdicts: Per source.
        cited: Ids of the pieces of evidence that decided, those on the winning side first.
        reason: Why, per source.
        flags: Of the claim (`claims.Claim.flags`), and `unlinked` (fewer than two concepts of the graph), `hedged`,
            `negated`, `crowded` (it lists more than is told one by one, or names more than ENDS concepts: some pairs
            of them are not read), `mixed` (evidence on both sides), `inferred` (only chains of edges take a side),
            `undirected` (edges alone decide which of two of one type acts, which they do not tell), `retracted` (a
            retracted article among the cited), `unanswered` (a call on it got no reply: asked again, the model may
            answer), `unread` (the judge reads no relation in the claim), `partly` (evidence states the relation, but
            not all that the claim says).
        stances: What each cited piece says of the claim, by id.
        left_out: Pieces that were found and not judged, per kind: beyond the budget of tokens, or chains beyond the
            best.
        mentions: Where the claim names concepts, with the alternatives of each.
    """

    text: str
    sentence: str
    span: tuple[int, int]
    concepts: tuple[str, ...]
    evidence: Evidence
    verdicts: Mapping[Source, Verdict]
    cited: tuple[str, ...]
    reason: str
    flags: tuple[str, ...]
    stances: Mapping[str, Stance]
    left_out: Mapping[Kind, int]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class GroundReport(Record):
    """The groundedness of a text.

    Attributes:
        text: The text.
        claims: Its claims.
        groundedness: Per source, in [0, 1]; None where no claim was judged.
        claims_judged: Per source.
        claims_failed: Per source; counted apart and never as a verdict.
        model: Who judged.
        weights: SHA-256 of the weights that the judge read with; None if it has no file of weights.
        release: What graph and literature hold: the live releases, each as `SOURCE:ID`, sorted.
        calibration: How well that judge does on labelled pairs; None if it was not measured.
        usage: Calls, tokens and repairs of the language model for this text; all 0 with the rules. `judge_calls` are
            those that judged, `judge_calls_per_claim` and `tokens_per_claim` (of all calls, both ways) are None
            without claims.
        coverage: Per source, claims_judged / claims; None without claims.
        intervals: Per source, Wilson's 95 % interval of the groundedness; None where no claim was judged.
        aggregates: Per source, the verdicts summed up in other ways, by name.
        sentences_missed: Sentences that say something, also in another language, and that no claim came from.
    """

    text: str
    claims: tuple[ClaimReport, ...]
    groundedness: Mapping[Source, float | None]
    claims_judged: Mapping[Source, int]
    claims_failed: Mapping[Source, int]
    model: str
    weights: str | None
    release: tuple[str, ...]
    calibration: Calibration | None
    usage: Usage
    coverage: Mapping[Source, float | None]
    intervals: Mapping[Source, Interval | None]
    aggregates: Mapping[Source, Aggregates]
    sentences_missed: tuple[str, ...]

    def keys(self) -> frozenset[str]:
        """The concepts it speaks of: those its claims name, and the ends of the edges they were judged by."""
        edges = [edge for claim in self.claims for edge in claim.evidence.graph]
        hops = [hop for claim in self.claims for chain in claim.evidence.chains for hop in chain.hops]
        ends = [(edge.head, edge.tail) for edge in edges] + [(hop.head, hop.tail) for hop in hops]
        named = [key for claim in self.claims for key in claim.concepts]
        return frozenset((*named, *(key for pair in ends for key in pair)))


def reported(text: str, claim: Claim, evidence: Evidence, judgements: Mapping[Source, Judgement]) -> ClaimReport:
    """The report on a claim of a text; what decided is cited, the winning side first."""
    union = judgements["both"]
    pieces = [piece for piece in pieces_of(evidence, "both") if piece.id in union.stances]
    ahead = "contradicts" if union.verdict == "contradicted" else "supports"
    pieces.sort(key=lambda piece: union.stances[piece.id] != ahead)
    return ClaimReport(
        claim.text,
        text[slice(*claim.span)],
        claim.span,
        claim.concepts,
        _told(evidence, union),
        {source: judgements[source].verdict for source in SOURCES},
        tuple(piece.id for piece in pieces),
        _reason(judgements),
        _flags(claim, union, pieces, unanswered=any(judgement.unanswered for judgement in judgements.values())),
        {piece.id: union.stances[piece.id] for piece in pieces},
        {kind: evidence.left_out.get(kind, 0) for kind in KINDS},
        claim.mentions,
    )


def _told(evidence: Evidence, union: Judgement) -> Evidence:
    """The evidence, each piece with its stance and the probability of that, as far as the judge gives them."""
    return replace(
        evidence,
        graph=tuple(_with_stance(piece, union) for piece in evidence.graph),
        literature=tuple(_with_stance(piece, union) for piece in evidence.literature),
        chains=tuple(_with_stance(piece, union) for piece in evidence.chains),
    )


def _with_stance(piece: _Piece, union: Judgement) -> _Piece:
    given = union.probabilities.get(piece.id, {})
    stance: Bearing | None = union.stances.get(piece.id)
    if stance is None:
        stance = next((each for each in given if each not in CONTRARY), None)
    return replace(piece, stance=stance, probability=given.get(stance) if stance else None)


def _reason(judgements: Mapping[Source, Judgement]) -> str:
    """Why, per source; said once if the sources share one reason, or if that of both is made of the two others."""
    union, *alone = (judgements[source].reason for source in ("both", "graph", "literature"))
    if {*alone} == {union} or union.startswith(" ".join(alone)):
        return union
    return f"{union} Graph: {alone[0]} Literature: {alone[1]}"


def _flags(claim: Claim, union: Judgement, cited: Sequence[Piece], *, unanswered: bool) -> tuple[str, ...]:
    raised = {
        "unlinked": len(claim.concepts) < 2,
        "crowded": len(claim.concepts) > ENDS and "crowded" not in claim.flags,
        "mixed": union.mixed,
        "inferred": bool(cited) and all(isinstance(piece, Trail) for piece in cited),
        "retracted": any(piece.retracted for piece in cited),
        "unanswered": unanswered,
    }
    return tuple(dict.fromkeys((*claim.flags, *union.flags, *(flag for flag, up in raised.items() if up))))
