"""The canonical order of a pair, and the signs of relations and verbs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.vocabulary import (
    CONTRADICTS,
    RELATION_SIGNS,
    RELATIONS,
    SIMILAR_TO,
    TYPES,
    VARIANTS,
    VERB_SIGNS,
    canonical,
    links,
    order,
    relation_sign,
)

KEYS = st.builds("{}|{}".format, st.sampled_from(sorted(TYPES)), st.text(min_size=1, max_size=4))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Chemical|MESH:D1", "Disease|MESH:D0"),
        ("Disease|MESH:D9", "Gene|1"),
        ("Gene|9", "SNP|rs1"),
        ("Gene|1956", "Gene|672"),
        ("SNP|rs1", "CellLine|CVCL_1"),
        ("CellLine|z", "Species|a"),
        ("ProteinMutation|a", "DNAMutation|b"),
        ("DNAMutation|a", "ProteinMutation|a"),
        ("Chemical|MESH:C562477", "Disease|MESH:C562477"),
    ],
)
def test_a_pair_is_put_into_the_promised_order(first, second):
    assert canonical(second, first) == canonical(first, second) == (first, second)


@given(KEYS, KEYS)
def test_a_pair_has_one_order_whichever_way_it_is_given(a, b):
    assert canonical(a, b) == canonical(b, a)
    assert set(canonical(a, b)) == {a, b}


@given(st.lists(KEYS, unique=True, max_size=6))
def test_the_order_is_total(keys):
    ordered = sorted(keys, key=order)
    assert all(canonical(a, b) == (a, b) for i, a in enumerate(ordered) for b in ordered[i:])
    assert len({order(key) for key in keys}) == len(keys)


def test_the_names_are_those_of_the_bulk_file():
    assert len(RELATIONS) == len(set(RELATIONS)) == 13
    assert list(RELATIONS) == sorted(RELATIONS)
    assert VARIANTS < TYPES
    assert not {SIMILAR_TO, CONTRADICTS} & set(RELATIONS)


def test_signs_are_those_of_the_contract():
    signed = {sign: {name for name in RELATIONS if relation_sign(name) == sign} for sign in (1, -1, 0)}
    assert signed[1] == {"positive_correlate", "stimulate", "cause"}
    assert signed[-1] == {"negative_correlate", "inhibit", "treat", "prevent"}
    assert signed[0] == {"associate", "compare", "convert", "cotreat", "drug_interact", "interact"}
    assert relation_sign("TREAT") == relation_sign("treat")
    assert relation_sign(CONTRADICTS) == -1
    assert relation_sign(SIMILAR_TO) == relation_sign("nonsense") == 0
    assert set(RELATION_SIGNS) <= {*RELATIONS, CONTRADICTS}
    assert {v for v, s in VERB_SIGNS.items() if s == 1} == {"increase", "raise", "activate", "induce", "upregulate"}
    assert {v for v, s in VERB_SIGNS.items() if s == -1} == {
        "decrease",
        "reduce",
        "lower",
        "block",
        "suppress",
        "downregulate",
    }


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Chemical|MESH:D019821", {"MeSH": "https://meshb.nlm.nih.gov/record/ui?ui=D019821"}),
        ("Disease|OMIM:114500", {"OMIM": "https://omim.org/entry/114500"}),
        ("Gene|7157", {"NCBI Gene": "https://www.ncbi.nlm.nih.gov/gene/7157"}),
        ("Species|9606", {"NCBI Taxonomy": "https://www.ncbi.nlm.nih.gov/datasets/taxonomy/9606"}),
        ("SNP|rs113488022", {"dbSNP": "https://www.ncbi.nlm.nih.gov/snp/rs113488022"}),
        ("SNP|RS#:113488022", {"dbSNP": "https://www.ncbi.nlm.nih.gov/snp/rs113488022"}),
        (
            "ProteinMutation|RS#:121908192;HGVS:c.581G>A;CorrespondingGene:2671",
            {"dbSNP": "https://www.ncbi.nlm.nih.gov/snp/rs121908192"},
        ),
        (
            "ProteinMutation|p|SUB|V|600|E;HGVS:p.V600E;CorrespondingGene:673;RS#:113488022",
            {"dbSNP": "https://www.ncbi.nlm.nih.gov/snp/rs113488022"},
        ),
        ("ProteinMutation|HGVS:p.V600E;CorrespondingGene:673", {}),
        ("Chemical|7157", {}),
    ],
)
def test_a_concept_is_linked_to_its_databases(key, expected):
    assert links(key) == expected
