"""Concepts are linked to the databases that describe them."""

import pytest

from groundwork.vocabulary import links


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
