"""Whether a cited article states a claim, and by which sentence."""

import json

import pytest

from groundwork.llm.scripted import ScriptedModel
from knowhd.check import Checker
from knowhd.citations import CITATION_COLUMNS, CITATION_VERDICTS, citation_rows


@pytest.fixture(scope="module")
def checker(stores):
    return Checker(stores.graph, stores.literature)


@pytest.mark.parametrize(
    ("claim", "pmid", "verdict", "place", "sentence"),
    [
        ("Aspirin treats headache.", 11, "supported", "abstract, sentence 2 of 2", "Aspirin relieved headache"),
        ("Aspirin causes headache.", 11, "contradicted", "abstract, sentence 2 of 2", "Aspirin relieved headache"),
        ("Aspirin does not treat headache.", 11, "contradicted", "abstract, sentence 2 of 2", "Aspirin relieved"),
        (
            "Ibuprofen causes myocardial infarction.",
            61,
            "contradicted",
            "abstract, sentence 1 of 1",
            "Ibuprofen had no",
        ),
        (
            "Ibuprofen causes myocardial infarction.",
            62,
            "retracted",
            "abstract, sentence 1 of 1",
            "Ibuprofen increased",
        ),
        ("Aspirin treats headache.", 21, "not_stated", None, None),
        ("Aspirin treats headache.", 999, "not_loaded", None, None),
        ("Does aspirin treat headache?", 11, "not_stated", None, None),
        ("Aspirin treats headache, and ibuprofen treats headache.", 11, "not_stated", None, None),
        ("Aspirin treats headache and prevents myocardial infarction.", 500, "not_stated", None, None),
    ],
)
def test_an_article_supports_contradicts_or_does_not_state_a_claim(checker, claim, pmid, verdict, place, sentence):
    (cited,) = checker.cite(claim, [pmid]).citations
    assert (cited.pmid, cited.verdict, cited.place) == (pmid, verdict, place)
    assert (cited.sentence or "").startswith(sentence or "")
    assert (cited.sentence is None) == (sentence is None)
    assert cited.reason
    assert (cited.probability is None) == (sentence is None)
    assert cited.verdict in CITATION_VERDICTS


def test_a_retracted_article_and_a_denial_tell_their_side(checker):
    (denied,) = checker.cite("Ibuprofen causes myocardial infarction.", [61]).citations
    (retracted,) = checker.cite("Ibuprofen causes myocardial infarction.", [62]).citations
    assert (denied.stance, denied.denied) == ("contradicts", True)
    assert (retracted.stance, retracted.denied) == ("supports", False)
    assert retracted.reason == "The article was retracted. The article states the claim (abstract, sentence 1 of 1)."


def test_articles_are_judged_one_by_one_in_the_given_order_and_each_once(checker):
    report = checker.cite("Aspirin treats headache.", [999, 11, 21, 11])
    assert [cited.pmid for cited in report.citations] == [999, 11, 21]
    assert report.citations[1:2] == checker.cite("Aspirin treats headache.", [11]).citations
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False)) == report.to_dict()
    assert report.to_dict()["error"] is None
    rows = list(citation_rows(report.to_dict()))
    assert [set(row) for row in rows] == [set(CITATION_COLUMNS)] * 3
    assert len(repr(report)) <= 2000


def test_a_given_text_is_judged_like_an_article(checker):
    report = checker.cite("Aspirin treats headache.", [11], "RESULTS: Aspirin did not relieve headache.")
    assert [(cited.pmid, cited.verdict) for cited in report.citations] == [(None, "contradicted"), (11, "supported")]
    assert report.citations[0].place == "results, sentence 1 of 1"
    assert report.citations[0].reason.startswith("The text states that there is no such relation")


def test_each_claim_of_a_text_has_its_own_verdict(checker):
    (cited,) = checker.cite("Aspirin treats headache, and metformin treats headache.", [11]).citations
    assert [claim.verdict for claim in cited.claims] == ["supported", "not_enough"]
    assert cited.verdict == "not_stated"


def test_a_claim_that_the_judge_cannot_read_is_told(checker):
    (cited,) = checker.cite("Aspirin was studied with headache.", [11]).citations
    assert (cited.verdict, cited.flags) == ("not_stated", ("unread",))
    assert "was not judged" in cited.reason


def test_an_answer_of_a_model_that_is_no_use_is_told(stores):
    claims = {"claims": [{"text": "Aspirin treats headache.", "sentence": 1}]}
    model = ScriptedModel([json.dumps(claims), "no", "no", "no"])
    (cited,) = Checker(stores.graph, stores.literature, model).cite("Aspirin treats headache.", [11]).citations
    assert (cited.verdict, "failed" in cited.flags) == ("not_stated", True)
