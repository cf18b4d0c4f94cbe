"""Say whether a cited article states a claim: one verdict per article, and the sentence that decides.

A text may make several claims. An article contradicts the text if it contradicts one of its claims, and supports it if
it supports every claim. Each article is judged by itself: articles are not weighed against each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from groundwork.records import Abstract, Design, Record
from groundwork.records.base import listed
from groundwork.study import is_notice, study_of
from knowhd.claims import Claim
from knowhd.gather import Sentences
from knowhd.judge import Judgement, Stance, Verdict
from knowhd.pieces import Marked, Passage, say

CitationVerdict = Literal["supported", "contradicted", "not_stated", "not_loaded", "retracted", "not_found"]
CITATION_VERDICTS: tuple[CitationVerdict, ...] = get_args(CitationVerdict)


@dataclass(frozen=True, slots=True)
class CitedClaim(Record):
    """One claim of the text, and the verdict on it by one article."""

    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Citation(Record):
    """What one article says about a text.

    Attributes:
        pmid: The article; None for a text that was given instead of an article.
        verdict: `supported` or `contradicted`: the article states the text or its opposite. `not_stated`: it states
            neither, or the judge cannot tell (flag `unread`). `not_loaded`: the literature has no such article.
            `retracted`: the article was retracted, whatever it states (see `stance`). `not_found`: a manuscript cites
            something that is no article of the literature.
        sentence: The sentence that decides; None if none does, or if the judge scores whole articles.
        place: The place of this sentence, for example `title` or `results, sentence 5 of 9`.
        probability: Probability that the sentence takes this side, in [0, 1]; None if the judge gives none.
        reason: The reason, in a sentence.
        stance: The side that the article takes; None if it takes none.
        denied: Whether the sentence takes its side by denying a relation.
        title: Title of the article.
        design: The kind of study that it reports (see `groundwork.study`); None if unknown.
        organism: Name of the organism studied; None if unknown.
        claims: The claims of the text, each with its own verdict by this article.
        marked: A person's word on the sentence that decides, or else on another sentence; None without one.
        flags: Flags of the claims as in `ground` (`unread`, `partly`, `negated`, `mixed` ...); `failed` if a model gave
            no usable reply about a claim; `notice` if the document is a notice.
    """

    pmid: int | None
    verdict: CitationVerdict
    sentence: str | None = None
    place: str | None = None
    probability: float | None = None
    reason: str = ""
    stance: Stance | None = None
    denied: bool = False
    title: str = ""
    design: Design | None = None
    organism: str | None = None
    claims: tuple[CitedClaim, ...] = ()
    marked: Marked | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CitationReport(Record):
    """What each cited article says about a text.

    Attributes:
        claim: The text.
        citations: One entry per article, in the order in which they were given.
        error: Why the text could not be judged, with the fields `seen`, `wanted` and `remedy`; None if it was judged.
        model: Name of the judge.
        weights: SHA-256 of the weights of the judge by rules; None for other judges.
        release: The live releases of graph and literature, each as `SOURCE:ID`, sorted.
        usage: Calls and tokens of the language model for this text; all 0 with the rules.

    Example:
        >>> world.cite("Simvastatin lowers cholesterol.", [990000012]).citations[0].verdict
        'supported'
    """

    claim: str
    citations: tuple[Citation, ...]
    error: Mapping[str, str] | None
    model: str
    weights: str | None
    release: tuple[str, ...]
    usage: Mapping[str, float | None]

    def __repr__(self) -> str:
        heading = f"Citations of {self.claim!r}"
        return listed(heading, (f"{cited.verdict:13} PMID {cited.pmid}: {cited.reason}" for cited in self.citations))


def without_sentences(pmid: int, article: Abstract | None) -> Citation:
    """Return the citation of an article without sentences that count: one that is not loaded, or a notice."""
    if article is None:
        return Citation(pmid, "not_loaded", reason=say("citation", "not_loaded", pmid=pmid))
    flags = ("notice",) if is_notice(article.text) else ()
    reason = say("citation", "notice" if flags else "empty")
    study, title = study_of(article), article.text.title
    return Citation(
        pmid, "not_stated", reason=reason, title=title, design=study.design, organism=study.organism, flags=flags
    )


def judged_citation(
    article: Abstract | None, passages: Sentences, claims: Sequence[Claim], judgements: Sequence[Judgement]
) -> Citation:
    """Return the citation that follows from the judgements on each claim by the sentences of one article.

    Args:
        article: The article; None for a text that was given instead.
        passages: Its sentences.
        claims: The claims of the text.
        judgements: The judgement on each claim by these sentences alone.
    """
    side = _side([judgement.verdict for judgement in judgements])
    found = _deciding(passages, judgements, side) if side else None
    verdict: CitationVerdict = "supported" if side == "supports" else "contradicted" if side else "not_stated"
    study = study_of(article) if article else None
    withdrawn = article is not None and article.text.retracted
    place, denied = (None, False) if found is None else (_place(found[0], passages), found[2])
    marks = {key: mark for judged in judgements for key, mark in judged.marked.items()}
    source = "article" if article else "text"
    reasons = dict.fromkeys(
        say("citation", "silent", source=source) if _silent(judged) else judged.reason for judged in judgements
    )
    if not claims:
        reasons = {say("citation", "no_claim"): None}
    elif side and place and not marks:
        reasons = {say("citation", "denies" if denied else side, source=source, place=place): None}
    told = [say("citation", "retracted"), *reasons] if withdrawn else [*reasons]
    return Citation(
        pmid=article.pmid if article else None,
        verdict="retracted" if withdrawn else verdict,
        sentence=found[0].sentence if found else None,
        place=place,
        probability=found[1] if found else None,
        reason=" ".join(told),
        stance=side,
        denied=denied,
        title=article.text.title if article else "",
        design=study.design if study else None,
        organism=study.organism if study else None,
        claims=tuple(CitedClaim(c.text, judged.verdict) for c, judged in zip(claims, judgements, strict=True)),
        marked=marks.get(found[0].id) if found else next(iter(marks.values()), None),
        flags=tuple(dict.fromkeys(flag for flags in map(_flags, claims, judgements) for flag in flags)),
    )


def _flags(claim: Claim, judgement: Judgement) -> tuple[str, ...]:
    lost = judgement.verdict == "failed" and "unread" not in judgement.flags
    raised = {"failed": lost, "unanswered": judgement.unanswered, "mixed": judgement.mixed}
    return (*claim.flags, *judgement.flags, *(flag for flag, up in raised.items() if up))


def _silent(judgement: Judgement) -> bool:
    """Return whether no sentence names both ends of a claim. False for judges that do not read the ends."""
    bearings = {bearing for found in judgement.probabilities.values() for bearing in found}
    return bool(bearings or judgement.unrelated) and bearings <= {"about_one"} and not judgement.stances


def _side(verdicts: Sequence[Verdict]) -> Stance | None:
    """Return the side that an article takes on a text, given its verdict on each claim."""
    if "contradicted" in verdicts:
        return "contradicts"
    return "supports" if verdicts and set(verdicts) == {"supported"} else None


def _deciding(
    passages: Sentences, judgements: Sequence[Judgement], side: Stance
) -> tuple[Passage, float | None, bool] | None:
    """Return the sentence that takes the side most surely, its probability, and whether it denies a relation.

    The result is None if the judge judged the sentences together.
    """
    found = [
        (passage, judgement.probabilities.get(passage.id, {}).get(side), passage.id in judgement.denied)
        for judgement in judgements
        for passage in passages
        if judgement.stances.get(passage.id) == side and (not judgement.whole or len(passages) == 1)
    ]
    return max(found, key=lambda each: each[1] or 0.0, default=None)


def _place(passage: Passage, passages: Sentences) -> str:
    """Return the place of a sentence in its article."""
    if passage.section == "title":
        return "title"
    body = [each for each in passages if each.section != "title"]
    return f"{passage.section or 'abstract'}, sentence {body.index(passage) + 1} of {len(body)}"


#: The columns of a table of citations, in order.
CITATION_COLUMNS = (
    "claim",
    "pmid",
    "verdict",
    "sentence",
    "place",
    "probability",
    "stance",
    "denied",
    "reason",
    "title",
    "design",
    "organism",
    "flags",
    "model",
)


def citation_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each citation of a report (in the form of `CitationReport.to_dict`); without any, one row."""
    for cited in record.get("citations") or [{}]:
        row = {name: cited.get(name) for name in CITATION_COLUMNS}
        yield row | {"claim": record.get("claim"), "model": record.get("model")}
