"""Manuscripts judged sentence by sentence on the sample release."""

import json

import pytest

from truthhypo.connection import connect
from truthhypo.manuscripts.check import page

DRAFT = """# Aspirin and metformin

Aspirin prevents myocardial infarction [1]. Aspirin causes myocardial infarction.[1,2] This sentence cites nothing.
Metformin treats type 2 diabetes mellitus (Sample et al., 2020; PMID 4). Simvastatin lowers cholesterol [3].
Does aspirin help [1]? <script>alert(1)</script> is shown as it is [9].

## References

1. Doe J. [Sample] Low-dose aspirin after a first myocardial infarction: a sample trial report. 2001.
2. Nobody N. An article that no literature has at all. 1999.
3. Other O. doi:10.1000/none.
4. Sample S. [Sample] Metformin as the first drug for type 2 diabetes mellitus. 2020.
"""
#: Sentence, its verdict, and the verdicts and labels of its sources.
EXPECTED = [
    ("Aspirin prevents", "supported", [("1", "supported", "title")]),
    ("Aspirin causes", "contradicted", [("1", "contradicted", "title"), ("2", "not_found", None)]),
    ("Metformin treats", "supported", [("sample 2020", "supported", "title"), ("PMID 4", "not_loaded", "pmid")]),
    ("Simvastatin lowers", "not_found", [("3", "not_found", None)]),
    ("Does aspirin help", "not_stated", [("1", "not_stated", "title")]),
    ("alert(1) is shown", "not_found", [("9", "not_found", None)]),
]


@pytest.fixture(scope="module")
def world(sample_home):
    with connect(home=sample_home) as world:
        yield world


@pytest.fixture
def draft(tmp_path):
    path = tmp_path / "draft.md"
    path.write_text(DRAFT)
    return path


def test_each_sentence_that_cites_is_judged_by_what_it_cites(world, draft):
    report = world.cite_manuscript(draft, progress=False)
    found = [
        (each.text, each.verdict, [(source.label, source.citation.verdict, source.by) for source in each.sources])
        for each in report.sentences
    ]
    assert [(text[: len(begin)], *rest) for (text, *rest), (begin, *_) in zip(found, EXPECTED, strict=True)] == EXPECTED
    assert report.verdicts["supported"] == 2
    assert sum(report.verdicts.values()) == len(EXPECTED)
    assert report.release
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False)) == report.to_dict()
    assert len(repr(report)) <= 2000


def test_two_sources_support_the_claims_of_a_sentence_together(world, tmp_path):
    (tmp_path / "a.md").write_text(
        "Simvastatin lowers cholesterol, and aspirin prevents myocardial infarction (PMID 990000005, 990000012)."
    )
    (sentence,) = world.cite_manuscript(tmp_path / "a.md", progress=False).sentences
    assert [source.citation.verdict for source in sentence.sources] == ["not_stated", "not_stated"]
    assert sentence.verdict == "supported"


def test_the_page_shows_every_sentence_and_runs_nothing(world, draft, command, sample_home):
    report = world.cite_manuscript(draft, progress=False)
    shown = page(report)
    assert shown.count('class="said"') == len(EXPECTED)
    assert "<script" not in shown.lower()
    assert "reference not found" in shown
    for name in ("report.html", "report.json"):
        found = command("--home", sample_home, "cite", "--manuscript", draft, "--out", draft.with_name(name))
        assert (found.code, found.json) == (0, report.to_dict())
    assert draft.with_name("report.html").read_text() == shown
    assert json.loads(draft.with_name("report.json").read_text()) == report.to_dict()


def test_a_manuscript_without_citations_has_no_sentence(world, tmp_path):
    (tmp_path / "a.txt").write_text("Aspirin prevents myocardial infarction.")
    report = world.cite_manuscript(tmp_path / "a.txt", progress=False)
    assert (report.sentences, sum(report.verdicts.values())) == ((), 0)
    assert "No citation was found" in page(report)


@pytest.mark.parametrize(("condition", "code"), [("contradicted", 1), ("unsupported", 1)])
def test_a_pipeline_can_stop_at_a_manuscript(command, sample_home, draft, condition, code):
    found = command("--home", sample_home, "cite", "--manuscript", draft, "--fail-on", condition)
    assert found.code == code
    assert f"of 6 sentences met --fail-on {condition}" in found.err
