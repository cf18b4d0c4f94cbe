"""Commands with a real small language model on loopback. Its answers are random. The tests check only their shape.

One judgement runs in `make test`. The other tests, such as a killed batch, are slow.
"""

import json
import shutil

import pytest

from benchmarks.performance.measure import program
from tests.loopback import claims_wanted, passing_on, serving
from tests.truthhypo.killing import killed_at

TEXTS = ["Simvastatin lowers cholesterol.", "Warfarin prevents thrombosis.", "Aspirin causes myocardial infarction."]


@pytest.fixture
def ask(command, sample_home, language_model_address, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", language_model_address)
    monkeypatch.setenv("TRUTHHYPO_MODEL_TOKENS", "200")
    return lambda *argv: command("--home", sample_home, "--model", "openai:smollm2", *argv)


@pytest.mark.slow
def test_hypothesize_with_a_real_model(ask):
    told = ask("hypothesize", "simvastatin", "HMGCR", "--setting", "kg", "--hops", 1)
    found = told.json
    assert told.code == (1 if found["relation"] is None else 0), told.err
    assert found["model"] == "openai:smollm2"
    assert found["relation"] in {"positive_correlate", "negative_correlate", "no_relation", None}
    assert found["rationale"]
    assert found["usage"]["calls"] in {1, 2}
    assert found["usage"]["prompt_tokens"] > 50


def test_ground_with_a_real_model(ask):
    told = ask("ground", "Simvastatin lowers cholesterol.", "-k", 1)
    report = told.json
    assert told.code == (1 if report["claims"] and not report["claims_judged"]["both"] else 0), told.err
    assert report["model"] == "openai:smollm2"
    assert report["usage"]["calls"] >= 1
    for claim in report["claims"]:
        assert set(claim["verdicts"].values()) <= {"supported", "contradicted", "not_enough", "failed"}
        held = {piece["id"] for pieces in claim["evidence"].values() for piece in pieces}
        assert set(claim["cited"]) <= held
    for source, score in report["groundedness"].items():
        assert (score is None) == (report["claims_judged"][source] == 0)


@pytest.fixture
def listening(language_model_address, monkeypatch):
    """The real model, behind a server that stores the questions."""
    with serving(passing_on(language_model_address)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("TRUTHHYPO_MODEL_TOKENS", "200")
        yield server


@pytest.mark.slow
def test_a_batch_with_a_real_model_that_is_killed_continues_and_asks_nothing_twice(
    listening, command, sample_home, tmp_path
):
    home, texts, out = tmp_path / "home", tmp_path / "texts.txt", tmp_path / "out.jsonl"
    shutil.copytree(sample_home, home)
    texts.write_text("\n".join(TEXTS), "utf-8")
    argv = ["--home", home, "--model", "openai:smollm2", "ground", "--file", texts, "--out", out]
    argv += ["-k", 1, "--tau", 1000, "--concurrency", 1]  # edges alone: short prompts
    killed_at(out, 1, program(*argv))
    first = json.loads(out.read_text("utf-8").splitlines()[0])
    told = command(*argv)
    assert told.code in {0, 1}, told.err  # exit code 1: no reply was a usable answer
    assert told.json.items() >= {"texts": 3, "left": 0, "failed": 0}.items()
    assert (told.json["kept"] >= 1, told.json["kept"] + told.json["written"]) == (True, 3)
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [record["text"] for record in records] == TEXTS
    assert records[0] == first
    questions = [json.dumps(each, sort_keys=True) for each in listening.requests]
    assert len(questions) - len(set(questions)) <= 1, "only what was under way when it was killed"
    assert command(*argv).json.items() >= {"kept": 3, "written": 0}.items()
    assert len(listening.requests) == len(questions)


def test_pairs_are_judged_by_a_real_model(listening, command, tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("claim,evidence,label\nZinc cures colds.,Zinc shortened colds.,Supports\n", "utf-8")
    told = command(
        "--home", tmp_path, "--graph", "memory:", "bench", "calibrate", "--data", pairs, "--judge", "openai:smollm2"
    )
    assert told.code in {0, 1}, told.err  # exit code 1: all verdicts are equal, as there is only one
    assert (told.json["judge"], told.json["n"]) == ("openai:smollm2", 1)
    assert sum(sum(row.values()) for row in told.json["confusion"].values()) == 1
    assert listening.requests
    assert not any(claims_wanted(asked) for asked in listening.requests)
