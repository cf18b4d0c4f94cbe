"""PubTator3's names of relations and entity types, the signs of relations and verbs, and links for concepts.

The sign of a relation says whether more of the head means more or less of the tail. `associate`, `interact`, `compare`,
`cotreat`, `drug_interact` and `convert` state that a relation exists but not its direction, so they have no sign.
"""

import re
from collections.abc import Iterable, Mapping
from math import prod
from typing import Literal, cast

#: Relation types of relation2pubtator3 in lower case. `convert` is documented, but was not seen in the bulk file.
RELATIONS: tuple[str, ...] = (
    "associate",
    "cause",
    "compare",
    "convert",
    "cotreat",
    "drug_interact",
    "inhibit",
    "interact",
    "negative_correlate",
    "positive_correlate",
    "prevent",
    "stimulate",
    "treat",
)

#: Types of sequence variants; in the canonical order, all of them count as one type.
VARIANTS: frozenset[str] = frozenset({"DNAMutation", "ProteinMutation", "SNP", "Mutation"})

#: Entity types of PubTator3's files.
TYPES: frozenset[str] = frozenset({"Chemical", "Disease", "Gene", "Species", "CellLine"}) | VARIANTS

#: Kinds of links other than relations.
SIMILAR_TO = "similar_to"
CONTRADICTS = "contradicts"

_RANK = {"Chemical": "0", "Disease": "1", "Gene": "2"}


def split_key(key: str) -> tuple[str, str]:
    """Return the type and the id of a key, split at the first bar only (`Gene|7157` -> `Gene`, `7157`)."""
    kind, _, ident = key.partition("|")
    return kind, ident


def order(key: str) -> tuple[str, str, str]:
    """Return the sort key of the canonical order, which compares types first, then ids.

    The types are ordered Chemical, Disease, Gene, variants (by id, then by type), and other types by name.
    Ids are compared as strings of code points, so `Gene|1956` comes before `Gene|672`.
    """
    kind, ident = split_key(key)
    rank = "3" if kind in VARIANTS else _RANK.get(kind, "4" + kind)
    return rank, ident, kind


def canonical(a: str, b: str) -> tuple[str, str]:
    """Return the pair in canonical order. The order has no meaning: relations are undirected."""
    return (a, b) if order(a) <= order(b) else (b, a)


Sign = Literal[-1, 0, 1]

RELATION_SIGNS: dict[str, Sign] = {
    "positive_correlate": 1,
    "stimulate": 1,
    "cause": 1,
    "negative_correlate": -1,
    "inhibit": -1,
    "treat": -1,
    "prevent": -1,
    "contradicts": -1,
}

#: Lemmas with their own sign; any other verb takes the sign of the relation that it maps to.
VERB_SIGNS: dict[str, Sign] = {
    "increase": 1,
    "raise": 1,
    "activate": 1,
    "induce": 1,
    "upregulate": 1,
    "decrease": -1,
    "reduce": -1,
    "lower": -1,
    "block": -1,
    "suppress": -1,
    "downregulate": -1,
}


def relation_sign(relation: str) -> Sign:
    """Return the sign of a relation: +1, -1, or 0 if it has none. The name may be in upper or lower case."""
    return RELATION_SIGNS.get(relation.lower(), 0)


def path_sign(relations: Iterable[str]) -> Sign:
    """Return the product of the signs of relations; 0 if one of them has no sign.

    Paper B (see docs/scores/index.md) reads the sign of a path in this way.
    """
    return cast(Sign, prod(map(relation_sign, relations)))


#: Name of the database; pattern of its ids; address, into which the group of the pattern is inserted; the only type of
#: concept that gets this link, or "" for all types.
_PLACES = (
    ("MeSH", re.compile(r"MESH:(.+)"), "https://meshb.nlm.nih.gov/record/ui?ui={}", ""),
    ("OMIM", re.compile(r"OMIM:(\d+)"), "https://omim.org/entry/{}", ""),
    ("NCBI Gene", re.compile(r"(\d+)"), "https://www.ncbi.nlm.nih.gov/gene/{}", "Gene"),
    ("NCBI Taxonomy", re.compile(r"(\d+)"), "https://www.ncbi.nlm.nih.gov/datasets/taxonomy/{}", "Species"),
    ("dbSNP", re.compile(r"(?i:.*RS#:(?:rs)?|rs)(\d+)(?:;.*)?"), "https://www.ncbi.nlm.nih.gov/snp/rs{}", ""),
    ("Cellosaurus", re.compile(r"CVCL[_:](\w+)"), "https://www.cellosaurus.org/CVCL_{}", ""),
)


def links(key: str) -> Mapping[str, str]:
    """Return the addresses of the pages about a concept, by database; empty if no database is known for its id."""
    kind, ident = split_key(key)
    found = ((name, pattern.fullmatch(ident), place, only) for name, pattern, place, only in _PLACES)
    return {name: place.format(match[1]) for name, match, place, only in found if match and only in ("", kind)}
