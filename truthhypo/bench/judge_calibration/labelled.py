"""Labelled pairs of claim and evidence, in the form that judges accept, and functions that read two public datasets.

BioRED contains relations between annotated concepts in an abstract. These relations become claims about linked
concepts, as in `ground`. Citation-Integrity contains sentences with verdicts by people, but no concepts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

from groundwork.files import read_text
from groundwork.language import sentences
from groundwork.linking import Mention
from knowhd.claims import Claim
from knowhd.judge import Verdict
from knowhd.pieces import Evidence, Passage
from truthhypo.bench.labelled_rows import rows

_CITATIONS: dict[str, Verdict] = {"SUPPORT": "supported", "REFUTE": "contradicted"}
_MARKER = re.compile(r"\[?<\|\w+\|>\]?")
_SIGNED = {"Positive_Correlation": 1, "Negative_Correlation": -1}
_VERBS = {1: "increases", -1: "decreases"}
#: Concept types of BioRED that have no relations.
_BYSTANDERS = frozenset({"OrganismTaxon", "CellLine"})


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, its evidence, the verdict of people, and the group of the pair. Pairs of a group are not independent."""

    claim: Claim
    evidence: Evidence
    label: Verdict
    group: str


def citation_integrity(claims: Path, corpus: Path) -> Iterator[Pair]:
    """Yield the pairs of Citation-Integrity. A pair is a citing claim and the abstract of the cited article.

    A claim without labelled evidence gets the label `not_enough`. Citation markers are removed from the claims.
    """
    passages = {row["doc_id"]: " ".join(row["abstract"]) for row in rows(corpus)}
    for row in rows(claims):
        labels = [given["label"] for pieces in row["evidence"].values() for given in pieces]
        label = _CITATIONS[labels[0]] if labels else "not_enough"
        text = " ".join(_MARKER.sub("", row["claim"]).split())
        yield Pair(_claim(text), _as_evidence(passages[row["cited_doc_ids"][0]]), label, str(row["id"]))


def biored(path: Path) -> Iterator[Pair]:
    """Yield claims from the signed relations of a BioRED file (PubTator format), with the abstract as evidence.

    Each signed relation yields the claim that it states (`supported`) and the opposite claim (`contradicted`). Each
    abstract also yields claims about unrelated pairs of its concepts (`not_enough`), at most one per signed relation.
    The concepts were annotated by people, so the pairs measure how well a judge reads, not how it links.

    Args:
        path: The file.
    """
    random = Random(0)  # noqa: S311 - a random sample, not a secret
    for block in read_text(path).strip().split("\n\n"):
        pmid, passages, names, relations = _annotated(block)
        evidence = Evidence((), passages)
        signed = [
            (a, b, _SIGNED[kind]) for kind, a, b in relations if kind in _SIGNED and a != b and {a, b} <= set(names)
        ]
        for a, b, sign in signed:
            yield Pair(_stated(names, a, b, sign), evidence, "supported", pmid)
            yield Pair(_stated(names, a, b, -sign), evidence, "contradicted", pmid)
        related = {frozenset((a, b)) for _, a, b in relations}
        free = [pair for pair in combinations(sorted(names), 2) if frozenset(pair) not in related]
        for a, b in random.sample(free, min(len(signed), len(free))):
            yield Pair(_stated(names, a, b, random.choice((1, -1))), evidence, "not_enough", pmid)


def pair_of(claim: str, evidence: str, label: Verdict, group: str) -> Pair:
    """Return a pair from plain texts, without concepts."""
    return Pair(_claim(claim), _as_evidence(evidence), label, group)


def evidence_of(pair: Pair) -> str:
    """Return a pair's evidence in a form for comparison: lower case, single spaces."""
    return " ".join(" ".join(passage.sentence for passage in pair.evidence.literature).lower().split())


def _claim(text: str, mentions: Sequence[Mention] = ()) -> Claim:
    keys = tuple(mention.key for mention in mentions if mention.key)
    return Claim(text, text, (0, len(text)), keys, (), tuple(mentions))


def _as_evidence(text: str) -> Evidence:
    """Return a text as evidence without concepts: the sentences of one article."""
    return Evidence((), tuple(_passage(1, n, s.text, ()) for n, s in enumerate(sentences(text))))


def _passage(pmid: int, number: int, text: str, mentions: tuple[Mention, ...]) -> Passage:
    return Passage(f"pmid:{pmid}#s{number}", pmid, "", text, 0.0, False, number, mentions)


class _Named(NamedTuple):
    """An annotated concept: its key and the text of its first mention."""

    key: str
    name: str


def _annotated(block: str) -> tuple[str, tuple[Passage, ...], dict[str, _Named], list[tuple[str, str, str]]]:
    """Parse a document in PubTator format.

    Return its PMID, its sentences with mentions, its concepts by id, and its relations as (kind, id, id).
    """
    title, abstract, *rows = block.splitlines()
    pmid, text = title.split("|", 2)[0], f"{title.split('|', 2)[2]} {abstract.split('|', 2)[2]}"
    names: dict[str, _Named] = {}
    marks: list[Mention] = []
    relations: list[tuple[str, str, str]] = []
    for fields in (row.split("\t") for row in rows):
        if not fields[1].isdigit():
            relations.append((fields[1], fields[2], fields[3]))
        elif fields[4] not in _BYSTANDERS:
            kind = "Disease" if fields[4].startswith("Disease") else fields[4]
            for ident in fields[5].split(","):
                names.setdefault(ident, _Named(f"{kind}|{ident}", fields[3]))
            key = f"{kind}|{fields[5].split(',')[0]}"
            marks.append(Mention(fields[3], int(fields[1]), int(fields[2]), key, fields[3], 1.0))
    passages = []
    for number, sentence in enumerate(sentences(text)):
        inside = [m for m in marks if sentence.start <= m.start and m.end <= sentence.end]
        passages.append(_passage(int(pmid), number, sentence.text, _without_overlaps(inside, sentence.start)))
    return pmid, tuple(passages), names, relations


def _without_overlaps(mentions: list[Mention], start: int) -> tuple[Mention, ...]:
    """Return mentions in order, with offsets relative to `start`. If mentions overlap, the first is kept."""
    kept: list[Mention] = []
    for m in sorted(mentions, key=lambda mention: mention.start):
        if not kept or m.start - start >= kept[-1].end:
            kept.append(Mention(m.text, m.start - start, m.end - start, m.key, m.name, m.score))
    return tuple(kept)


def _stated(names: dict[str, _Named], a: str, b: str, sign: int) -> Claim:
    """Return the claim that concept `a` increases or decreases concept `b`, with both concepts linked."""
    first, second = names[a], names[b]
    text = f"{first.name} {_VERBS[sign]} {second.name}."
    at = len(text) - 1 - len(second.name)
    return _claim(
        text,
        (
            Mention(first.name, 0, len(first.name), first.key, first.name, 1.0),
            Mention(second.name, at, at + len(second.name), second.key, second.name, 1.0),
        ),
    )
