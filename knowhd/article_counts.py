"""Count the articles for, against and silent on a claim, and those that take a side by the design of their studies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundwork.records import Record
from groundwork.records.shortened import counted
from groundwork.study import DESIGNS
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.judge import CONTRARY, Stance, articles
from knowhd.wording import listed, say

#: Stands for the design of articles whose design is not known.
UNKNOWN = "unknown"

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
    return listed([f"{count:,} {nouns[design][count > 1]}" for design, count in counts.items()], "and")
