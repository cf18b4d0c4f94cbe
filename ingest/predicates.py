"""What documents call relations and entities, and what PubTator's bulk files call them. Tables, no cleverness.

PubTator's relation names are the BioRED names rewritten by the types of the pair: a chemical with a positive
correlation to a disease causes it, with a negative one treats it. A name that stands in no table here is unknown:
it is rejected and counted, never guessed.
"""

from collections.abc import Mapping

from groundwork.vocabulary import RELATIONS, VARIANTS

_POSITIVE = "Positive_Correlation"
_NEGATIVE = "Negative_Correlation"

#: Names that become the same relation whatever the pair.
PLAIN: Mapping[str, str] = {
    "Association": "associate",
    "Bind": "interact",
    "Comparison": "compare",
    "Conversion": "convert",
    "Cotreatment": "cotreat",
    "Drug_Interaction": "drug_interact",
    "CID": "cause",  # BC5CDR: chemical-induced disease
}

#: Correlations of any pair that `PAIRED` does not name.
UNPAIRED: Mapping[str, str] = {_POSITIVE: "positive_correlate", _NEGATIVE: "negative_correlate"}

#: Correlations that the bulk files name by the families of the pair (both orders; all variant types are one family).
PAIRED: Mapping[tuple[str, frozenset[str]], str] = {
    (_POSITIVE, frozenset({"Chemical", "Disease"})): "cause",
    (_NEGATIVE, frozenset({"Chemical", "Disease"})): "treat",
    (_POSITIVE, frozenset({"Disease", "Gene"})): "stimulate",
    (_NEGATIVE, frozenset({"Disease", "Gene"})): "inhibit",
    (_POSITIVE, frozenset({"Disease", "Variant"})): "cause",
    (_NEGATIVE, frozenset({"Disease", "Variant"})): "prevent",
    (_POSITIVE, frozenset({"Chemical", "Variant"})): "stimulate",
    (_NEGATIVE, frozenset({"Chemical", "Variant"})): "inhibit",
}

#: Relations whose columns have fixed types: BC5CDR writes the chemical first and the disease second.
COLUMN_TYPES: Mapping[str, tuple[str, str]] = {"CID": ("Chemical", "Disease")}

#: A sequence variant whose type its id tells (`identifiers.variant_type`).
BY_ID = "Variant"

#: Entity types as documents write them. Those of the bulk files stand for themselves.
ENTITY_TYPES: Mapping[str, str] = {
    "Chemical": "Chemical",
    "ChemicalEntity": "Chemical",
    "Disease": "Disease",
    "DiseaseOrPhenotypicFeature": "Disease",
    "Gene": "Gene",
    "GeneOrGeneProduct": "Gene",
    "Species": "Species",
    "OrganismTaxon": "Species",
    "CellLine": "CellLine",
    "DNAMutation": "DNAMutation",
    "ProteinMutation": "ProteinMutation",
    "SNP": "SNP",
    "Mutation": "Mutation",
    "SequenceVariant": BY_ID,
    "Variant": BY_ID,
}


def entity_type(name: str) -> str | None:
    """Our type for a document's entity type; `BY_ID` where the id decides it, None if the name is unknown."""
    return ENTITY_TYPES.get(name)


def rewrite(name: str, head_type: str, tail_type: str) -> str | None:
    """The bulk files' name of a document's relation.

    Args:
        name: BioRED's name, BC5CDR's `CID`, or a bulk name, which passes through.
        head_type: Our type of one end.
        tail_type: Our type of the other; the order does not matter.

    Returns:
        A name of `vocabulary.RELATIONS`, or None if the name is unknown.
    """
    if name in RELATIONS:
        return name
    if name in PLAIN:
        return PLAIN[name]
    families = frozenset({_family(head_type), _family(tail_type)})
    return PAIRED.get((name, families)) or UNPAIRED.get(name)


def known(name: str) -> bool:
    """Whether `rewrite` knows the name, whatever the pair."""
    return name in RELATIONS or name in PLAIN or name in UNPAIRED


def _family(type: str) -> str:
    return "Variant" if type in VARIANTS else type
