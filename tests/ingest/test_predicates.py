"""Every rule of the translation to the relation names of PubTator3's bulk files."""

import pytest

from groundwork.vocabulary import RELATIONS, TYPES, VARIANTS
from ingest import identifiers

#: Types of a pair, and the bulk names of its Positive_ and Negative_Correlation.
CORRELATIONS = [
    ("Chemical", "Disease", "cause", "treat"),
    ("Disease", "Gene", "stimulate", "inhibit"),
    ("Chemical", "Chemical", "positive_correlate", "negative_correlate"),
    ("Chemical", "Gene", "positive_correlate", "negative_correlate"),
    ("Gene", "Gene", "positive_correlate", "negative_correlate"),
    ("Disease", "Disease", "positive_correlate", "negative_correlate"),
    ("Chemical", "Species", "positive_correlate", "negative_correlate"),
    ("CellLine", "Gene", "positive_correlate", "negative_correlate"),
    *((("Disease", variant, "cause", "prevent")) for variant in sorted(VARIANTS)),
    *((("Chemical", variant, "stimulate", "inhibit")) for variant in sorted(VARIANTS)),
    *((("Gene", variant, "positive_correlate", "negative_correlate")) for variant in sorted(VARIANTS)),
    *((("SNP", variant, "positive_correlate", "negative_correlate")) for variant in sorted(VARIANTS)),
]

#: Names that become the same relation for any pair.
PLAIN = [
    ("Association", "associate"),
    ("Bind", "interact"),
    ("Comparison", "compare"),
    ("Conversion", "convert"),
    ("Cotreatment", "cotreat"),
    ("Drug_Interaction", "drug_interact"),
    ("CID", "cause"),
]


@pytest.mark.parametrize(("one", "other", "positive", "negative"), CORRELATIONS)
def test_correlations_are_named_by_the_pair_in_either_order(one, other, positive, negative):
    for pair in ((one, other), (other, one)):
        assert identifiers.rewritten_relation("Positive_Correlation", *pair) == positive
        assert identifiers.rewritten_relation("Negative_Correlation", *pair) == negative


@pytest.mark.parametrize(("name", "relation"), PLAIN)
@pytest.mark.parametrize("pair", [("Chemical", "Disease"), ("Gene", "Gene"), ("SNP", "Species")])
def test_other_names_are_the_same_for_any_pair(name, relation, pair):
    assert identifiers.rewritten_relation(name, *pair) == relation


@pytest.mark.parametrize("relation", RELATIONS)
def test_bulk_names_pass_through(relation):
    assert identifiers.rewritten_relation(relation, "Chemical", "Disease") == relation


@pytest.mark.parametrize("name", ["", "Regulates", "association", "ASSOCIATE", "Positive correlation", "cid"])
def test_unknown_names_are_not_guessed(name):
    assert identifiers.rewritten_relation(name, "Chemical", "Disease") is None
    assert not identifiers.known_relation(name)


def test_every_table_maps_to_names_of_the_vocabulary():
    names = [*identifiers.PLAIN, *identifiers.UNPAIRED, *RELATIONS]
    assert all(identifiers.known_relation(name) for name in names)
    assert {*identifiers.PLAIN.values(), *identifiers.UNPAIRED.values(), *identifiers.PAIRED.values()} <= set(RELATIONS)
    assert {name for name, _ in identifiers.PAIRED} == set(identifiers.UNPAIRED)


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("GeneOrGeneProduct", "Gene"),
        ("DiseaseOrPhenotypicFeature", "Disease"),
        ("ChemicalEntity", "Chemical"),
        ("OrganismTaxon", "Species"),
        ("CellLine", "CellLine"),
        ("SequenceVariant", identifiers.BY_ID),
        ("Variant", identifiers.BY_ID),
        *((name, name) for name in sorted(TYPES)),
        ("Chromosome", None),
        ("gene", None),
        ("", None),
    ],
)
def test_entity_types(name, type):
    assert identifiers.entity_type(name) == type
