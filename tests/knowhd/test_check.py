"""The report on the groundedness of a text, and the fields of its JSON."""

import json

import pytest

import literature
from groundwork.errors import InputError, ModelUnreachable
from groundwork.llm.scripted import ScriptedModel
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from knowhd.check import Checker
from knowhd.options import Scope
from knowhd.rules_judge import NAME
from tests.knowhd.conftest import ARTICLES, ASPIRIN, HEADACHE, INFARCTION, METFORMIN

REPORT = {"text", "claims", "groundedness", "claims_judged", "claims_failed", "model", "calibration", "usage"}
REPORT |= {"coverage", "intervals", "aggregates", "sentences_missed", "weights", "release"}
CLAIM = {"text", "sentence", "span", "concepts", "evidence", "verdicts", "cited", "reason", "flags"}
EDGE = {"id", "head", "relation", "tail", "pmids", "stance", "probability", "marked"}
PASSAGE = {"id", "pmid", "title", "sentence", "score", "retracted", "stance", "probability", "section", "denied"}
PASSAGE |= {"design", "organism", "marked"}
STANCES = {"supports", "contradicts", "about_both", "about_one", None}
SOURCES = {"graph", "literature", "both"}
VERDICTS = {"supported", "contradicted", "not_enough", "failed"}


def obeys(report):
    """Check what holds for every report, and return its JSON."""
    shape = report.to_dict()
    assert json.loads(json.dumps(shape, allow_nan=False)) == shape
    assert set(shape) == REPORT
    for claim in shape["claims"]:
        assert set(claim) == CLAIM | {"stances", "designs", "articles", "left_out", "mentions"}
        assert set(claim["evidence"]) == {"graph", "literature", "chains"}
        assert all(set(edge) >= EDGE for edge in claim["evidence"]["graph"])
        assert all(set(passage) == PASSAGE for passage in claim["evidence"]["literature"])
        found = [piece for pieces in claim["evidence"].values() for piece in pieces]
        ids = [piece["id"] for piece in found]
        assert len(ids) == len(set(ids))
        assert set(claim["cited"]) <= set(ids)
        sided = {piece["id"]: piece["stance"] for piece in found if piece["stance"] in {"supports", "contradicts"}}
        assert claim["stances"] == sided
        assert set(claim["stances"]) == set(claim["cited"])
        assert {piece["stance"] for piece in found} <= STANCES
        if shape["model"] == NAME and "unread" not in claim["flags"]:
            assert all(piece["stance"] for piece in found)
        assert all(0 <= piece["probability"] <= 1 for piece in found if piece["probability"] is not None)
        assert all(piece["stance"] for piece in found if piece["probability"] is not None)
        assert set(claim["verdicts"]) == SOURCES
        assert set(claim["verdicts"].values()) <= VERDICTS
        start, end = claim["span"]
        assert shape["text"][start:end] == claim["sentence"]
        assert claim["reason"]
    for source in SOURCES:
        verdicts = [claim["verdicts"][source] for claim in shape["claims"]]
        assert shape["claims_failed"][source] == verdicts.count("failed")
        judged = shape["claims_judged"][source]
        assert judged == len(verdicts) - verdicts.count("failed")
        share = verdicts.count("supported") / judged if judged else None
        assert shape["groundedness"][source] == share
    return shape


def test_a_text_is_judged_claim_by_claim(stores):
    text = "Aspirin treats headache. Aspirin causes myocardial infarction. Metformin treats headache."
    shape = obeys(Checker(stores.graph, stores.literature).check(text))
    assert [claim["verdicts"]["both"] for claim in shape["claims"]] == ["supported", "contradicted", "not_enough"]
    assert shape["groundedness"]["both"] == pytest.approx(1 / 3)
    assert shape["claims"][0]["concepts"] == [ASPIRIN, HEADACHE]
    assert shape["model"] == NAME
    assert set(shape["usage"].values()) == {0}
    assert shape["calibration"]["n"] > 0


@pytest.fixture
def crowded(stores, tmp_path):
    """The articles of `stores`, and articles that share words with the claims below but name neither end."""
    texts = literature.connect("memory:", Settings(home=tmp_path), read_only=False)
    with texts.writing():
        texts.put(stores.literature.get(ARTICLES).values())
        texts.put(
            Abstract(700 + n, Text(f"{said} in patients with type 2 diabetes.", "Two groups were compared."), None)
            for n, said in enumerate(("Treats or prevents", "Warm compresses relieve", "Garlic"))
        )
    return texts


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Aspirin treats headache.", ("aspirin", "acetylsalicylic", "headache")),
        # The third concept is no end: "in patients with type 2 diabetes" only narrows the claim.
        ("Aspirin treats headache in patients with type 2 diabetes.", ("aspirin", "acetylsalicylic", "headache")),
        ("Warm compresses relieve headache.", ("compress", "headache")),
        ("Garlic prevents infections.", ("garlic", "infection")),
    ],
)
def test_a_piece_that_names_neither_end_is_no_evidence(stores, crowded, text, ends):
    shape = obeys(Checker(stores.graph, crowded).check(text))
    (claim,) = shape["claims"]
    said = [passage["sentence"].lower() for passage in claim["evidence"]["literature"]]
    assert said
    assert all(any(end in sentence for end in ends) for sentence in said)
    keys = {ASPIRIN, HEADACHE} if ends[0] == "aspirin" else set(claim["concepts"])
    assert all(keys & {edge["head"], edge["tail"]} for edge in claim["evidence"]["graph"])


def test_the_winning_side_is_cited_first_and_then_the_other_side(stores):
    shape = obeys(Checker(stores.graph, stores.literature).check("Aspirin causes myocardial infarction."))
    (claim,) = shape["claims"]
    assert claim["concepts"] == [ASPIRIN, INFARCTION]
    assert "mixed" in claim["flags"]
    sides = [claim["stances"][piece] for piece in claim["cited"]]
    assert sides == sorted(sides)
    assert set(sides) == {"contradicts", "supports"}
    assert [claim["reason"].count(each) for each in ("The graph ", "Each article counted once: ", "Graph: ")] == [
        1,
        1,
        0,
    ]


def test_a_reason_that_ends_with_a_letter_of_the_claim_has_one_full_stop(stores):
    (claim,) = obeys(Checker(stores.graph, stores.literature).check("Aspirin treats headache & x ."))["claims"]
    assert claim["flags"] == ["partly"] and "x" in claim["reason"] and ".." not in claim["reason"]


def test_a_retracted_article_among_the_cited_is_flagged(stores):
    checker = Checker(stores.graph, stores.literature)
    text = "Ibuprofen causes myocardial infarction."
    assert "retracted" in obeys(checker.check(text))["claims"][0]["flags"]
    assert "retracted" not in obeys(checker.check(text, Scope(exclude_retracted=True)))["claims"][0]["flags"]


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("Aspirin does not treat headache.", "negated"),
        ("Aspirin may treat headache.", "hedged"),
        ("Garlic prevents colds.", "unlinked"),
    ],
)
def test_negated_hedged_and_unlinked_claims_are_flagged(stores, text, flag):
    assert obeys(Checker(stores.graph, stores.literature).check(text))["claims"][0]["flags"] == [flag]


@pytest.mark.parametrize("text", ["Is aspirin good?", "Hello."])
def test_a_text_without_claims_is_not_measured(stores, text):
    shape = obeys(Checker(stores.graph, stores.literature).check(text))
    assert shape["claims"] == []
    assert set(shape["groundedness"].values()) == {None}
    assert set(shape["claims_judged"].values()) == {0}


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_an_empty_text_is_bad_input(stores, text):
    with pytest.raises(InputError, match="empty"):
        Checker(stores.graph, stores.literature).check(text)


def test_the_pmid_cut_applies_to_all_evidence_of_a_report(stores):
    shape = obeys(Checker(stores.graph, stores.literature).check("Aspirin treats headache.", Scope(before=11)))
    (claim,) = shape["claims"]
    pmids = [pmid for edge in claim["evidence"]["graph"] for pmid in edge["pmids"]]
    pmids += [passage["pmid"] for passage in claim["evidence"]["literature"]]
    assert pmids
    assert max(pmids) <= 11


CLAIMS = {"claims": [{"text": "Aspirin treats headache.", "sentence": 1}, {"text": "Aspirin is old.", "sentence": 2}]}
GRAPH = {"reason": "said so", "supporting": ["G1"], "contradicting": []}
LITERATURE = GRAPH | {"supporting": ["L1"]}
YES = {"graph": GRAPH, "literature": LITERATURE, "both": GRAPH}


def test_a_language_model_splits_the_text_and_judges(stores):
    model = ScriptedModel([CLAIMS, YES, "?", "?"], "scripted:test")
    shape = obeys(Checker(stores.graph, stores.literature, model).check("Aspirin treats headache. Aspirin is old."))
    first, second = shape["claims"]
    assert set(first["verdicts"].values()) == {"supported"}
    assert second["verdicts"] == {"graph": "not_enough", "literature": "failed", "both": "failed"}
    assert shape["groundedness"] == {"graph": 0.5, "literature": 1.0, "both": 1.0}
    assert shape["claims_failed"] == {"graph": 0, "literature": 1, "both": 1}
    assert (shape["model"], shape["calibration"]) == ("scripted:test", None)
    usage = shape["usage"]
    assert (usage["calls"], usage["repairs"], usage["judge_calls"]) == (4, 1, 3)
    assert (usage["judge_calls_per_claim"], usage["tokens_per_claim"]) == (1.5, 0.0)


def test_usage_counts_the_calls_for_this_text_only(stores):
    model = ScriptedModel([{"claims": []}, {"claims": []}])
    checker = Checker(stores.graph, stores.literature, model)
    assert [checker.check("Aspirin.").usage["calls"] for _ in range(2)] == [1, 1]


def test_a_text_that_could_not_be_split_is_failed_not_guessed(stores):
    model = ScriptedModel(["?", "?"])
    shape = obeys(Checker(stores.graph, stores.literature, model).check("Aspirin treats headache. Aspirin is old."))
    assert [set(claim["verdicts"].values()) for claim in shape["claims"]] == [{"failed"}, {"failed"}]
    assert set(shape["groundedness"].values()) == {None}
    assert all("undivided" in claim["flags"] for claim in shape["claims"])


def test_a_model_that_is_gone_is_an_error_not_a_verdict(stores):
    with pytest.raises(ModelUnreachable):
        Checker(stores.graph, stores.literature, ScriptedModel([CLAIMS])).check("Aspirin treats headache.")


def test_a_report_names_the_concepts_that_it_refers_to(stores):
    report = Checker(stores.graph, stores.literature).check("Aspirin treats headache. Metformin treats a cough.")
    assert report.keys() == {ASPIRIN, HEADACHE, METFORMIN}


def test_chains_are_separate_pieces_and_decide_only_if_nothing_is_stated(stores):
    checker = Checker(stores.graph, stores.literature)
    (claim,) = obeys(checker.check("Headache prevents myocardial infarction."))["claims"]
    assert (claim["evidence"]["chains"], claim["verdicts"]["graph"]) == ([], "not_enough")
    (claim,) = obeys(checker.check("Headache prevents myocardial infarction.", Scope(hops=2)))["claims"]
    assert {chain["id"] for chain in claim["evidence"]["chains"]} == {
        f"chain:{HEADACHE} treat {ASPIRIN} treat {INFARCTION}",
        f"chain:{HEADACHE} treat {ASPIRIN} cause {INFARCTION}",
    }
    assert "inferred" in claim["flags"]
    assert "mixed" in claim["flags"]
    # The edges of one chain have 3 and 4 articles, those of the other 3 and 1. The weakest edge of a chain counts.
    assert claim["verdicts"]["graph"] == "contradicted"
    assert claim["left_out"] == {"graph": 0, "literature": 0, "chains": 0}


def test_a_budget_leaves_out_whole_pieces_and_says_how_many(stores):
    text = "Aspirin treats myocardial infarction."
    (whole,) = obeys(Checker(stores.graph, stores.literature).check(text))["claims"]
    (packed,) = obeys(Checker(stores.graph, stores.literature, evidence_tokens=80).check(text))["claims"]
    for kind in ("graph", "literature"):
        assert all(piece in whole["evidence"][kind] for piece in packed["evidence"][kind])
        kept = len(packed["evidence"][kind])
        assert packed["left_out"][kind] == len(whole["evidence"][kind]) - kept
    assert sum(packed["left_out"].values()) > 0
    assert packed["text"] == text


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin \x01treats\x07 headache.",
        "Aspirin \x1b[31mtreats\x1b[0m headache.",
        "<p>Aspirin <b>treats</b> headache.</p>",
        "**Aspirin** treats headache.",
    ],
)
def test_markup_and_control_characters_change_no_verdict(stores, text):
    checker = Checker(stores.graph, stores.literature)
    (plain,), (claim,) = checker.check("Aspirin treats headache.").claims, checker.check(text).claims
    assert (claim.concepts, claim.verdicts, claim.cited) == (plain.concepts, plain.verdicts, plain.cited)
    assert claim.sentence == text[slice(*claim.span)]
