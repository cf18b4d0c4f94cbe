"""The report on a judged text: its claims with evidence, verdicts and counts of articles, and the groundedness."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from groundwork.linking import Mention
from groundwork.pictures import BLUE, GREY, ORANGE
from groundwork.records import Record
from groundwork.records.base import counted, listed, number
from groundwork.statistics import Interval
from groundwork.study import DESIGNS
from knowhd.calibration import Calibration
from knowhd.claims import Claim
from knowhd.gather import ENDS
from knowhd.groundedness import Aggregates
from knowhd.judge import CONTRARY, SOURCES, Judgement, Source, Stance, Verdict, articles, pieces_of, sides
from knowhd.pieces import KINDS, Bearing, Evidence, Kind, Passage, Piece, Trail, related, say
from knowhd.pieces import listed as joined
from knowhd.prompt import keys_of

if TYPE_CHECKING:
    from altair import FacetChart
    from pandas import DataFrame

    from groundwork.pictures import Statement

#: Stands for the design of articles whose design is not known.
UNKNOWN = "unknown"

#: Maximum number of claims that a notebook shows.
SHOWN = 50

#: Number of articles by design, in the order of `DESIGNS`.
Designs = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ArticleCounts(Record):
    """What the articles of the literature that name all concepts of a claim say about it.

    Each article counts once: `supports` + `contradicts` + `denies` + `both` + `silent` = `read` <= `named`.

    Attributes:
        named: Number of articles in the literature, within the limits of the judgement, that name all concepts of the
            claim: in words, by one of the names for which is searched, or as annotated in an article that was read.
        read: Those whose sentences the judge read.
        supports: Those that only support the claim.
        contradicts: Those that state the opposite of the claim.
        denies: Those that state that there is no such relation.
        both: Those with sentences on both sides.
        silent: Those that take no side.
    """

    named: int
    read: int
    supports: int
    contradicts: int
    denies: int
    both: int
    silent: int


def article_counts(evidence: Evidence, concepts: int) -> ArticleCounts | None:
    """Return the counts for a claim, given its evidence with stances; None if the articles were not counted.

    A sentence may name a concept by a name for which was not searched. Its article counts if it takes a side, or if it
    is about both ends and the claim has no other concepts (`concepts` is 2).
    """
    if evidence.naming is None:
        return None
    sentences = [each for each in evidence.literature if each.stance is not None]
    sides = {side: articles(each for each in sentences if each.stance == side) for side in CONTRARY}
    both = sides["supports"] & sides["contradicts"]
    against = sides["contradicts"] - both
    denying = against & articles(each for each in sentences if each.denied)
    about = {*CONTRARY, "about_both"} if concepts == 2 else {*CONTRARY}
    naming = evidence.read | articles(each for each in sentences if each.stance in about)
    return ArticleCounts(
        named=evidence.naming + len(naming - evidence.read),
        read=len(naming),
        supports=len(sides["supports"] - both),
        contradicts=len(against - denying),
        denies=len(denying),
        both=len(both),
        silent=len(naming - sides["supports"] - sides["contradicts"]),
    )


def counts_in_words(counts: ArticleCounts, concepts: int) -> str:
    """Return as one sentence how many articles were read, and how many of them take no side; empty if there are none.

    Only this sentence says that no article states the opposite, because the opposite was looked for.

    Args:
        counts: The counts.
        concepts: Number of concepts of the claim.
    """
    if not counts.named:
        return ""
    every = say("counts", "ends") if concepts == 2 else say("counts", "concepts", number=str(concepts))
    begin = say("counts", "begin", articles=counted(counts.named, "article"), s="s" * (counts.named == 1), every=every)
    read = say("counts", "read", read=f"{counts.read:,}", silent=f"{counts.silent:,}", s="s" * (counts.silent == 1))
    unopposed = ""
    if counts.supports and counts.supports + counts.silent == counts.read:
        unopposed = "no_opposite" if counts.read == counts.named else "no_opposite_read"
    return f"{begin} {read}{say('counts', unopposed) if unopposed else ''}."


def by_design(sentences: Iterable[Passage]) -> dict[Stance, Designs]:
    """Return for each side the number of articles by design, each article once for each side that it takes.

    Args:
        sentences: Sentences of articles with their stances.
    """
    decided = list(sentences)
    return {side: _counted(each for each in decided if each.stance == side) for side in CONTRARY}


def designs_in_words(sentences: Iterable[Passage]) -> str:
    """Return the numbers of `by_design` as one sentence; empty if no design is known.

    Articles that deny a relation are named apart from those that state the opposite.
    """
    decided = [each for each in sentences if each.stance in CONTRARY]
    denying = {each.pmid for each in decided if each.denied}
    groups = {
        "supports": [each for each in decided if each.stance == "supports"],
        "contradicts": [each for each in decided if each.stance == "contradicts" and each.pmid not in denying],
        "denies": [each for each in decided if each.stance == "contradicts" and each.pmid in denying],
    }
    if all(each.design is None for each in decided):
        return ""
    told = [say("designs", name, studies=_studies(_counted(group))) for name, group in groups.items() if group]
    whole = "; ".join(told)
    return f"{whole[0].upper()}{whole[1:]}."


def _counted(sentences: Iterable[Passage]) -> Designs:
    of_article = {each.pmid: each.design or UNKNOWN for each in sentences}
    found = list(of_article.values())
    return {design: found.count(design) for design in (*DESIGNS, UNKNOWN) if design in found}


def _studies(counts: Designs) -> str:
    """Return numbers of articles as words: "1 randomised trial and 2 animal studies"."""
    nouns = {design: say("studies", design).split("|") for design in counts}
    return joined([f"{count:,} {nouns[design][count > 1]}" for design, count in counts.items()], "and")


#: The columns, in order. Some columns have a list in each row.
CLAIM_COLUMNS = (
    "claim",
    "sentence",
    "start",
    "end",
    "concepts",
    "names",
    *(f"verdict_{source}" for source in SOURCES),
    "reason",
    "flags",
    "cited",
    *(f"groundedness_{source}" for source in SOURCES),
    "model",
)


def claim_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each claim of a report (in the form of `GroundReport.to_dict`).

    A text without claims, or the record of a text that could not be judged, gives one row.
    """
    grounded = record.get("groundedness") or {}
    whole = {f"groundedness_{source}": grounded.get(source) for source in SOURCES} | {"model": record.get("model")}
    for claim in record.get("claims") or [{}]:
        names = {mention["key"]: mention["name"] for mention in claim.get("mentions", ())}
        start, end = claim.get("span", (None, None))
        yield {
            **whole,
            **{name: claim.get(name) for name in ("sentence", "reason", "flags", "cited", "concepts")},
            **{f"verdict_{source}": claim.get("verdicts", {}).get(source) for source in SOURCES},
            "claim": claim.get("text"),
            "start": start,
            "end": end,
            "names": [names.get(key) for key in claim["concepts"]] if claim else None,
        }


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
        from groundwork.pictures import bars, offline

        rows = [row for number, claim in enumerate(self.claims, 1) for row in _bars(number, claim)]
        drawn = bars(rows, _KINDS, "articles", f"Articles for and against each of {len(self.claims)} claims")
        return offline(drawn.encode(yOffset="order:O").facet("source:N"))

    def __repr__(self) -> str:
        scores = ", ".join(f"{source} {number(value)}" for source, value in self.groundedness.items())
        lines = (f"{claim.verdicts['both']:14} {claim.text}" for claim in self.claims)
        return listed(f"Groundedness: {scores} ({counted(len(self.claims), 'claim')}, judged by {self.model})", lines)

    def _repr_html_(self) -> str:
        from groundwork.pictures import html

        scores = ", ".join(f"{source} {number(value)}" for source, value in self.groundedness.items())
        where = f"on {', '.join(self.release_labels or self.release)}" if self.release else "without a release"
        facts = f"{counted(len(self.claims), 'claim')}, judged by {self.model}, {where}"
        claims = [_statement(claim, self.names) for claim in self.claims[:SHOWN]]
        return html(f"Groundedness: {scores}", facts, claims, len(self.claims) - len(claims))

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


#: Colour and symbol for each effect of a piece of evidence on a claim.
_KINDS = {"supports": (BLUE, "✔"), "contradicts": (ORANGE, "✖"), "decides nothing": (GREY, "○")}


def _bars(number: int, claim: ClaimReport) -> list[dict[str, str | int]]:
    articles: dict[tuple[str, str], set[int]] = {}
    for source, pieces in (("graph", claim.evidence.graph), ("literature", claim.evidence.literature)):
        for piece in pieces:
            kind = piece.stance if piece.stance in _KINDS else "decides nothing"
            found = {piece.pmid} if isinstance(piece, Passage) else piece.every
            articles.setdefault((source, str(kind)), set()).update(found)
    shared = {"label": f"{number}. {claim.text}", "text": claim.text}
    return [
        {**shared, "source": source, "kind": kind, "order": list(_KINDS).index(kind), "value": len(found)}
        for (source, kind), found in articles.items()
    ]


def _statement(claim: ClaimReport, names: Mapping[str, str]) -> "Statement":
    """Return a claim with its verdict and evidence, cited pieces first, to be shown in a notebook."""
    from groundwork.pictures import Piece as Shown
    from groundwork.pictures import Statement

    found = sorted(pieces_of(claim.evidence, "both"), key=lambda piece: piece.id not in claim.cited)
    pieces = [
        Shown(
            (piece.stance or "not judged").replace("_", " "),
            _words(piece, names),
            (piece.pmid,) if isinstance(piece, Passage) else piece.pmids,
            bool(piece.retracted),
        )
        for piece in found
    ]
    verdict = claim.verdicts["both"]
    rest = ", ".join(f"{source} {claim.verdicts[source].replace('_', ' ')}" for source in ("graph", "literature"))
    return Statement(verdict, verdict.replace("_", " "), claim.text, f"{claim.reason} ({rest})", claim.flags, pieces)


def _words(piece: Piece, names: Mapping[str, str]) -> str:
    if isinstance(piece, Passage):
        return piece.sentence
    told = ", ".join(related(each, names) for each in (piece.hops if isinstance(piece, Trail) else [piece]))
    return f"{told} ({counted(piece.articles, 'article')})"
