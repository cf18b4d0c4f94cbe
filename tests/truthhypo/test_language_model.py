"""The walk with a real small language model on loopback. What it says is chance; that it says it in shape is tested."""

import pytest


@pytest.fixture
def ask(command, sample_home, language_model_address, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", language_model_address)
    monkeypatch.setenv("TRUTHHYPO_MODEL_TOKENS", "200")
    return lambda *argv: command("--home", sample_home, "--model", "openai:smollm2", *argv)


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
