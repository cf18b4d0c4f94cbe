"""KnowHD: text in, report out. Which of its claims do graph and literature support?"""

from collections.abc import Mapping
from dataclasses import dataclass

from groundwork.errors import InputError
from groundwork.linking import Linker
from groundwork.ports import NO_USAGE, GraphReader, LanguageModel, LiteratureReader
from groundwork.records import Record
from knowhd.assertion import assertions_of
from knowhd.calibration import Calibration, calibration_of
from knowhd.claims import Claim, Claims, ModelClaims, RuleClaims
from knowhd.evidence import Evidence, Gatherer, Scope
from knowhd.groundedness import measure
from knowhd.judge import SOURCES, Judge, Judgement, Source, Stance, Verdict, failed, pieces_of
from knowhd.model import ModelJudge
from knowhd.rules import RuleJudge


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
            `negated`, `mixed` (evidence on both sides), `retracted` (a retracted article among the cited).
        stances: What each cited piece says of the claim, by id.
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
        usage: Calls, tokens and repairs of the language model for this text; all 0 with the rules.
    """

    text: str
    claims: tuple[ClaimReport, ...]
    groundedness: Mapping[Source, float | None]
    claims_judged: Mapping[Source, int]
    claims_failed: Mapping[Source, int]
    model: str
    calibration: Calibration | None
    usage: Mapping[str, int]

    def keys(self) -> frozenset[str]:
        """The concepts it speaks of: those its claims name, and the ends of the edges they were judged by."""
        edges = (edge for claim in self.claims for edge in claim.evidence.graph)
        named = (key for claim in self.claims for key in claim.concepts)
        return frozenset((*named, *(key for edge in edges for key in (edge.head, edge.tail))))


class Checker:
    """Checks texts against a graph and a literature.

    Args:
        graph: Where concepts and edges come from.
        literature: Where articles come from.
        model: Takes texts apart and judges; None leaves both to the rules, which are deterministic and no language
            model.
    """

    def __init__(self, graph: GraphReader, literature: LiteratureReader, model: LanguageModel | None = None) -> None:
        self._graph = graph
        self._literature = literature
        self._model = model
        self._linker = Linker(graph)
        self._claims: Claims = ModelClaims(self._linker, model) if model else RuleClaims(self._linker)
        self._judge: Judge = ModelJudge(model, graph) if model else RuleJudge()

    def check(
        self,
        text: str,
        *,
        before: int | None = None,
        k: int = 8,
        tau: float | None = None,
        exclude_retracted: bool = False,
    ) -> GroundReport:
        """The claims of a text, the evidence on each, the verdicts, and the groundedness of the whole.

        Args:
            text: A hypothesis, with or without its rationale.
            before: Only evidence with PMID <= before counts.
            k: Articles per claim at most, 1 to 10000.
            tau: BM25 score an article must reach.
            exclude_retracted: Leave retracted articles out; otherwise they are flagged.

        Raises:
            InputError: An empty text, k out of range, or a tau that is no finite number.
            StoreUnreachable: A store is gone.
            ModelUnreachable: The model is gone.
        """
        if not text.strip():
            raise InputError("an empty text", "a statement to judge", "give a text, or --file with one a line")
        spent = self._usage()
        gatherer = Gatherer(self._graph, self._literature, self._linker)
        scope = Scope(before, k, tau, exclude_retracted)
        claims = self._claims.extract(text)
        found = [gatherer.gather(claim, scope) for claim in claims]
        judged = [self._judged(claim, evidence) for claim, evidence in zip(claims, found, strict=True)]
        measured = measure(judged)
        return GroundReport(
            text,
            tuple(_reported(*each) for each in zip(claims, found, judged, strict=True)),
            measured.groundedness,
            measured.claims_judged,
            measured.claims_failed,
            self._judge.name,
            calibration_of(self._judge.name),
            {name: count - spent.get(name, 0) for name, count in self._usage().items()},
        )

    def _judged(self, claim: Claim, evidence: Evidence) -> dict[Source, Judgement]:
        if "undivided" in claim.flags:
            return dict.fromkeys(SOURCES, failed("The model gave no usable list of claims for this text."))
        return self._judge.judge(claim, evidence)

    def _usage(self) -> dict[str, int]:
        return self._model.usage() if self._model else dict(NO_USAGE)


def _reported(claim: Claim, evidence: Evidence, judgements: Mapping[Source, Judgement]) -> ClaimReport:
    union = judgements["both"]
    pieces = [piece for piece in pieces_of(evidence, "both") if piece.id in union.stances]
    ahead = "contradicts" if union.verdict == "contradicted" else "supports"
    pieces.sort(key=lambda piece: union.stances[piece.id] != ahead)
    reasons = {source: judgements[source].reason for source in SOURCES}
    return ClaimReport(
        claim.text,
        claim.sentence,
        claim.span,
        claim.concepts,
        evidence,
        {source: judgements[source].verdict for source in SOURCES},
        tuple(piece.id for piece in pieces),
        " ".join([reasons["both"], f"Graph: {reasons['graph']}", f"Literature: {reasons['literature']}"]),
        _flags(claim, union, any(piece.retracted for piece in pieces)),
        {piece.id: union.stances[piece.id] for piece in pieces},
    )


def _flags(claim: Claim, union: Judgement, retracted: bool) -> tuple[str, ...]:
    readings = [assertion.reading for assertion in assertions_of(claim)[:1]]
    raised = {
        "unlinked": len(claim.concepts) < 2,
        "negated": any(reading.negated for reading in readings),
        "hedged": any(reading.hedged for reading in readings),
        "mixed": union.mixed,
        "retracted": retracted,
    }
    return (*claim.flags, *(flag for flag, up in raised.items() if up))
