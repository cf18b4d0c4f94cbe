"""Ids as documents write them, odd ones too, and their keys."""

from html import unescape

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groundwork.records import split_key
from ingest import identifiers


@pytest.mark.parametrize(
    ("type_name", "text", "keys"),
    [
        ("ChemicalEntity", "D003409", ["Chemical|MESH:D003409"]),
        ("Chemical", "C564766", ["Chemical|MESH:C564766"]),
        ("Chemical", "MESH:D003409", ["Chemical|MESH:D003409"]),
        ("Disease", "OMIM:614372", ["Disease|OMIM:614372"]),
        ("DiseaseOrPhenotypicFeature", "D017180|D014693", ["Disease|MESH:D017180", "Disease|MESH:D014693"]),
        ("Disease", "D014786|-1", ["Disease|MESH:D014786"]),
        ("Gene", "6528", ["Gene|6528"]),
        ("GeneOrGeneProduct", "5594,5595", ["Gene|5594", "Gene|5595"]),
        ("Gene", "6900;1491938", ["Gene|6900", "Gene|1491938"]),
        ("Gene", "6900;6900", ["Gene|6900"]),
        ("OrganismTaxon", "9606", ["Species|9606"]),
        ("CellLine", " CVCL_0224", ["CellLine|CVCL:0224"]),
        ("CellLine", "CVCL:0224", ["CellLine|CVCL:0224"]),
        ("SequenceVariant", "rs1800629", ["SNP|rs1800629"]),
        ("SequenceVariant", "c|DEL|1314_1328|", ["DNAMutation|c|DEL|1314_1328|"]),
        ("SequenceVariant", "g|SUB|G|135|C", ["DNAMutation|g|SUB|G|135|C"]),
        ("SequenceVariant", "m|SUB|A|3243|G", ["DNAMutation|m|SUB|A|3243|G"]),
        ("SequenceVariant", "p|FS|R|58||", ["ProteinMutation|p|FS|R|58||"]),
        ("SequenceVariant", "|INS|125_126|AA", ["Mutation||INS|125_126|AA"]),
        ("SequenceVariant", "p.G593S", ["Mutation|p.G593S"]),
        ("SequenceVariant", "10510452_139", ["Mutation|10510452_139"]),
        ("ProteinMutation", "p.R9H,K;RS#:1|2", ["ProteinMutation|p.R9H,K;RS#:1|2"]),
        ("DNAMutation", "HGVS:c.1385A&gt;G;RS#:5", ["DNAMutation|HGVS:c.1385A>G;RS#:5"]),
        ("DNAMutation", "Chr8:18765448-18804898del", ["DNAMutation|Chr8:18765448-18804898del"]),
        ("Chemical", "-", []),
        ("Disease", "-1", []),
        ("Chemical", "", []),
        ("SNP", "-", []),
        ("SequenceVariant", " ", []),
    ],
)
def test_keys(type_name, text, keys):
    assert list(identifiers.keys(type_name, text)) == keys


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("007", 7),
        ("38200000", 38200000),
        *((text, None) for text in ("0", "-5", "1.0", "", "٣", "1e3", "9" * 19, " 5", "True")),
    ],
)
def test_pmids_are_positive_integers_in_plain_digits(text, number):
    assert identifiers.pmid(text) == number


variant_ids = st.text("cgmp|.>_,;:+-#0123456789ACGTRSHV&ltrs ", min_size=1)


@given(variant_ids, st.sampled_from(["SNP", "DNAMutation", "ProteinMutation", "Mutation", "SequenceVariant"]))
def test_a_variant_id_is_never_split_and_never_changed(text, type_name):
    plain = unescape(text).strip()
    assume(plain not in {"", "-", "-1"})
    (key,) = identifiers.keys(type_name, text)
    assert split_key(key)[1] == plain


numbers = st.lists(st.integers(1, 10**7).map(str), min_size=1, max_size=6)


@given(numbers, st.sampled_from([",", "|", ";", "; "]))
def test_joined_ids_come_apart_in_order_each_once(ids, separator):
    assert identifiers.keys("Gene", separator.join(ids)) == tuple(f"Gene|{i}" for i in dict.fromkeys(ids))


@given(numbers, st.sampled_from([",", "|", ";"]))
def test_unnormalised_parts_of_joined_ids_are_dropped(ids, separator):
    text = separator.join(["-", *ids, "-1", ""])
    assert identifiers.keys("Gene", text) == identifiers.keys("Gene", separator.join(ids))


R237H = "HGVS:p.R237H;CorrespondingGene:2670"


@pytest.mark.parametrize(
    ("one", "other", "agreement"),
    [
        ("tmVar:rs1800629;VariantGroup:4;CorrespondingGene:7124;RS#:1800629", "RS#:1800629;CorrespondingGene:7124", 2),
        ("tmVar:p|SUB|R|237|H;HGVS:p.R237H;VariantGroup:0;OriginalGene:24387;CorrespondingGene:2670", R237H, 2),
        ("rs5", "RS#:5", 1),
        ("RS#:5;HGVS:c.1A>G;CorrespondingGene:2", "RS#:5;HGVS:c.1A>G;CorrespondingGene:2", 3),
        (R237H, "HGVS:p.R237H;CorrespondingGene:14580", 0),  # the same change in another gene
        (R237H, "HGVS:p.R237H", 0),  # one names no gene
        (R237H, "HGVS:p.R237C;CorrespondingGene:2670", 0),  # another change in the same gene
        ("RS#:5;CorrespondingGene:7", "RS#:6;CorrespondingGene:7", 0),
        ("c|DEL|1|A", "c|DEL|1|A", 0),  # no part is recognised; equal keys are found without comparing parts
        ("", "", 0),
    ],
)
def test_variants_agree_only_by_rs_number_or_by_hgvs_and_gene(one, other, agreement):
    assert identifiers.variant(one).agreement(identifiers.variant(other)) == agreement
    assert identifiers.variant(other).agreement(identifiers.variant(one)) == agreement
