"""Build the literature query for a claim: its words, and the names of its concepts (paper A, equation 1).

The choice of names decides what is found (MEASURED.md). Each concept is searched by the few names that the literature
uses most. In each article, only the name of the concept that matches best counts. The score of an article is the BM25
score of the claim, where any name of a concept may replace the name in the claim. So the threshold `Scope.tau` remains
a BM25 score, and more names can only raise the score of an article.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundwork.linking import Mention
from groundwork.reading.predicates import predicate_of, predicates_of
from groundwork.reading.repair import parse_mended
from groundwork.records import Concept
from groundwork.vocabulary import VARIANTS
from knowhd.claims.claims import Claim
from knowhd.claims.phrases import is_denied

#: Number of names per concept beside the name in the claim, most frequent first. Measured on 800 claims from the
#: training abstracts, without the names that occur only in the source abstract of the claim: the source abstract is the
#: first result for a share of .500 of the claims with 3 names, .504 with 4, .511 with 6 and .509 with 9.
NAMES = 6

#: Words by which an article says that there is no such relation.
_DENIALS = (
    "absence differ difference fail independent ineffective lack neither nor unable unaffected unaltered unchanged "
    "unrelated without"
)
_WORD = re.compile(r"[^\W_]+")
_CHANGE = re.compile(r"([cgmnp])\|SUB\|([^|]*)\|(\d+)\|([^|]*)")
_HGVS = re.compile(r"HGVS:[cgmnp]\.([^;]+)")
_NUMBER = re.compile(r"(?:^|RS#:|;)(?:rs)?(\d{3,})(?=;|$)")
_THREE = "Ala Arg Asn Asp Cys Gln Glu Gly His Ile Leu Lys Met Phe Pro Ser Thr Trp Tyr Val Ter"
_RESIDUES = dict(zip("ARNDCQEGHILKMFPSTWYVX", _THREE.split(), strict=True))


@dataclass(frozen=True, slots=True)
class Query:
    """Arguments of `LiteratureReader.search`: the claim's words without its concepts, and the names of each concept."""

    text: str
    names: tuple[tuple[str, ...], ...]


def query(claim: Claim, concepts: Mapping[str, Concept]) -> Query:
    """Return the query for a claim, given the concepts that it names, by key, as far as the graph knows them."""
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


def contrary_text(claim: Claim) -> str:
    """Return words that articles use which state the opposite of a claim, or deny it.

    These are predicates of the other sign, and words of denial ("not" and "no" are not indexed). If the claim itself
    denies something, its own words state the opposite.
    """
    if is_denied(claim.text):
        return query(claim, {}).text
    tree = parse_mended(claim.text, [mention for mention in claim.mentions if mention.key])
    sign = predicate_of([word for word in tree.words if word.mention is None]).sign
    return " ".join([*(predicates_of(-sign) if sign else ()), _DENIALS])


def _names(mention: Mention, concept: Concept | None) -> Iterator[str]:
    """Yield the name in the claim, then the most frequent other names. Names with the same words count as one."""
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
    """Return the words of a name in a form that ignores case, word order, plural and punctuation."""
    return tuple(sorted({word.rstrip("s") for word in _WORD.findall(name.casefold())}))


def _spelled(key: str) -> Iterator[str]:
    """Yield the spellings of a variant, derived from its id: rs1800566, V66M and Val66Met, 677C>T and C677T."""
    kind, _, ident = key.partition("|")
    if kind not in VARIANTS:
        return
    if number := _NUMBER.search(ident):
        yield f"rs{number[1]}"
    if told := _HGVS.search(ident):
        yield told[1]
    if change := _CHANGE.search(ident):
        level, old, place, new = change.groups()
        yield f"{old}{place}{new}"
        if level != "p":
            yield f"{place}{old}>{new}"
        elif old in _RESIDUES and new in _RESIDUES:
            yield f"{_RESIDUES[old]}{place}{_RESIDUES[new]}"
