"""Check a text: split it into claims, gather evidence, judge each claim, and return a report."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from groundwork.errors import CallFailed, InputError, ReplyError
from groundwork.linking import Linker, Mention
from groundwork.llm.usage import since, total
from groundwork.ports import NO_USAGE, GraphReader, LanguageModel, LiteratureReader, Progress, Silent, watched
from groundwork.readable import readable, statement
from groundwork.records import Abstract
from groundwork.records.base import counted
from knowhd.calibration import calibration_of
from knowhd.citations import CitationReport, judged_citation, without_sentences
from knowhd.claims import Claim, ModelClaims, RuleClaims, missed
from knowhd.gather import SENTENCES, SENTENCES_FREELY, Articles, Gatherer, Sentences, pack
from knowhd.ground_report import ClaimReport, GroundReport, Usage, reported
from knowhd.groundedness import measure
from knowhd.judge import SOURCES, Judge, Judgement, Source, Stance, articles, failed, pieces_of
from knowhd.marks import Marks, key_of, with_marks
from knowhd.model_judges import MedV1Judge, ModelJudge
from knowhd.options import CiteOptions, Scope
from knowhd.pieces import OWN_TEXT, Evidence, Passage, Piece, Trail, say
from knowhd.prompt import names_of
from knowhd.rules_judge import RuleJudge


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything about a text that a judge reads.

    Attributes:
        text: The text.
        claims: Its claims.
        evidence: The evidence on each claim, in the order of the claims.
        missed: Sentences that make a statement but gave no claim.
        release: The live releases of graph and literature, each as `SOURCE:ID`, sorted.
        begun: Total usage of the language model before this text.
        apart: Total usage of the language model after the text was split into claims.
        lost: The model's error if it could not split the text; otherwise None.
    """

    text: str
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    missed: tuple[str, ...]
    release: tuple[str, ...]
    begun: Usage
    apart: Usage
    lost: ReplyError | None = None

    @property
    def pmids(self) -> frozenset[int]:
        """The articles behind all pieces of evidence."""
        return frozenset(articles(self._pieces))

    @property
    def _pieces(self) -> list[Piece]:
        return [piece for each in self.evidence for piece in pieces_of(each, "both")]

    def digest(self, graph: GraphReader) -> str:
        """Return a hash of all data of the claims and the evidence that judges read.

        If the hash is the same, a judge gives the same verdicts. Scores of articles and of names are left out, because
        every load changes them a little and judges do not read them. Beliefs are left out as well, because they follow
        from the number of articles. The graph gives the names of concepts, which are shown to language models.
        """
        shape = [
            [[claim.text, claim.concepts, claim.flags, _mentions(claim.mentions)] for claim in self.claims],
            [[_read(piece) for piece in pieces_of(each, "both")] for each in self.evidence],
            [sorted(each.left_out.items()) for each in self.evidence],
            sorted(names_of(self._pieces, graph).items()),
            self.missed,
            self.lost.seen if self.lost else None,
        ]
        return sha256(json.dumps(shape).encode("utf-8", "surrogatepass")).hexdigest()


def _read(piece: Piece) -> list[Any]:
    """Return the data of a piece of evidence that judges read."""
    if isinstance(piece, Passage):
        return [piece.id, piece.title, piece.sentence, piece.section, piece.retracted, _mentions(piece.mentions)]
    hops = [[hop.relation, hop.articles, hop.pmids] for hop in piece.hops] if isinstance(piece, Trail) else []
    return [piece.id, hops, sorted(piece.every), piece.retracted]


def _mentions(mentions: Iterable[Mention]) -> list[Any]:
    return [[each.start, each.end, each.key, [match.key for match in each.alternatives]] for each in mentions]


#: Default limit for the evidence on one claim that is shown to a language model, in tokens.
EVIDENCE_TOKENS = 6000


class Checker:
    """Checks texts against a graph and a literature.

    Args:
        graph: Store of concepts and edges.
        literature: Store of articles.
        model: Language model that splits texts into claims and judges them. With None, deterministic rules do both.
        judge: Judge to use instead of the model.
        options: How many prompts the model gets when it judges: `once` and `joint`.
        evidence_tokens: Maximum tokens of evidence per claim (see `gather.pack`). None means EVIDENCE_TOKENS if the
            language model judges, otherwise no limit.
        home: Folder with figures of judges that a user measured; with None only the figures of this package are used.
        articles: Reader of articles of this literature; None makes a reader without a cache of mentions.
        marks: A person's word on pieces of evidence, which reports show.
        obeyed: Whether verdicts follow the marks.
    """

    def __init__(
        self,
        graph: GraphReader,
        literature: LiteratureReader,
        model: LanguageModel | None = None,
        *,
        judge: Judge | None = None,
        options: CiteOptions | None = None,
        evidence_tokens: int | None = None,
        home: Path | None = None,
        articles: Articles | None = None,
        marks: Marks | None = None,
        obeyed: bool = True,
    ) -> None:
        self._graph = graph
        self._articles = articles or Articles(graph, literature)
        self._home = home
        self._marks, self._obeyed = marks or {}, obeyed
        self._literature = literature
        self._model = model
        self._judge: Judge = judge or (ModelJudge(model, graph, options) if model else RuleJudge())
        self._asked = [each for each in (model, judge.model if isinstance(judge, MedV1Judge) else None) if each]
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
        plain, seen = readable(text), progress or Silent()
        linker = Linker(self._graph, remember=True, given=concepts)
        claims, lost = self._split(plain, linker, seen)
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
            weights=self._weights,
            release=found.release,
            calibration=calibration_of(self._judge.name, self._home),
            usage=_spent(found.begun, found.apart, self._usage(), len(found.claims)),
            sentences_missed=found.missed,
            **measure(judged),
        )

    def cite(
        self,
        text: str,
        pmids: Sequence[int],
        own: str | None = None,
        *,
        concepts: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> CitationReport:
        """Return what each cited article says about a text. Each article is judged by its own sentences alone.

        Args:
            text: The text, as for `gathered`.
            pmids: PMIDs of the articles.
            own: A text that is judged like an article, before the articles; None without one.
            concepts: As for `gathered`.
            progress: As for `gathered`.

        Raises:
            InputError, StoreUnreachable, ModelUnreachable: As `gathered`.
        """
        statement(text)
        begun, release, seen = self._usage(), self._articles.refresh(), progress or Silent()
        claims, lost = self._split(readable(text), Linker(self._graph, remember=True, given=concepts), seen)
        split, asked = self._usage(), list(dict.fromkeys(pmids))
        stored = self._literature.get(asked)
        told: list[tuple[int, Abstract | None, Sentences]] = []
        if own is not None:
            told.append((OWN_TEXT, None, self._articles.read_text(own)))
        sentences = self._articles.read(asked, stored)
        told += [(pmid, stored.get(pmid), each) for pmid, each in zip(asked, sentences, strict=True)]
        cases = [(claim, each) for _, _, each in told if each for claim in claims]
        packed = [pack(Evidence((), each), self._tokens, self._graph) for _, each in cases]
        judged = (found["literature"] for found in self._judged([claim for claim, _ in cases], packed, lost, seen))
        citations = tuple(
            judged_citation(article, each, claims, list(islice(judged, len(claims))))
            if each
            else without_sentences(pmid, article)
            for pmid, article, each in told
        )
        return CitationReport(
            text,
            citations,
            None,
            self._judge.name,
            self._weights,
            release,
            _spent(begun, split, self._usage(), len(claims)),
        )

    def piece(self, text: str, id: str) -> tuple[Claim, Piece, Stance | None]:
        """Return a claim, a piece of evidence on it, and the side that the judge gives to the piece, without marks.

        Args:
            text: The claim, as a report shows it.
            id: Id of the piece. A sentence is judged with its article, an edge or a chain with the edges of the claim.

        Raises:
            InputError: The text is not one claim, there is no such piece, or the judge gave no answer.
            StoreUnreachable, ModelUnreachable: As `gathered`.
        """
        statement(text)
        self._articles.refresh()
        claims, _ = self._split(readable(text), Linker(self._graph, remember=True), Silent())
        same = [each for each in claims if key_of(each.text, id) == key_of(text, id)] or list(claims)
        if len(same) != 1:
            seen = f"a text with {counted(len(claims), 'claim')}"
            raise InputError(seen, "the text of one claim, as ground shows it", "give one of its claims")
        evidence = self._evidence_with(same[0], id)
        found = next((each for each in pieces_of(evidence, "both") if each.id == id), None)
        if found is None:
            seen = f"no piece of evidence {id!r} on this claim"
            raise InputError(seen, "an id such as pmid:12345#s4 or edge:...", "see the ids in: truthhypo --json ground")
        judged = self._judge.judge_all([(same[0], evidence)])[0]["both"]
        if judged.verdict == "failed":
            remedy = "use another judge, or word the claim as one relation"
            raise InputError(f"the judge gave no stance: {judged.reason}", "a claim that the judge can judge", remedy)
        return same[0], found, judged.stances.get(id)

    def _evidence_with(self, claim: Claim, id: str) -> Evidence:
        if article := re.fullmatch(r"pmid:([1-9]\d{0,17})#s\d+", id, re.ASCII):
            return Evidence((), self._articles.read([int(article[1])])[0])
        steps = id.count(" ") // 2 if id.startswith("chain:") else 1
        return self._gatherer().gather(claim, Scope(hops=min(max(steps, 1), 4)))

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

    def _split(self, plain: str, linker: Linker, seen: Progress) -> tuple[tuple[Claim, ...], ReplyError | None]:
        """Return the claims of a text; if the model cannot split it, its whole sentences and the model's error."""
        apart = ModelClaims(linker, self._model).divided(plain) if self._model else None
        return apart or (RuleClaims(linker, seen).extract(plain), None)

    @property
    def _weights(self) -> str | None:
        return self._judge.weights if isinstance(self._judge, RuleJudge) else None

    def _gatherer(self) -> Gatherer:
        most = SENTENCES_FREELY if isinstance(self._judge, RuleJudge) else SENTENCES
        return Gatherer(self._graph, self._literature, self._articles, most)

    def _judged(
        self, claims: Sequence[Claim], found: Sequence[Evidence], lost: ReplyError | None, seen: Progress
    ) -> list[dict[Source, Judgement]]:
        """Return the judgements in the order of the claims. All are `failed` if the model could not split the text."""
        if lost is None:
            cases = list(zip(claims, found, strict=True))
            judged = self._judge.judge_all(cases, seen)
            pairs = zip(cases, judged, strict=True)
            return [with_marks(case, each, self._marks, obeyed=self._obeyed) for case, each in pairs]
        whole = failed(say("model", "undivided", seen=lost.seen), unanswered=isinstance(lost, CallFailed))
        return [dict.fromkeys(SOURCES, whole) for _ in claims]

    def _usage(self) -> Usage:
        return total(each.usage() for each in self._asked) if self._asked else NO_USAGE


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
