"""The design and the organism of studies, from publication types, MeSH headings and Species annotations."""

import gzip
import re
from collections import Counter
from typing import get_args

import pytest

from groundwork.language import rows
from groundwork.records import Abstract, Design, Text
from groundwork.study import study_of
from ingest.documents.document import Deletion
from tests.ingest.reading import articles


def record(types="", mesh="", title="A title", abstract="", **more) -> Abstract:
    lists = (tuple(filter(None, terms.split("|"))) for terms in (types, mesh))
    return Abstract(1, Text(title, abstract, None, None, False, None, *lists), None, **more)


@pytest.mark.parametrize(
    ("types", "mesh", "design"),
    [
        ("Journal Article", "", None),
        ("Journal Article|Meta-Analysis|Systematic Review|Review", "Humans", "meta-analysis"),
        ("Network Meta-Analysis", "", "meta-analysis"),
        ("Review|Systematic Review", "", "systematic review"),
        ("Clinical Trial|Randomized Controlled Trial|Case Reports", "Humans|Follow-Up Studies", "randomised trial"),
        ("Clinical Trial, Phase II", "Humans|Prospective Studies", "clinical trial"),
        ("Case Reports|Review", "Humans|Follow-Up Studies", "case report"),
        ("Review", "Humans|Cohort Studies", "review"),
        ("Journal Article", "Humans|*Retrospective Studies/statistics & numerical data", "cohort"),
        ("Journal Article", "Case-Control Studies|Humans|Retrospective Studies", "case-control"),
        ("Observational Study", "Cross-Sectional Studies|Humans", "cross-sectional"),
        ("Journal Article", "Animals|Humans|Randomized Controlled Trials as Topic", None),
        ("Journal Article", "Animals|Mice|Cell Line", "animal"),
        ("Journal Article", "Animals|Disease Models, Animal|Humans|Mice", "animal"),
        ("Journal Article", "Animals|In Vitro Techniques|Rats", "in vitro"),
        ("Journal Article", "Cell Line, Tumor/*metabolism|Humans", "in vitro"),
        ("Preprint|Randomized Controlled Trial", "", "preprint"),
    ],
)
def test_the_design_follows_from_types_and_headings(types, mesh, design):
    assert study_of(record(types, mesh)).design == design


@pytest.mark.parametrize("notice", ["Erratum: A trial", "Comment on a trial"])
def test_a_notice_has_the_design_of_a_notice(notice):
    assert study_of(record("Randomized Controlled Trial", title=notice)).design == "notice"


@pytest.mark.parametrize(
    ("mesh", "text", "annotated", "organism"),
    [
        ("Humans|Male", "", "", "human"),
        ("Animals|Humans|Mice", "", "", "human"),
        ("Animals|Disease Models, Animal|Humans|Mice, Nude", "", "", "mouse"),
        ("Animals|*Mice/genetics", "", "", "mouse"),
        ("Animals|Mice|Rats, Wistar", "Rats were fed, not mice. The rats grew.", "", "rat"),
        ("Mouse mammary tumor virus", "", "", None),
        ("Animals|Ferrets", "", "", None),
        ("", "mice and patients", "", None),
        ("", "Mice, mice and patients", "Species|9606 Species|10090 Gene|672", "mouse"),
        ("", "", "Species|10116", "rat"),
        ("", "", "Species|4751", "taxon 4751"),
        ("Animals", "", "Species|10116", "rat"),
    ],
)
def test_the_organism_follows_from_headings_or_annotations(mesh, text, annotated, organism):
    assert study_of(record("", mesh, abstract=text, annotated=tuple(annotated.split()))).organism == organism


def test_annotated_words_count_mentions_of_any_organism():
    spoken = (("Candida", "Species|5476"), ("patients", "Species|9606"))
    study = study_of(
        record(
            abstract="Candida grows in patients. Candida.", annotated=("Species|5476", "Species|9606"), spoken=spoken
        )
    )
    assert (study.taxon, study.organism) == ("5476", "taxon 5476")


def test_every_design_can_be_derived():
    assert {row[0] for row in rows("groundwork", "designs.tsv")} | {"notice"} == set(get_args(Design))


def test_the_sample_of_2019(tmp_path, data):
    """The designs and organisms of NLM's sample, as they follow from the raw text of the file."""
    path = data / "pubmed_xml" / "pubmedsample_2019.xml.gz"
    parts = gzip.decompress(path.read_bytes()).decode("utf-8").split("<PubmedArticle>")[1:]
    read = [item for item in articles(tmp_path, path).items if not isinstance(item, Deletion)]
    designs, organisms = Counter[str | None](), Counter[str | None]()
    for part, item in zip(parts, read, strict=True):
        study = study_of(Abstract(item.pmid, item.text, None))
        designs[study.design] += 1
        organisms[study.organism] += 1
        assert len(item.text.mesh) == len(re.findall("<MeshHeading>", part))
        assert (study.design == "randomised trial") == (">Randomized Controlled Trial<" in part)
        if study.organism == "human":
            assert ">Humans</DescriptorName>" in part
    assert designs["randomised trial"] == 6
    assert organisms["human"] > 100
    assert organisms["rat"] > 5
