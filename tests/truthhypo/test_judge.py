"""The commands `ground` and `risk` end to end."""

import json
import shutil

import pytest

from groundwork.reading.encoder import shipped
from truthhypo.faces.cli.entry import run

TEXT = "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction."


@pytest.fixture
def ground(command, sample_home):
    return lambda *argv: command("--home", sample_home, "ground", *argv)


def test_the_summary_of_a_set_has_means_intervals_counts_and_the_method(ground, tmp_path):
    texts, out = tmp_path / "texts.txt", tmp_path / "out.jsonl"
    texts.write_text("Simvastatin lowers cholesterol.\nAspirin causes myocardial infarction.\nIs it so?\n")
    told = ground("--file", texts, "--out", out).json["groundedness"]
    assert told["texts"] == 3
    both = told["sources"]["both"]
    assert (both["measured"], both["claims_judged"], both["claims_failed"]) == (2, 2, 0)
    assert both["macro"] == {"value": 0.5, "interval": [0.0, 1.0]}
    assert both["coverage"] == pytest.approx(2 / 3)
    assert "bootstrap" in told["method"]
    again = ground("--file", texts, "--out", out).json
    assert (again["kept"], again["groundedness"]) == (3, told)


def test_the_groundedness_of_a_set_comes_with_the_latest_calibration_of_its_judge(
    command, sample_home, tmp_path, capfdbinary
):
    home, texts, pairs = tmp_path / "home", tmp_path / "texts.txt", tmp_path / "mine.csv"
    shutil.copytree(sample_home, home)
    texts.write_text("Simvastatin lowers cholesterol.\n")
    pairs.write_text("claim,evidence,label\nZinc prevents colds.,Bats carry viruses.,Supports\n", "utf-8")
    asked = ("--home", home, "ground", "--file", texts, "--out", tmp_path / "out.jsonl")
    shipped = command(*asked).json
    assert (
        shipped["calibration"]
        == command("--home", home, "ground", "Simvastatin lowers cholesterol.").json["calibration"]
    )
    assert "not a language model" in shipped["model"]
    command("--home", home, "bench", "calibrate", "--data", pairs)
    measured = command(*asked).json["calibration"]
    assert (measured["dataset"], measured["n"], measured["constant"]) == ("mine.csv", 1, "not_enough")
    run([*map(str, asked)])
    shown = " ".join(capfdbinary.readouterr().out.decode().split())
    assert "kappa 0.000 (mine.csv, n 1), almost always not_enough" in shown


def test_chains_are_added_by_an_option(ground):
    plain, chained = ground(TEXT).json["claims"], ground(TEXT, "--hops", 2).json["claims"]
    assert [claim["evidence"]["chains"] for claim in plain] == [[], []]
    assert any(claim["evidence"]["chains"] for claim in chained)
    assert [claim["verdicts"] for claim in plain] == [claim["verdicts"] for claim in chained]
    for claim in chained:
        for chain in claim["evidence"]["chains"]:
            assert len(chain["edges"]) == len(chain["hops"]) == 2
            assert chain["pmids"]


def test_a_budget_of_evidence_counts_what_it_leaves_out(ground):
    claim = ground("Simvastatin lowers cholesterol.", "--evidence-tokens", 120).json["claims"][0]
    assert sum(claim["left_out"].values()) > 0
    assert sum(map(len, claim["evidence"].values())) > 0


@pytest.mark.parametrize("joint", [1, 2])
def test_a_script_judges_in_one_prompt_or_several(command, sample_home, tmp_path, joint):
    claims = {"claims": [{"text": sentence, "sentence": n} for n, sentence in enumerate(TEXT.split(". "), 1)]}

    def yes(prefix=""):
        said = {"contradicting": []} | ({} if prefix else {"reason": "so"})
        ids = {"graph": [f"{prefix}G1"], "literature": [f"{prefix}L1"], "both": [f"{prefix}G1", f"{prefix}L1"]}
        each = {source: said | {"supporting": cited} for source, cited in ids.items()}
        return {"reason": "so", **each} if prefix else each

    replies = [claims, yes(), yes()] if joint == 1 else [claims, {"C1": yes("C1"), "C2": yes("C2")}]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    told = command("--home", sample_home, "--model", f"scripted:{script}", "ground", TEXT, "--joint", joint).json
    assert told["groundedness"] == dict.fromkeys(("graph", "literature", "both"), 1.0)
    assert told["usage"]["calls"] == len(replies)
    assert told["usage"]["judge_calls_per_claim"] == (len(replies) - 1) / 2


@pytest.mark.parametrize(
    ("argv", "seen"),
    [
        (["--hops", 0], "hops = 0"),
        (["--hops", 5], "hops = 5"),
        (["--judge", "nil:x"], "there is no judge"),
        (["--joint", 0], "joint = 0"),
        (["--evidence-tokens", 0], "evidence_tokens"),
    ],
)
def test_values_out_of_range_and_unknown_judges_are_refused(ground, argv, seen):
    told = ground(TEXT, *argv)
    assert told.code == 2
    assert seen in told.err


def test_the_rules_can_judge_claims_that_a_model_split(command, sample_home, tmp_path):
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"claims": [{"text": "Simvastatin lowers cholesterol.", "sentence": 1}]}))
    argv = ["--home", sample_home, "--model", f"scripted:{script}", "ground", TEXT, "--judge", "rules"]
    told = command(*argv).json
    assert told["model"].startswith("rules")
    assert (told["usage"]["calls"], told["usage"]["judge_calls"]) == (1, 0)
    assert told["groundedness"]["both"] == 1.0


UNREAD = "Larger confirmatory studies are warranted."


def test_an_unreadable_text_has_exit_code_1_and_names_other_judges(ground):
    told = ground(UNREAD)
    assert told.code == 1
    assert all(name in told.err for name in ("nli:NAME", "minicheck:NAME", "--model NAME"))
    assert [claim["flags"] for claim in told.json["claims"]] == [["unread", "unlinked"]]
    assert told.json["groundedness"]["both"] is None
    assert told.json["claims_failed"]["both"] == 1


@pytest.mark.parametrize(("texts", "code"), [([UNREAD], 1), ([UNREAD, "Simvastatin lowers cholesterol."], 0)])
@pytest.mark.parametrize("kept", [True, False])
def test_a_file_has_exit_code_1_only_if_no_text_can_be_read(command, sample_home, tmp_path, texts, code, kept):
    source, out = tmp_path / "texts.txt", tmp_path / "out.jsonl"
    source.write_text("\n".join(texts) + "\n")
    told = command("--home", sample_home, "ground", "--file", source, *(["--out", out] if kept else []))
    assert told.code == code, told.err
    if kept:
        assert (told.json["unread"], told.json["unusable"], told.json["failed"]) == (1, 0, 0)


def test_an_answer_names_its_releases_and_the_weights_of_its_judge(ground):
    told = ground("Simvastatin lowers cholesterol.").json
    assert {name.partition(":")[0] for name in told["release"]} == {"pubtator3", "concepts", "documents", "pubmed"}
    assert told["weights"] == shipped().sha256
    stances = {piece["stance"] for piece in told["claims"][0]["evidence"]["literature"]}
    assert "supports" in stances
    assert stances <= {"supports", "contradicts", "about_both", "about_one", None}


ODD = {
    "another language": "\u963f\u53f8\u5339\u6797\u53ef\u4ee5\u6cbb\u7597\u5934\u75db\u3002 \u0410\u0441\u043f\u0438\u0440\u0438\u043d \u043b\u0435\u0447\u0438\u0442.",
    "right to left": "\u0627\u0644\u0623\u0633\u0628\u0631\u064a\u0646 \u064a\u0639\u0627\u0644\u062c.",
    "markup": "<html><body><p>Aspirin <b>treats</b> headache.</p><script>x()</script></body></html>",
    "controls": "Aspirin\x07 treats\x1b[31m headache.\x08 Aspirin\u202e treats fever.",
    "line ends": "Aspirin treats\r\nheadache.\x0bAspirin treats\u2028fever.",
    "emoji": "\U0001f48a treats \U0001f915.",
    "one long word": "x" * 100_000,
    "figures": "1 2 3 4.5 6e7 " * 50,
}


@pytest.mark.parametrize("name", ODD)
def test_unusual_texts_get_a_report(ground, name):
    told = ground(ODD[name])
    unread = [claim for claim in told.json["claims"] if "unread" in claim["flags"]]
    assert told.code == (1 if unread and unread == told.json["claims"] else 0), told.err
    for claim in told.json["claims"]:
        start, end = claim["span"]
        assert told.json["text"][start:end] == claim["sentence"]
        assert set(claim["verdicts"].values()) <= {"supported", "contradicted", "not_enough"} or claim in unread


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_an_empty_text_is_bad_input(ground, text):
    told = ground(text)
    assert told.code == 2
    assert "empty text" in told.err


@pytest.mark.slow
def test_a_text_of_100_kb_is_judged_whole(ground, tmp_path):
    sentences = [f"Simvastatin lowers cholesterol by {n} percent." for n in range(2200)]
    text = tmp_path / "long.jsonl"
    text.write_text(json.dumps({"text": " ".join(sentences)}))
    (told,) = ground("--file", text).json
    assert len(told["text"]) > 100_000
    assert len(told["claims"]) >= 2200
    assert told["claims_failed"] == dict.fromkeys(("graph", "literature", "both"), 0)


@pytest.mark.parametrize("name", ["ground", "risk"])
def test_bytes_that_are_not_text_are_bad_input(command, sample_home, name):
    told = command("--home", sample_home, name, "aspirin \udcff lowers pain")
    assert told.code == 2
    assert "not UTF-8" in told.err


def test_doctor_looks_at_the_judge(command, sample_home, monkeypatch):
    named = {}
    for judge in ("rules", "nobody"):
        monkeypatch.setenv("TRUTHHYPO_JUDGE", judge)
        told = command("--home", sample_home, "doctor")
        named |= {check["name"]: check["ok"] for check in told.json["checks"]}
    assert named["judge rules"] is True
    assert named["judge nobody"] is False


@pytest.mark.parametrize("text", ["Does simvastatin lower cholesterol? Is it so?", "Results:", "..."])
def test_a_text_without_a_claim_is_judged_with_nothing_measured(ground, text):
    told = ground(text)
    sources = ("graph", "literature", "both")
    assert (told.code, told.json["claims"]) == (0, [])
    assert told.json["groundedness"] == told.json["coverage"] == dict.fromkeys(sources)
    assert told.json["claims_judged"] == told.json["claims_failed"] == dict.fromkeys(sources, 0)
    assert told.json["sentences_missed"] == []


@pytest.mark.parametrize("name", ["ground", "risk"])
def test_texts_without_a_claim_in_a_file_count_as_judged(command, sample_home, tmp_path, name):
    texts = tmp_path / "texts.txt"
    texts.write_text("Does simvastatin lower cholesterol?\nResults:\n", "utf-8")
    told = command("--home", sample_home, name, "--file", texts, "--out", tmp_path / "out.jsonl")
    assert (told.code, told.json["written"], told.json["unusable"], told.json["failed"]) == (0, 2, 0, 0)
    assert command("--home", sample_home, name, "--file", texts).code == 0


@pytest.mark.parametrize("name", ["ground", "risk"])
def test_help_says_that_a_text_with_nothing_to_measure_has_exit_code_0(capsys, name):
    assert run([name, "--help"]) == 0
    assert "the exit code is 0" in " ".join(capsys.readouterr().out.split())


CLAIM = "Simvastatin lowers cholesterol."


@pytest.fixture
def ask(command, sample_home):
    return lambda *argv: command("--home", sample_home, *argv)


def test_risk_shows_the_closest_sentence_and_its_words(ask):
    asked = ask("risk", CLAIM)
    words = asked.json["sentences"][0]["words"]
    assert {"pmid", "sentence", "score", "retracted", "raw", "expanded", "opposites", "flags"} == set(words)
    assert 0.0 < words["raw"] <= 1.0
    assert "cholesterol" in words["sentence"].lower()


def test_words_can_be_left_out_and_change_no_number(ask):
    without = ask("risk", CLAIM, "--no-words").json["sentences"][0]
    beside = ask("risk", CLAIM).json["sentences"][0]
    assert without["words"] is None
    assert without | {"words": 0} == beside | {"words": 0}


def test_the_pmid_cut_also_limits_the_closest_sentence(ask):
    assert ask("risk", CLAIM, "--before", "1").json["sentences"][0]["words"] is None


def test_risk_is_measured_if_the_literature_cannot_be_reached(ask):
    asked = ask("risk", CLAIM, "--literature", "http://127.0.0.1:9")
    assert asked.json["sentences"][0]["status"] == "measured"
    assert asked.json["sentences"][0]["words"] is None
