"""NLM's own samples, counted a second time straight from the files."""

import gzip
import re

from groundwork.study import is_notice
from ingest.documents.document import Deletion
from tests.ingest.reading import articles


def test_the_sample_of_2019(tmp_path, data):
    path = data / "pubmed_xml" / "pubmedsample_2019.xml.gz"
    raw = gzip.decompress(path.read_bytes()).decode("utf-8")
    read = articles(tmp_path, path)
    parts = raw.split("<PubmedArticle>")[1:]
    own = [int(re.search(r"<PMID[^>]*>(\d+)<", part)[1]) for part in parts]
    gone = [int(pmid) for pmid in re.findall(r">(\d+)</PMID>", raw[raw.index("<DeleteCitation>") :])]
    assert (len(own), len(gone)) == (176, 7)
    assert [item.pmid for item in read.items] == own + gone
    assert [item.pmid for item in read.items if isinstance(item, Deletion)] == gone
    assert (read.rows.kept, read.rejected) == (183, [])

    texts = {item.pmid: item.text for item in read.items if not isinstance(item, Deletion)}
    by_pmid = dict(zip(own, parts, strict=True))
    assert {pmid for pmid, text in texts.items() if text.retracted} == {
        pmid for pmid, part in by_pmid.items() if 'RefType="RetractionIn"' in part
    }
    assert sum(text.retracted for text in texts.values()) == 3
    assert {pmid for pmid, text in texts.items() if is_notice(text)} == {
        pmid for pmid, part in by_pmid.items() if re.search(">(?:Comment|Retraction of Publication)<", part)
    }
    assert {pmid for pmid, text in texts.items() if text.abstract} == {
        pmid for pmid, part in by_pmid.items() if re.search(r"<AbstractText[^>]*>[^<]*\S", part)
    }
    for pmid, part in by_pmid.items():
        date = re.search(r"<PubDate>.*?(\d{4}).*?</PubDate>", part, re.DOTALL)
        assert texts[pmid].year == int(date[1])
        assert texts[pmid].journal == re.search(r"<Title>(.*?)</Title>", part)[1].replace("&amp;", "&")
    assert not [pmid for pmid, text in texts.items() if not text.title]


def test_every_word_of_an_abstract_is_there(tmp_path, data):
    """The raw text without markup and white space has the letters of the record without the marks of exponents."""
    path = data / "pubmed_xml" / "pubmedsample_2019.xml.gz"
    parts = gzip.decompress(path.read_bytes()).decode("utf-8").split("<PubmedArticle>")[1:]
    texts = {item.pmid: item.text for item in articles(tmp_path, path).items if not isinstance(item, Deletion)}
    compared = 0
    for part in parts:
        abstract = re.search(r"<Abstract>(.*?)</Abstract>", part, re.DOTALL)
        if abstract and "Label=" not in abstract[1]:
            pmid = int(re.search(r"<PMID[^>]*>(\d+)<", part)[1])
            inner = "".join(re.findall(r"<AbstractText>(.*?)</AbstractText>", abstract[1], re.DOTALL))
            letters = re.sub(r"<[^>]+>|\s", "", inner)
            for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
                letters = letters.replace(entity, character)
            assert re.sub(r"[\s^]", "", texts[pmid].abstract) == letters.replace("^", "")
            compared += 1
    assert compared > 80
    assert any("population size of 2.4×10^28 cells" in text.abstract for text in texts.values())


def test_a_labelled_abstract_and_markup_in_a_pretty_printed_file(tmp_path, data):
    (record,) = articles(tmp_path, data / "pubmed_xml" / "pubmed-29768149.xml").items
    assert (record.pmid, record.text.year, record.text.journal) == (
        29768149,
        2018,
        "The New England journal of medicine",
    )
    assert record.text.abstract.startswith("BACKGROUND: In patients with mild asthma, as-needed use of an inhaled")
    assert " METHODS: We conducted a 52-week, double-blind trial" in record.text.abstract


def test_mathml_with_line_ends_in_a_citation_that_stands_alone(tmp_path, data):
    (record,) = articles(tmp_path, data / "pubmed_xml" / "jcore_mathml_newlines.xml").items
    assert record.pmid == 30712376
    assert "different sizes of cuprous oxide (Cu2O). In this study" in record.text.abstract
    assert "cuprous oxide (Cu2O) particles." in record.text.title


def test_the_small_samples(tmp_path, data):
    folder = data / "pubmed_xml"
    read = articles(tmp_path, folder / "biopython_pubmed1.xml", folder / "biopython_pubmed5.xml")
    assert [item.pmid for item in read.items] == [12091962, 9997, 28775130]


def test_a_record_without_pmid(tmp_path, data):
    read = articles(tmp_path, data / "pubmed_xml" / "pubmedsample_no_pmid_2019.xml.gz")
    assert (read.items, read.reasons) == ([], [(5, "bad_pmid")])
