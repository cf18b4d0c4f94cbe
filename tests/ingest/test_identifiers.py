"""Ids as files write them, odd ones too, and their keys. Annotated variants are joined with the variants of edges."""

from html import unescape

import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groundwork.ports import Silent
from groundwork.records import split_key
from groundwork.vocabulary import TYPES, VARIANTS
from ingest import concepts, identifiers, relations
from ingest.identifiers import Variants
from ingest.rejects import Reason, Rejects, RowCount
from ingest.release import SourceFile
from tests.ingest.oracle import Load, concepts_of
from tests.ingest.reading import documents
from tests.ingest.test_load import Stores

V600E = "ProteinMutation|RS#:113488022;HGVS:p.V600E;CorrespondingGene:673"
V600K = "ProteinMutation|RS#:113488022;HGVS:p.V600K;CorrespondingGene:673"
RS_ONLY = "SNP|RS#:113488022;CorrespondingGene:673"
NO_RS = "ProteinMutation|HGVS:p.V600E;CorrespondingGene:673"
ANNOTATED = "Mutation|tmVar:p|SUB|V|600|E;HGVS:p.V600E;VariantGroup:0;CorrespondingGene:673;RS#:113488022"
NO_GENE = "Mutation|tmVar:p|SUB|V|600|E;HGVS:p.V600E;VariantGroup:0"


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
        ("Gene", "41614(Tax:7227)", ["Gene|41614"]),
        ("Gene", " 41614 (Tax:7227) ", ["Gene|41614"]),
        ("Gene", "41614(Tax:7227);41615(Tax:7227)", ["Gene|41614", "Gene|41615"]),
        ("Gene", "7, 8|9 ;8", ["Gene|7", "Gene|8", "Gene|9"]),
        ("Gene", "\u00a07\u2003", ["Gene|7"]),
        ("Gene", "1|None;2", ["Gene|1", "Gene|2"]),
        ("Gene", "41614(tax: 7227)", ["Gene|41614"]),
        ("Disease", "MESH: D009369", ["Disease|MESH:D009369"]),
        ("Disease", "mesh:d009369", ["Disease|MESH:D009369"]),
        ("Chemical", "NA", ["Chemical|NA"]),
        ("SNP", "RS#:5;HGVS:", ["SNP|RS#:5;HGVS:"]),
        ("DNAMutation", " c.1A&gt;G(Tax:1) ", ["DNAMutation|c.1A>G(Tax:1)"]),
        ("Chemical", "x" * 503, ["Chemical|" + "x" * 503]),
        ("Chemical", "x" * 504, ["long_key"]),
        ("Chemical", "é" * 252, ["long_key"]),
        ("Gene", "7;" + "8" * 508, ["long_key"]),
        ("SNP", "&gt;" * 509, ["long_key"]),
        ("SNP", "&gt;" * 508, ["SNP|" + ">" * 508]),
        *(
            (type_name, text, ["empty_id"])
            for type_name in ("Chemical", "Gene", "SNP", "SequenceVariant")
            for text in (
                "-",
                "-1",
                "",
                " ",
                "\u00a0",
                "None",
                " None ",
                "MESH:",
                "MESH:-",
                "MESH: -",
                "OMIM:None",
                "MESH:NONE",
                "&#45;",
            )
        ),
        ("Gene", "-(Tax:7227)", ["empty_id"]),
        ("Gene", ";-,|MESH:", ["empty_id"]),
    ],
)
def test_keys(tmp_path, type_name, text, keys):
    """All readers have the same rule. One end of a relation file names one concept."""
    found = identifiers.keys(type_name, text)
    assert ([found] if isinstance(found, Reason) else list(found)) == keys
    assert annotated(tmp_path, type_name, text) == keys
    if type_name in TYPES:
        assert named(tmp_path, type_name, text) == keys
        assert related(tmp_path, type_name, text) == (["ambiguous_id"] if len(keys) > 1 else keys)


def annotated(folder, type_name, text):
    """Return the keys of an annotation with this type and id, or the reason why it is left out."""
    rows = (read := documents(folder, f"1|t|word\n1\t0\t4\tword\t{type_name}\t{text}\n")).rows
    assert rows.annotations + rows.unnormalised + rows.problems.total() == 1
    return ["empty_id"][: rows.unnormalised] or [*rows.problems] or [each.key for each in read.items[0].annotations]


def named(folder, kind, text):
    """Return the keys of an entity row with this type and id, or the reason why it is rejected."""
    rows, reasons = read(folder, concepts.read_pairs, f"1\t{kind}\t{text}\tword\tx\n")
    return reasons or [row["key"] for row in rows]


def related(folder, kind, text):
    """Return the key of one end of a row of relations, or the reason why the row is rejected."""
    rows, reasons = read(folder, relations.RelationReader(folder), f"1\ttreat\t{kind}|{text}\t{kind}|{text}\n")
    keys = dict(zip(*pq.read_table(relations.keys_file(folder)).to_pydict().values(), strict=True))
    return reasons or [keys[row["head"]] for row in rows]


def read(folder, reader, line):
    """Return the rows that a reader makes of a line, and the reasons why rows are rejected."""
    (folder / "line").write_text(line, "utf-8")
    with Rejects(folder / "line.tsv") as rejects:
        batches = list(reader([SourceFile(folder / "line")], rejects, RowCount(), Silent()))
    return [row for batch in batches for row in batch.to_pylist()], list(rejects.by_reason)


def test_the_organism_behind_an_id_can_be_told():
    assert identifiers.split_taxon(" 41614 (Tax:7227)") == ("41614", 7227)
    assert identifiers.split_taxon("41614") == ("41614", None)


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
    assume(plain.split(":", 1)[-1].strip() not in {"", "-", "-1"})
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


@pytest.mark.parametrize(
    ("key", "ends", "carrier"),
    [
        (ANNOTATED, [V600E], V600E),
        (ANNOTATED, [V600E, V600K, RS_ONLY], V600E),  # the allele agrees too
        (ANNOTATED, [NO_RS], NO_RS),  # by HGVS name and gene
        (ANNOTATED, [RS_ONLY], RS_ONLY),
        (ANNOTATED, [V600E, ANNOTATED], None),  # the key is an end itself
        (NO_GENE, [V600E], None),  # many genes have the same HGVS name
        ("Mutation|rs113488022", [V600E], V600E),
        ("Mutation|rs113488022", [V600E, V600K], None),  # either may be meant
        (
            "Mutation|tmVar:rs113488022;CorrespondingGene:673",
            [V600E, RS_ONLY],
            RS_ONLY,
        ),  # RS_ONLY has exactly the same parts
        ("Mutation|rs1134", [V600E], None),
        ("Gene|673", [V600E], None),
    ],
)
def test_a_variant_is_joined_with_the_one_end_that_agrees_best(key, ends, carrier):
    assert Variants(ends).carrier(key) == carrier
    assert Variants(ends[::-1]).carrier(key) == carrier


def test_names_of_an_annotated_variant_are_those_of_the_edge_whatever_the_order(tmp_path):
    relations = Load("relations", [(1, "associate", "Disease|MESH:D1", V600E)])
    names = Load("concepts", [(1, ANNOTATED, ["V600E"]), (2, NO_GENE, ["V600E"])])
    wanted = {
        "Disease|MESH:D1": ("MESH:D1", {}),
        V600E: ("V600E", {"V600E": 1}),
        NO_GENE: ("V600E", {"V600E": 1}),
    }
    for order in ([relations, names], [names, relations]):
        stores = Stores(tmp_path)
        for load in order:
            stores.load(load)
        assert concepts_of(stores.graph) == wanted


def test_names_return_to_the_annotated_key_when_the_edge_of_their_variant_is_removed(tmp_path):
    stores = Stores(tmp_path)
    stores.load(Load("relations", [(1, "associate", "Disease|MESH:D1", V600E)]))
    stores.load(Load("concepts", [(1, ANNOTATED, ["V600E"])]))
    stores.load(Load("relations", [(1, "associate", "Disease|MESH:D1", "Gene|673")]))
    assert concepts_of(stores.graph)[ANNOTATED] == ("V600E", {"V600E": 1})
    assert V600E not in concepts_of(stores.graph)


def test_real_variants_of_articles_are_all_carried_by_their_relations(data):
    """PubTator3's own annotations and relations of the same articles: seven variants, each written in two ways."""
    folder = data / "pubtator3"
    relations = (folder / "derived_relation2pubtator3_from_api.tsv").read_text("utf-8").splitlines()
    entities = (folder / "derived_bioconcepts2pubtator3_from_api.tsv").read_text("utf-8").splitlines()
    ends = {key for line in relations for key in line.split("\t")[2:4] if key.split("|")[0] in VARIANTS}
    rows = [line.split("\t") for line in entities]
    annotated = {f"Mutation|{ident}" for _, kind, ident, *_ in rows if kind == "Mutation" and ident != "-"}
    variants = Variants(ends)
    assert len(annotated) == 7
    assert {variants.carrier(key) for key in annotated} == ends
