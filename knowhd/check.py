"""Check a text: split it into claims, gather evidence, judge each claim, and return a report."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from knowhd.evidence.gather import SENTENCES, SENTENCES_FREELY, Belief, Gatherer, Scope
from knowhd.evidence.packing import pack
from knowhd.evidence.pieces import Evidence
from knowhd.gathered import Gathered
from knowhd.ground_report import ClaimReport, GroundReport, Usage, reported
from knowhd.groundedness import measure
from knowhd.judge import SOURCES, Judge, Judgement, Source, failed, pieces_of
from knowhd.model import Asking, ModelJudge
from knowhd.rules.judge import RuleJudge
from knowhd.wording import say

#: Default limit for the evidence on one claim that is shown to a language model, in tokens.
EVIDENCE_TOKENS = 6000


class Checker:
    """Checks texts against a graph and a literature.

    Args:
        graph: Store of concepts and edges.
        literature: Store of articles.
        model: Language model that splits texts into claims and judges them. With None, deterministic rules do both.
        judge: Judge to use instead of the model.
        asking: How many prompts the model gets when it judges.
        evidence_tokens: Maximum tokens of evidence per claim (see `packing`). None means EVIDENCE_TOKENS if the
            language model judges, otherwise no limit.
        home: Folder with figures of judges that a user measured; with None only the figures of this package are used.
        belief: Function that returns the belief of an edge from its number of articles, as the graph computes it.
        articles: Reader of articles of this literature; None makes a reader without a cache of mentions.
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
        scope: Scope | None = None,
        *,
        concepts: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> GroundReport:
        """Return a text's claims, the evidence and verdicts for each, and the groundedness of the text.

        The arguments and errors are those of `gathered`.
        """
        return self.judged(self.gathered(text, scope, concepts=concepts, progress=progress), progress)

    def gathered(
        self,
        text: str,
        scope: Scope | None = None,
        *,
        concepts: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Gathered:
        """Return a text's claims and the evidence on each, without a judgement.

        Args:
            text: A hypothesis, with or without its rationale.
            scope: Which evidence counts; None for the defaults.
            concepts: The meaning of names in the text, as a mapping from name to concept key.
            progress: Receives a report after each sentence and each claim.

        Raises:
            InputError: The text is empty.
            StoreUnreachable: A store cannot be reached.
            ModelUnreachable: The model cannot be reached.
        """
        statement(text)
        begun, release = self._usage(), self._articles.refresh()
        linker = Linker(self._graph, remember=True, given=concepts)
        plain, seen = readable(text), progress or Silent()
        # If the model cannot split the text, the claims are whole sentences, and the error is kept.
        apart = ModelClaims(linker, self._model).divided(plain) if self._model else None
        claims, lost = apart or (RuleClaims(linker, seen).extract(plain), None)
        split, gatherer = self._usage(), self._gatherer()
        told = watched(claims, seen, "gathering evidence", "claims")
        found = [pack(gatherer.gather(claim, scope or Scope()), self._tokens, self._graph) for claim in told]
        untold = tuple(sentence.text for sentence in missed(claims, plain, linker))
        return Gathered(text, claims, tuple(found), untold, release, begun, split, lost)

    def judged(self, found: Gathered, progress: Progress | None = None) -> GroundReport:
        """Return the report on a text whose evidence was gathered by this checker."""
        judged = self._judged(found.claims, found.evidence, found.lost, progress or Silent())
        return GroundReport(
            text=found.text,
            claims=_reports(found, found.evidence, judged),
            model=self._judge.name,
            weights=self._judge.weights if isinstance(self._judge, RuleJudge) else None,
            release=found.release,
            calibration=calibration_of(self._judge.name, self._home),
            usage=_spent(found.begun, found.apart, self._usage(), len(found.claims)),
            sentences_missed=found.missed,
            **measure(judged),
        )

    def over_time(
        self, found: Gathered, scope: Scope, cuts: Iterable[int]
    ) -> Iterator[tuple[int | None, tuple[ClaimReport, ...]]]:
        """Yield the claims as judged under the scope, and then as judged under each PMID cut, the latest cut first.

        A PMID cut leaves out all articles with a higher PMID. The results equal those of `check` with the cut as
        `scope.before`, but take less time. A search is repeated only if it found an article beyond the cut, and a claim
        is judged again only if its evidence differs from the evidence under the later cut.

        Args:
            found: The claims, with the evidence under the scope.
            scope: Which evidence counts; `hops` must be 1, so that the graph gives only edges.
            cuts: PMID cuts. Cuts under which no claim has evidence are left out.
        """
        gatherer, packed = self._gatherer(), self._tokens is not None
        later, judged = list(found.evidence), self._judged(found.claims, found.evidence, found.lost, Silent())
        yield scope.before, _reports(found, later, judged)
        for cut in sorted(cuts, reverse=True):
            earlier = replace(scope, before=cut)
            now = [
                pack(gatherer.earlier(claim, earlier, None if packed else held), self._tokens, self._graph)
                for claim, held in zip(found.claims, later, strict=True)
            ]
            if not any(pieces_of(each, "both") for each in now):
                return
            again = [n for n, (new, old) in enumerate(zip(now, later, strict=True)) if new != old]
            fresh = self._judged([found.claims[n] for n in again], [now[n] for n in again], found.lost, Silent())
            for n, each in zip(again, fresh, strict=True):
                judged[n] = each
            later = now
            yield cut, _reports(found, later, judged)

    def _gatherer(self) -> Gatherer:
        most = SENTENCES_FREELY if isinstance(self._judge, RuleJudge) else SENTENCES
        return Gatherer(self._graph, self._literature, self._articles, self._belief, most)

    def _judged(
        self, claims: Sequence[Claim], found: Sequence[Evidence], lost: ReplyError | None, seen: Progress
    ) -> list[dict[Source, Judgement]]:
        """Return the judgements in the order of the claims. All are `failed` if the model could not split the text."""
        if lost is None:
            return self._judge.judge_all(list(zip(claims, found, strict=True)), seen)
        whole = failed(say("model", "undivided", seen=lost.seen), unanswered=isinstance(lost, CallFailed))
        return [dict.fromkeys(SOURCES, whole) for _ in claims]

    def _usage(self) -> Usage:
        return self._model.usage() if self._model else NO_USAGE


def _reports(
    found: Gathered, evidence: Sequence[Evidence], judged: Sequence[dict[Source, Judgement]]
) -> tuple[ClaimReport, ...]:
    return tuple(reported(found.text, *each) for each in zip(found.claims, evidence, judged, strict=True))


def _spent(begun: Usage, apart: Usage, now: Usage, claims: int) -> dict[str, float | None]:
    """Return the model usage for one text, given the total usage before the text, after its split and at the end."""
    spent, judging = since(now, begun), since(now, apart)
    calls, tokens = judging["calls"], (spent["prompt_tokens"] or 0) + (spent["completion_tokens"] or 0)
    return {
        **spent,
        "judge_calls": calls,
        "judge_calls_per_claim": calls / claims if claims and calls is not None else None,
        "tokens_per_claim": tokens / claims if claims else None,
    }
