"""Texts without a usable answer of the language model are counted and reported, and asked again if that may help."""

import json

import pytest

from tests.loopback import Answer, claims_wanted, completion, serving, well
from truthhypo.faces.many.batch import Batch
from truthhypo.faces.many.sources import Said

TEXTS = [
    "Simvastatin lowers cholesterol.",
    "Aspirin causes myocardial infarction.",
    "Metformin treats type 2 diabetes mellitus.",
    "Warfarin prevents thrombosis.",
    "Levodopa treats Parkinson disease.",
]
OUT_OF_ORDER = Answer('{"error": {"message": "trouble"}}', 500)
HANGING = Answer(delay=3)
REFUSAL = completion(None, refusal="I cannot help with that")
GARBAGE = completion("Certainly! The claim is supported.")


@pytest.fixture
def server():
    with serving() as server:
        yield server


@pytest.fixture
def ask(command, sample_home, server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("TRUTHHYPO_MODEL_WAIT", "0.001")
    monkeypatch.setenv("TRUTHHYPO_MODEL_TIMEOUT", "1")
    held = ("--home", sample_home, "--model", "openai:m")
    return lambda *argv: command(*held, *argv, "--no-cache")


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS), "utf-8")
    return path


def on(stage, **answers):
    """A server that answers well, except if a question of the given stage (claims, judging, any) contains a name."""

    def answering(asked):
        here = stage == "any" or (stage == "claims") == claims_wanted(asked)
        question = asked["messages"][1]["content"].split("</claim>")[0]
        return next((answer for name, answer in answers.items() if here and name in question), well(asked))

    return answering


def records(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("stage", ["claims", "judging"])
def test_calls_without_a_reply_are_failed_texts_and_are_asked_again(ask, server, texts, tmp_path, stage):
    out = tmp_path / "out.jsonl"
    server.answering = on(stage, Aspirin=OUT_OF_ORDER, Metformin=HANGING, Warfarin=REFUSAL)
    told = ask("ground", "--file", texts, "--out", out, "--concurrency", 1)
    assert told.code == 1, told.err
    assert told.json.items() >= {"written": 3, "kept": 0, "failed": 2, "unusable": 1, "left": 0}.items()
    assert [("error" in each, "unanswered" in each["claims"][0]["flags"]) for each in records(out)] == [
        (False, False),
        (True, True),
        (True, True),
        (False, False),
        (False, False),
    ]
    assert "refused the call" in records(out)[1]["error"]["seen"]
    assert "time limit of 1 s" in records(out)[2]["error"]["seen"]
    server.answering = well
    told = ask("ground", "--file", texts, "--out", out, "--concurrency", 1)
    assert told.json.items() >= {"written": 2, "kept": 3, "failed": 0, "unusable": 1}.items()
    assert told.code == 1, "the refusal is kept, and stays a thing to look at"
    assert [each["claims_judged"]["both"] for each in records(out)] == [1, 1, 1, 0, 1]


def test_unusable_replies_are_counted_and_kept(ask, server, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    server.answering = lambda asked: GARBAGE
    for written, kept in ((5, 0), (0, 5)):
        told = ask("ground", "--file", texts, "--out", out)
        assert told.code == 1
        assert told.json.items() >= {"written": written, "kept": kept, "failed": 0, "unusable": 5}.items()
        assert "no usable reply" in told.err


def test_one_claim_without_a_reply_is_enough_for_a_text_to_be_asked_again(ask, server, tmp_path):
    out, path = tmp_path / "out.jsonl", tmp_path / "two.txt"
    path.write_text(" ".join(TEXTS[:2]), "utf-8")
    server.answering = on("judging", Aspirin=OUT_OF_ORDER)
    told = ask("ground", "--file", path, "--out", out)
    assert (told.code, told.json["failed"], told.json["unusable"]) == (1, 1, 0)
    assert records(out)[0]["claims_judged"]["both"] == 1, "what could be judged is on record"
    server.answering = well
    told = ask("ground", "--file", path, "--out", out)
    assert (told.code, told.json["written"], records(out)[0]["claims_failed"]["both"]) == (0, 1, 0)


@pytest.mark.parametrize(("answer", "failed"), [(OUT_OF_ORDER, 1), (GARBAGE, 0)])
def test_without_out_a_text_with_an_unusable_answer_is_exit_code_1(ask, server, texts, answer, failed):
    server.answering = on("judging", Aspirin=answer)
    told = ask("ground", "--file", texts, "--concurrency", 1)
    assert told.code == 1
    assert len(told.json) == 5
    assert ("error" in told.json[1]) == bool(failed)


@pytest.mark.parametrize("answer", [OUT_OF_ORDER, GARBAGE, REFUSAL])
def test_a_text_without_a_judged_claim_is_exit_code_1(ask, server, answer):
    server.answering = on("judging", Aspirin=answer)
    told = ask("ground", TEXTS[1])
    assert told.code == 1
    assert told.json["claims_judged"]["both"] == 0
    assert "could be judged" in told.err
    assert ask("ground", " ".join(TEXTS[:2])).code == 0, "one claim could be judged"


def test_a_hypothesis_without_a_relation_is_exit_code_1(ask, server):
    server.answering = lambda asked: GARBAGE
    told = ask("hypothesize", "simvastatin", "HMGCR")
    assert (told.code, told.json["relation"]) == (1, None)
    assert "no relation" in told.err


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (OUT_OF_ORDER, "refused the call"),
        (HANGING, "time limit of 1 s"),
        (REFUSAL, "refused by the model"),
        (completion('{"claims": [{"te'), "not one JSON document"),
        (completion(""), "the reply is empty"),
        (Answer('{"id": "1", "object": "chat.completion", "choices": []}'), "contains no choice"),
    ],
)
def test_why_a_text_was_not_split_into_claims_is_reported(ask, server, texts, answer, seen):
    server.answering = on("claims", Aspirin=answer)
    told = ask("ground", "--file", texts, "--concurrency", 1)
    [claim] = told.json[1]["claims"]
    assert "undivided" in claim["flags"]
    assert seen in claim["reason"]
    assert claim["reason"].startswith("The model gave no usable list of claims for this text: ")


def test_a_record_of_a_text_that_failed_in_part_is_judged_again(tmp_path):
    claim = {"flags": ["unanswered"], "reason": "busy", "verdicts": {"both": "failed"}}
    out, replies = tmp_path / "out.jsonl", [[claim], []]

    def check(text):
        return {"text": text, "claims": replies.pop(0)}

    first = Batch(out, {}).run([Said(1, "one")], check)
    again = Batch(out, {}).run([Said(1, "one")], check)
    assert (first["failed"], first["written"]) == (1, 0)
    assert (again["failed"], again["written"], again["kept"]) == (0, 1, 0)
    assert "error" not in records(out)[0]
