"""Annotated variants are joined with the variants of edges, in any order of loads."""

import pytest

from groundwork.vocabulary import VARIANTS
from ingest.identifiers import Variants
from tests.ingest.oracle import Load, concepts_of
from tests.ingest.test_load import Stores

V600E = "ProteinMutation|RS#:113488022;HGVS:p.V600E;CorrespondingGene:673"
V600K = "ProteinMutation|RS#:113488022;HGVS:p.V600K;CorrespondingGene:673"
RS_ONLY = "SNP|RS#:113488022;CorrespondingGene:673"
NO_RS = "ProteinMutation|HGVS:p.V600E;CorrespondingGene:673"
ANNOTATED = "Mutation|tmVar:p|SUB|V|600|E;HGVS:p.V600E;VariantGroup:0;CorrespondingGene:673;RS#:113488022"
NO_GENE = "Mutation|tmVar:p|SUB|V|600|E;HGVS:p.V600E;VariantGroup:0"


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
