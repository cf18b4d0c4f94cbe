"""KnowHD: text in, report out. Which of its claims do graph and literature support?"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from groundwork.chance import belief
from groundwork.characters import statement
from groundwork.errors import CallFailed, ReplyError
from groundwork.linking import Linker
from groundwork.llm.usage import since
from groundwork.ports import NO_USAGE, GraphReader, LanguageModel, LiteratureReader, Progress, Silent, watched
from groundwork.readable import readable
from knowhd.calibration.figures import calibration_of
from knowhd.claims.claims import Claim, RuleClaims, missed
from knowhd.claims.model_claims import ModelClaims
from knowhd.evidence.articles import Articles
from knowhd.evidence.gather import SENTENCES, SENTENCES_FREELY, Gatherer, Scope
from knowhd.evidence.packing import pack
from knowhd.evidence.pieces import Evidence
from knowhd.evidence.retraction import Belief
from knowhd.evidence.shown import Lines
from knowhd.groundedness import measure
from knowhd.judge import SOURCES, Judge, Judgement, Source, failed, judge_all
from knowhd.model import Asking, ModelJudge
from knowhd.report import GroundReport, Usage, reported
from knowhd.rules.judge import RuleJudge

#: Tokens of evidence on one claim that a language model is shown unless it is told otherwise.
EVIDENCE_TOKENS = 6000


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
        belief: That of an edge in so many articles, as the graph counts it.
        articles: Reads articles of that literature; None: a reader that keeps nothing for other processes.
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
        belief: Belief = belief,
        articles: Articles | None = None,
    ) -> None:
        self._graph = graph
        self._belief = belief
        self._articles = articles or Articles(graph, literature)
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
        concepts: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> GroundReport:
        """The claims of a text, the evidence on each, the verdicts, and the groundedness of the whole.

        Args:
            text: A hypothesis, with or without its rationale.
            before: Only evidence with PMID <= before counts.
            k: Articles per claim at most, 1 to 10000.
            tau: BM25 score an article must reach.
            exclude_retracted: Leave retracted articles out, under edges as well; otherwise they are flagged.
            hops: Longest chain between two concepts of a claim, 1 to 4; 1 takes edges alone.
            concepts: What names of the text mean: keys by name.
            progress: Told of each sentence and each claim; None: nobody is.

        Raises:
            InputError: An empty text, k or hops out of range, or a tau that is no finite number.
            StoreUnreachable: A store is gone.
            ModelUnreachable: The model is gone.
        """
        statement(text)
        scope = Scope(before, k, tau, exclude_retracted, hops)
        begun, release = self._usage(), self._articles.refresh()
        linker = Linker(self._graph, remember=True, given=concepts)
        plain, seen = readable(text), progress or Silent()
        claims, lost = self._apart(plain, linker, seen)
        apart = self._usage()
        found = self._gathered(claims, scope, seen)
        judged = self._judged(claims, found, lost, seen)
        measured = measure(judged)
        return GroundReport(
            text,
            tuple(reported(text, *each) for each in zip(claims, found, judged, strict=True)),
            measured.groundedness,
            measured.claims_judged,
            measured.claims_failed,
            self._judge.name,
            self._judge.weights if isinstance(self._judge, RuleJudge) else None,
            release,
            calibration_of(self._judge.name, self._home),
            _spent(begun, apart, self._usage(), len(claims)),
            measured.coverage,
            measured.intervals,
            measured.aggregates,
            tuple(sentence.text for sentence in missed(claims, plain, linker)),
        )

    def _apart(self, text: str, linker: Linker, seen: Progress) -> tuple[tuple[Claim, ...], ReplyError | None]:
        """The claims of a text, and why it was left whole where the model could not take it apart."""
        if self._model:
            return ModelClaims(linker, self._model).divided(text)
        return RuleClaims(linker, seen).extract(text), None

    def _gathered(self, claims: Sequence[Claim], scope: Scope, seen: Progress) -> list[Evidence]:
        most = SENTENCES_FREELY if isinstance(self._judge, RuleJudge) else SENTENCES
        gatherer = Gatherer(self._graph, self._literature, self._articles, self._belief, most)
        lines = Lines(self._graph)
        told = watched(claims, seen, "gathering evidence", "claims")
        return [pack(gatherer.gather(claim, scope), self._tokens, lines) for claim in told]

    def _judged(
        self, claims: Sequence[Claim], found: Sequence[Evidence], lost: ReplyError | None, seen: Progress
    ) -> list[dict[Source, Judgement]]:
        """Judgements in the order of the claims; those that are no claims, but a text left whole, have failed."""
        if lost is None:
            return judge_all(self._judge, list(zip(claims, found, strict=True)), seen)
        reason = f"The model gave no usable list of claims for this text: {lost.seen}"
        whole = failed(reason, unanswered=isinstance(lost, CallFailed))
        return [dict.fromkeys(SOURCES, whole) for _ in claims]

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
