"""What the literature is asked about a claim: its words, and the names of what it names (paper A, equation 1).

Naming decides what is found (QUALITY.md). So each concept is asked for by the few names that the literature uses for it
most, and an article counts by the one that suits it best. A claim's score for an article is then BM25 of the claim,
worded with its own names, where another name of the same concept counts as much as the claim's own: tau stays a BM25
score, and more names can only bring an article nearer to the claim.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundwork.linking import Mention
from groundwork.records import Concept
from groundwork.spelling import comparable
from groundwork.vocabulary import VARIANTS
from knowhd.claims import Claim

#: How many names of a concept are asked for beside the claim's own, the most frequent: on claims from the training part
#: of BioRED and BC5CDR three find less, and eight no more (QUALITY.md).
NAMES = 4

_CHANGE = re.compile(r"[cgmn]\|SUB\|([^|]*)\|(\d+)\|([^|]*)")
_EXCHANGE = re.compile(r"p\|SUB\|([A-Z])\|(\d+)\|([A-Z])")
_HGVS = re.compile(r"HGVS:[cgmnp]\.([^;]+)")
_NUMBER = re.compile(r"(?:^|RS#:|;)(?:rs)?(\d{3,})(?=;|$)")
_THREE = "Ala Arg Asn Asp Cys Gln Glu Gly His Ile Leu Lys Met Phe Pro Ser Thr Trp Tyr Val Ter"
_RESIDUES = dict(zip("ARNDCQEGHILKMFPSTWYVX", _THREE.split(), strict=True))


@dataclass(frozen=True, slots=True)
class Query:
    """What `LiteratureReader.search` takes: the claim's words but for its names, and for each concept its names."""

    text: str
    names: tuple[tuple[str, ...], ...]


def query(claim: Claim, concepts: Mapping[str, Concept]) -> Query:
    """The query of a claim.

    Args:
        claim: The claim; where it names what is told by its mentions.
        concepts: The concepts of the graph that it names, as far as they are known.
    """
    words: list[str] = []
    names: list[tuple[str, ...]] = []
    end = 0
    for mention in sorted(claim.mentions, key=lambda mention: mention.start):
        if mention.key is None or mention.start < end:
            continue
        words.append(claim.text[end : mention.start])
        names.append(tuple(_names(mention, concepts.get(mention.key))))
        end = mention.end
    return Query(" ".join([*words, claim.text[end:]]), tuple(names))


def _names(mention: Mention, concept: Concept | None) -> Iterator[str]:
    """The claim's own name, then the most frequent others; names but for case and hyphens alike are one."""
    known = concept.synonyms if concept is not None else (mention.name or "",)
    seen = {comparable(mention.text), ""}
    yield mention.text
    for name in [*known, *_spelled(mention.key or "")]:
        if comparable(name) not in seen and len(seen) < NAMES + 2:
            seen.add(comparable(name))
            yield name


def _spelled(key: str) -> Iterator[str]:
    """How texts write a variant whose id says what it is: rs1800566, V66M and Val66Met, 677C>T and C677T."""
    kind, _, ident = key.partition("|")
    if kind not in VARIANTS:
        return
    if number := _NUMBER.search(ident):
        yield f"rs{number[1]}"
    if told := _HGVS.search(ident):
        yield told[1]
    if exchange := _EXCHANGE.search(ident):
        old, place, new = exchange.groups()
        yield f"{old}{place}{new}"
        if old in _RESIDUES and new in _RESIDUES:
            yield f"{_RESIDUES[old]}{place}{_RESIDUES[new]}"
    if change := _CHANGE.search(ident):
        old, place, new = change.groups()
        yield f"{place}{old}>{new}"
        yield f"{old}{place}{new}"
