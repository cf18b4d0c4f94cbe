"""Captions of concepts with and without names, and the addresses of public pages of concepts and edges."""

import pyarrow as pa
import pytest

from cypher.browser_files import article_urls, caption, url
from tests.contracts.graphs import ASPIRIN, COX2, ODD, concept


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (COX2, "Gene 5743"),
        (ASPIRIN, "Chemical D001241"),
        ("Disease|OMIM:114500", "Disease OMIM:114500"),
        ("CellLine|CVCL_0030", "CellLine CVCL_0030"),
        ("SNP|rs113488022", "rs113488022"),
        ("SNP|RS#:113488022;CorrespondingGene:673", "rs113488022"),
        ("SNP|tmVar:rs5;VariantGroup:1", "rs5"),
        (ODD[0], "c.581G>A"),
        (ODD[1], "c.2063A>G"),
        (ODD[2], "Chr8:18765448-18804898del"),
    ],
)
def test_the_caption_of_a_concept_without_names(key, expected):
    assert caption(concept(key)) == expected


def test_the_caption_of_a_concept_with_names():
    assert caption(concept(ODD[0], ("G194D", 3), ("c.581G>A", 1))) == "G194D"


@pytest.mark.parametrize(
    ("pmids", "expected"),
    [
        ([7], "https://pubmed.gov/7"),
        ([7, 8], "https://pubmed.gov/?term=7,8"),
        (list(range(1, 41)), f"https://pubmed.gov/?term={','.join(map(str, range(21, 41)))}"),
    ],
)
def test_the_address_of_the_newest_articles(pmids, expected):
    lists = pa.array([[1, 2, 3], pmids, [9]], pa.list_(pa.int64()))
    assert article_urls(lists).to_pylist() == ["https://pubmed.gov/?term=1,2,3", expected, "https://pubmed.gov/9"]
    assert article_urls(lists.slice(1, 1)).to_pylist() == [expected]
    assert article_urls(lists.slice(0, 0)).to_pylist() == []


def test_the_address_of_a_concept():
    assert url(concept(COX2)) == "https://www.ncbi.nlm.nih.gov/gene/5743"
    assert url(concept(ODD[1])) is None
