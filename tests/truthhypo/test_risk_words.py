"""`risk` with the literature: the closest sentence and its words, and the result without readable literature."""

import pytest

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
