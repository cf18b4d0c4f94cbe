"""KnowHD: text in, report out. Which of its claims do graph and literature support?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwork.characters import statement
from groundwork.linking import Linker, Mention
from groundwork.llm.usage import since
from groundwork.ports import NO_USAGE, GraphReader, LanguageModel, LiteratureReader
from groundwork.readable import readable
from groundwork.records import Record
from knowhd.calibration.figures import Calibration, calibration_of
from knowhd.claims.claims import Claim, Claims, RuleClaims, missed
from knowhd.claims.model_claims import ModelClaims
from knowhd.evidence.gather import Gatherer, Scope
from knowhd.evidence.packing import pack
from knowhd.evidence.pieces import Evidence, Kind, Piece, Trail
from knowhd.evidence.shown import Lines
from knowhd.groundedness import Aggregates, measure
from knowhd.intervals import Interval
from knowhd.judge import SOURCES, Judge, Judgement, Source, Stance, Verdict, failed, judge_all, pieces_of
from knowhd.model import Asking, ModelJudge
from knowhd.rules.assertion import ENDS, assertions_of
from knowhd.rules.judge import RuleJudge

Usage = Mapping[str, float | None]

#: Tokens of evidence on one claim that a language model is shown unless it is told otherwise.
EVIDENCE_TOKENS = 6000
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
            `retracted` (a retracted article among the cited).
        stances: What each cited piece says of the claim, by id.
        left_out: Pieces that were found and not judged, per kind: beyond the budget of tokens, or chains beyond the
            best.
        probabilities: By id of each piece that a judge gives them for: its probability per stance, in [0, 1].
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
    probabilities: Mapping[str, Mapping[Stance, float]]
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
        calibration: How well that judge does on labelled pairs; None if it was not measured.
        usage: Calls, tokens and repairs of the language model for this text; all 0 with the rules. `judge_calls` are
            those that judged, `judge_calls_per_claim` and `tokens_per_claim` (of all calls, both ways) are None
            without claims.
        coverage: Per source, claims_judged / claims; None without claims.
        intervals: Per source, Wilson's 95 % interval of the groundedness; None where no claim was judged.
        aggregates: Per source, the verdicts summed up in other ways, by name.
        sentences_missed: Sentences that say something and that no claim came from.
    """

    text: str
    claims: tuple[ClaimReport, ...]
    groundedness: Mapping[Source, float | None]
    claims_judged: Mapping[Source, int]
    claims_failed: Mapping[Source, int]
    model: str
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


class Checker:
    """Checks texts against a graph and a literature.

    Args:
        graph: Where concepts and edges come from.
        literature: Where articles come from.
        model: Takes texts apart and judges; None leaves both to the rules, which are deterministic and no language
            model.
        judge: Judges in the model's stead.
        asking: How many questions the model is asked when it judges.
        evidence_tokens: What the evidence on a claim may cost at most (see `packing`); None: EVIDENCE_TOKENS where the
            language model judges, no bound elsewhere.
        home: Where figures of judges may be that a user measured; None: those that are shipped.
    """

    def __init__(
        self,
        graph: GraphReader,
        literature: LiteratureReader,
        model: LanguageModel | None = None,
        *,
        judge: Judge | None = None,
        asking: Asking | None = None,
        evidence_tokens: int | None = None,
        home: Path | None = None,
    ) -> None:
        self._graph = graph
        self._home = home
        self._literature = literature
        self._model = model
        self._judge: Judge = judge or (ModelJudge(model, graph, asking) if model else RuleJudge())
        self._tokens = evidence_tokens or (EVIDENCE_TOKENS if isinstance(self._judge, ModelJudge) else None)

    def check(
        self,
        text: str,
        *,
        before: int | None = None,
        k: int = 8,
        tau: float | None = None,
        exclude_retracted: bool = False,
        hops: int = 1,
    ) -> GroundReport:
        """The claims of a text, the evidence on each, the verdicts, and the groundedness of the whole.

        Args:
            text: A hypothesis, with or without its rationale.
            before: Only evidence with PMID <= before counts.
            k: Articles per claim at most, 1 to 10000.
            tau: BM25 score an article must reach.
            exclude_retracted: Leave retracted articles out; otherwise they are flagged.
            hops: Longest chain between two concepts of a claim, 1 to 4; 1 takes edges alone.

        Raises:
            InputError: An empty text, k or hops out of range, or a tau that is no finite number.
            StoreUnreachable: A store is gone.
            ModelUnreachable: The model is gone.
        """
        statement(text)
        scope = Scope(before, k, tau, exclude_retracted, hops)
        begun = self._usage()
        linker = Linker(self._graph, remember=True)
        taking: Claims = ModelClaims(linker, self._model) if self._model else RuleClaims(linker)
        plain = readable(text)
        claims = taking.extract(plain)
        apart = self._usage()
        found = self._gathered(claims, scope, linker)
        judged = self._judged(claims, found)
        measured = measure(judged)
        return GroundReport(
            text,
            tuple(_reported(text, *each) for each in zip(claims, found, judged, strict=True)),
            measured.groundedness,
            measured.claims_judged,
            measured.claims_failed,
            self._judge.name,
            calibration_of(self._judge.name, self._home),
            _spent(begun, apart, self._usage(), len(claims)),
            measured.coverage,
            measured.intervals,
            measured.aggregates,
            tuple(sentence.text for sentence in missed(claims, plain, linker)),
        )

    def _gathered(self, claims: Sequence[Claim], scope: Scope, linker: Linker) -> list[Evidence]:
        gatherer, lines = Gatherer(self._graph, self._literature, linker), Lines(self._graph)
        return [pack(gatherer.gather(claim, scope), self._tokens, lines) for claim in claims]

    def _judged(self, claims: Sequence[Claim], found: Sequence[Evidence]) -> list[dict[Source, Judgement]]:
        """Judgements in the order of the claims; those that are no claims, but a text left whole, have failed."""
        cases = [case for case in zip(claims, found, strict=True) if "undivided" not in case[0].flags]
        judged = iter(judge_all(self._judge, cases))
        lost = failed("The model gave no usable list of claims for this text.")
        return [dict.fromkeys(SOURCES, lost) if "undivided" in claim.flags else next(judged) for claim in claims]

    def _usage(self) -> Usage:
        return self._model.usage() if self._model else NO_USAGE


def _spent(begun: Usage, apart: Usage, now: Usage, claims: int) -> dict[str, float | None]:
    """What one text cost: totals before it, after it was taken apart, and after it was judged."""
    spent, judging = since(now, begun), since(now, apart)
    calls, tokens = judging["calls"], (spent["prompt_tokens"] or 0) + (spent["completion_tokens"] or 0)
    return {
        **spent,
        "judge_calls": calls,
        "judge_calls_per_claim": calls / claims if claims and calls is not None else None,
        "tokens_per_claim": tokens / claims if claims else None,
    }


def _reported(text: str, claim: Claim, evidence: Evidence, judgements: Mapping[Source, Judgement]) -> ClaimReport:
    union = judgements["both"]
    pieces = [piece for piece in pieces_of(evidence, "both") if piece.id in union.stances]
    ahead = "contradicts" if union.verdict == "contradicted" else "supports"
    pieces.sort(key=lambda piece: union.stances[piece.id] != ahead)
    reasons = {source: judgements[source].reason for source in SOURCES}
    return ClaimReport(
        claim.text,
        text[slice(*claim.span)],
        claim.span,
        claim.concepts,
        evidence,
        {source: judgements[source].verdict for source in SOURCES},
        tuple(piece.id for piece in pieces),
        " ".join([reasons["both"], f"Graph: {reasons['graph']}", f"Literature: {reasons['literature']}"]),
        _flags(claim, union, pieces),
        {piece.id: union.stances[piece.id] for piece in pieces},
        {kind: evidence.left_out.get(kind, 0) for kind in KINDS},
        union.probabilities,
        claim.mentions,
    )


def _flags(claim: Claim, union: Judgement, cited: Sequence[Piece]) -> tuple[str, ...]:
    readings = [assertion.reading for assertion in assertions_of(claim)[:1]]
    raised = {
        "unlinked": len(claim.concepts) < 2,
        "crowded": len(claim.concepts) > ENDS and "crowded" not in claim.flags,
        "negated": any(reading.negated for reading in readings),
        "hedged": any(reading.hedged for reading in readings),
        "mixed": union.mixed,
        "inferred": bool(cited) and all(isinstance(piece, Trail) for piece in cited),
        "retracted": any(piece.retracted for piece in cited),
    }
    return (*claim.flags, *(flag for flag, up in raised.items() if up))
