"""The report on a judged text: its claims with evidence and verdicts, and the groundedness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from groundwork.linking import Mention
from groundwork.records import Record
from groundwork.records.shortened import counted, listed, number
from groundwork.statistics.intervals import Interval
from knowhd.article_counts import ArticleCounts, Designs, article_counts, by_design, counts_in_words, designs_in_words
from knowhd.calibration.figures import Calibration
from knowhd.claim_rows import CLAIM_COLUMNS, claim_rows
from knowhd.claims.claims import Claim
from knowhd.evidence.gather import ENDS
from knowhd.evidence.pieces import KINDS, Bearing, Evidence, Kind, Passage, Piece, Trail
from knowhd.evidence.shown import keys_of
from knowhd.groundedness import Aggregates
from knowhd.judge import CONTRARY, SOURCES, Judgement, Source, Stance, Verdict, pieces_of, sides
from knowhd.wording import say

if TYPE_CHECKING:
    from altair import FacetChart
    from pandas import DataFrame

Usage = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class ClaimReport(Record):
    """One claim with its evidence and verdicts.

    Attributes:
        text: The claim, understandable on its own.
        sentence: The sentence that contains the claim.
        span: Position of that sentence in the text: offset of its first character and offset after its last.
        concepts: Keys of the concepts in the claim.
        evidence: The evidence from each source.
        verdicts: The verdict per source.
        cited: Ids of the pieces of evidence that decided, those of the winning side first.
        reason: The reasons, for all sources.
        flags: The flags of the claim (`claims.Claim.flags`) and of the judgement:

            - `unlinked`: The claim names fewer than two concepts of the graph.
            - `negated`, `hedged`: The claim denies the relation, or only says that it may hold.
            - `crowded`: Some pairs of concepts are not read, because the claim has a list that is too long to split, or
              names more than ENDS concepts.
            - `mixed`: There is evidence on both sides.
            - `inferred`: Only chains of edges take a side.
            - `undirected`: Only edges decide, and they do not show which of two concepts of the same type acts on the
              other.
            - `retracted`: A cited article is retracted.
            - `unanswered`: A call got no reply; a second attempt may succeed.
            - `unread`: The judge reads no relation in the claim.
            - `partly`: The evidence states the relation, but not everything that the claim says.
        stances: Stance of each cited piece, by id.
        designs: For each side, the number of articles whose sentences take this side, by the design of the study. The
            verdict does not depend on designs.
        articles: What the articles that name all concepts of the claim say about it; None if they were not counted,
            because the claim names fewer than two concepts, a BM25 threshold was set, or no verdict was reached.
        left_out: Number of pieces, per kind, that were found but not judged, because of the token limit or the limit on
            chains.
        mentions: Places where the claim names concepts, each with the alternative concepts.

    Example:
        >>> world.ground("Simvastatin lowers cholesterol.").claims[0].concepts
        ('Chemical|MESH:D019821', 'Chemical|MESH:D002784')
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
    designs: Mapping[Stance, Designs]
    articles: ArticleCounts | None
    left_out: Mapping[Kind, int]
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class GroundReport(Record):
    """The groundedness of a text.

    Attributes:
        text: The text.
        claims: Its claims.
        groundedness: Groundedness per source, in [0, 1]; None if no claim was judged.
        claims_judged: Number of judged claims per source.
        claims_failed: Number of claims per source whose judgement failed. They do not count as judged.
        model: Name of the judge.
        weights: SHA-256 of the weights of the judge by rules; None for other judges.
        release: The live releases of graph and literature, each as `SOURCE:ID`, sorted.
        calibration: The judge's figures on labelled pairs; None if it was not measured.
        usage: Calls, tokens and repairs of the language model for this text; all 0 with the rules. `judge_calls` counts
            the calls that judged. `judge_calls_per_claim` and `tokens_per_claim` (prompts and replies of all calls) are
            None without claims.
        coverage: claims_judged divided by the number of claims, per source; None without claims.
        intervals: Wilson's 95 % interval of the groundedness, per source; None if no claim was judged.
        aggregates: The verdicts aggregated in other ways, per source.
        sentences_missed: Sentences that make a statement (in any language) but gave no claim.
        names: Names of the concepts by key, as far as they are known; for tables and pictures only.
        release_labels: `release` with the names of the files of each release, for people to read.

    Example:
        >>> world.ground("Simvastatin lowers cholesterol.")
        Groundedness: graph 1.00, literature 1.00, both 1.00 (1 claim, judged by rules ...)
          supported      Simvastatin lowers cholesterol.
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
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False, metadata={"private": True})
    release_labels: tuple[str, ...] = field(default=(), compare=False, repr=False, metadata={"private": True})

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row per claim; its columns are those of `ground --out`."""
        from pandas import DataFrame

        return DataFrame(list(claim_rows(self.to_dict())) if self.claims else [], columns=list(CLAIM_COLUMNS))

    def plot(self) -> "FacetChart":
        """Return an altair chart of the evidence: the number of articles for and against each claim, by source.

        altair is installed with the extra `bench`. In a notebook the chart is a picture, which needs no network.

        Raises:
            InputError: altair is not installed.
        """
        from knowhd.evidence_plot import evidence_plot

        return evidence_plot(self)

    def __repr__(self) -> str:
        scores = ", ".join(f"{source} {number(value)}" for source, value in self.groundedness.items())
        lines = (f"{claim.verdicts['both']:14} {claim.text}" for claim in self.claims)
        return listed(f"Groundedness: {scores} ({counted(len(self.claims), 'claim')}, judged by {self.model})", lines)

    def _repr_html_(self) -> str:
        from knowhd.report_html import report_html

        return report_html(self)

    def keys(self) -> frozenset[str]:
        """Return the keys of all concepts in the report: those in claims, and the ends of edges in the evidence."""
        return frozenset(key for c in self.claims for key in (*c.concepts, *keys_of(pieces_of(c.evidence, "graph"))))


def reported(text: str, claim: Claim, evidence: Evidence, judgements: Mapping[Source, Judgement]) -> ClaimReport:
    """Return the report on a claim. The deciding evidence is cited, the winning side first."""
    union = judgements["both"]
    pieces = [piece for piece in pieces_of(evidence, "both") if piece.id in union.stances]
    ahead = "contradicts" if union.verdict == "contradicted" else "supports"
    pieces.sort(key=lambda piece: union.stances[piece.id] != ahead)
    told = _told(evidence, union)
    counts = article_counts(told, len(claim.concepts)) if union.verdict != "failed" else None
    numbers = counts_in_words(counts, len(claim.concepts)) if counts else ""
    return ClaimReport(
        claim.text,
        text[slice(*claim.span)],
        claim.span,
        claim.concepts,
        told,
        {source: judgements[source].verdict for source in SOURCES},
        tuple(piece.id for piece in pieces),
        " ".join(filter(None, (_reason(judgements, pieces), numbers, designs_in_words(told.literature)))),
        _flags(claim, union, pieces, unanswered=any(judgement.unanswered for judgement in judgements.values())),
        {piece.id: union.stances[piece.id] for piece in pieces},
        by_design(told.literature),
        counts,
        {kind: evidence.left_out.get(kind, 0) for kind in KINDS},
        claim.mentions,
    )


def _told(evidence: Evidence, union: Judgement) -> Evidence:
    """Return the evidence with the stance and probability of each piece, and a person's word on it.

    Pieces that name neither end of the claim are left out. Here rather than when evidence is gathered, because the ends
    are known only after the judge has read the claim: they may be phrases, or only two of several concepts.
    """

    def told(piece: Piece) -> Piece:
        given = union.probabilities.get(piece.id, {})
        stance: Bearing | None = union.stances.get(piece.id) or next((e for e in given if e not in CONTRARY), None)
        marked = union.marked.get(piece.id)
        said = replace(piece, stance=stance, probability=given.get(stance) if stance else None, marked=marked)
        return replace(said, denied=piece.id in union.denied) if isinstance(said, Passage) else said

    kinds: dict[str, Any] = {
        kind: tuple(told(piece) for piece in getattr(evidence, kind) if piece.id not in union.unrelated)
        for kind in KINDS
    }
    return replace(evidence, **kinds)


def _reason(judgements: Mapping[Source, Judgement], cited: Sequence[Piece]) -> str:
    """Return the reasons of all sources, each once, and the number of articles on each side if there are two sides."""
    union, *alone = (judgements[source].reason for source in ("both", "graph", "literature"))
    same = {*alone} == {union} or union == " ".join(alone)
    told = [union] if same else [union, f"Graph: {alone[0]}", f"Literature: {alone[1]}"]
    if judgements["both"].mixed:
        supporting, contradicting = sides(cited, judgements["both"].stances)
        name = "tied" if supporting == contradicting else "mixed"
        told.append(say("all", name, supporting=supporting, contradicting=contradicting))
        if 0 < sum(isinstance(piece, Trail) for piece in cited) < len(cited):
            told.append(say("all", "chains"))
    return " ".join(told)


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
