"""Names of relations and entity types in documents, and the corresponding names in PubTator's bulk files.

PubTator's relation names are the BioRED names, rewritten depending on the types of the two concepts. Between a chemical
and a disease, a positive correlation becomes `cause`, and a negative one becomes `treat`. A name that is in no table
here is unknown, and its row is rejected and counted.
"""

from collections.abc import Mapping

from groundwork.vocabulary import RELATIONS, VARIANTS

_POSITIVE = "Positive_Correlation"
_NEGATIVE = "Negative_Correlation"

#: Names that become the same relation for every pair of types.
PLAIN: Mapping[str, str] = {
    "Association": "associate",
    "Bind": "interact",
    "Comparison": "compare",
    "Conversion": "convert",
    "Cotreatment": "cotreat",
    "Drug_Interaction": "drug_interact",
    "CID": "cause",  # BC5CDR: chemical-induced disease
}

#: For correlations between two types whose pair is not in `PAIRED`: the name in the bulk files.
UNPAIRED: Mapping[str, str] = {_POSITIVE: "positive_correlate", _NEGATIVE: "negative_correlate"}

#: Correlations whose name in the bulk files depends on the two types, in either order. `Variant` is any variant type.
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

#: Stands for the exact type of a sequence variant if the document does not state the type. The type is then derived
#: from the id of the variant (`identifiers.variant_type`).
BY_ID = "Variant"

#: For each entity type in documents, the type in this program. The types of the bulk files stay the same.
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
    """Return this program's type for an entity type in a document; `BY_ID` if the id says the type, None if unknown."""
    return ENTITY_TYPES.get(name)


def rewrite(name: str, head_type: str, tail_type: str) -> str | None:
    """Return the name that PubTator's bulk files use for a relation of a document.

    Args:
        name: BioRED's name, BC5CDR's `CID`, or a bulk name, which is returned unchanged.
        head_type: Type of one of the two concepts, as in this program.
        tail_type: Type of the other concept; the order does not matter.

    Returns:
        A name in `vocabulary.RELATIONS`, or None if the name is unknown.
    """
    if name in RELATIONS:
        return name
    if name in PLAIN:
        return PLAIN[name]
    families = frozenset({_family(head_type), _family(tail_type)})
    return PAIRED.get((name, families)) or UNPAIRED.get(name)


def known(name: str) -> bool:
    """Return whether `rewrite` knows the name. This does not depend on the types of the two concepts."""
    return name in RELATIONS or name in PLAIN or name in UNPAIRED


def _family(type: str) -> str:
    return "Variant" if type in VARIANTS else type
