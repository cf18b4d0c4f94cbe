"""What the literature is asked about a claim: its words, and the names of what it names (paper A, equation 1).

Naming decides what is found (MEASURED.md). So each concept is asked for by the few names that the literature uses most
for it, and an article counts by the one that suits it best. A claim's score for an article is then BM25 of the claim,
worded with its own names, where another name of the same concept counts as much as the claim's own: tau stays a BM25
score, and more names can only bring an article nearer to the claim.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundwork.linking import Mention
from groundwork.records import Concept
from groundwork.vocabulary import VARIANTS
from knowhd.claims.claims import Claim

#: How many names of a concept are asked for beside the claim's own, the most frequent. On 800 claims from the training
#: abstracts, without names from the source, 3 have it first in .500, 4 in .504, 6 in .511, 9 in .509.
NAMES = 6

_WORD = re.compile(r"[^\W_]+")
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
    """The claim's own name, then the most frequent others; names of the same words are one, and count together."""
    counts: Counter[tuple[str, ...]] = Counter()
    shown: dict[tuple[str, ...], str] = {}
    own = _words(mention.text)
    known = zip(concept.synonyms, concept.counts, strict=True) if concept is not None else [(mention.name or "", 1)]
    for name, count in known:
        words = _words(name)
        if words and words != own:
            shown.setdefault(words, name)
            counts[words] += count
    for name in _spelled(mention.key or ""):
        shown.setdefault(_words(name), name)
    yield mention.text
    yield from sorted(shown.values(), key=lambda name: -counts[_words(name)])[:NAMES]


def _words(name: str) -> tuple[str, ...]:
    """What names have in common that differ in case, order, number and what stands between their words."""
    return tuple(sorted({word.rstrip("s") for word in _WORD.findall(name.casefold())}))


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
