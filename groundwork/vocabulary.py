"""PubTator3's names of relations and entity types, and the canonical order of a pair."""

from groundwork.records import split_key

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
