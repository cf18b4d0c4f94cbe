"""`bench run` and `bench rescore` with a model on loopback: complete runs, killed and resumed runs."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from benchmarks.performance.measure import program
from tests.loopback import Answer, completion, schema_of
from tests.truthhypo.bench import small_set
from truthhypo.bench.runs import Run
from truthhypo.bench.suite import read, shipped

#: Records of the suite: 9 instances, answered by the rules once in one of two settings, and by the model twice in both.
WHOLE = 9 * (1 + 2 * 2)
#: In all four settings: the rules in three.
EVERY = 9 * (3 + 4 * 2)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def keyed(folder: Path) -> dict:
    """Records by key, without what differs from run to run."""
    varying = ("usage", "seconds")
    found = {}
    for entry in Run(folder).entries():
        shape = {name: value for name, value in entry.to_dict().items() if name not in varying}
        for grounding in shape["groundedness"].values():
            grounding.pop("seconds")
        found[entry.key] = shape
    return found


def test_a_complete_run_is_recorded_and_measured(run_bench, folder, server):
    four = small_set.HEAD.replace('"kg+lit"]', '"kg", "lit", "kg+lit"]')
    told = run_bench("--concurrency", 1, suite=small_set.suite(folder, head=four))
    assert told.code == 0, told.err
    assert told.json.items() >= {"records": EVERY, "written": EVERY, "answered": EVERY, "failed": 0, "left": 0}.items()
    records = lines(folder / "out" / "records.jsonl")
    assert len({tuple(r[n] for n in ("dataset", "instance", "model", "setting", "sample")) for r in records}) == EVERY
    drawn = [r for r in records if r["model"] == "openai:m"]
    assert {(r["sample"], r["seed"]) for r in drawn} == {(0, 0), (1, 1)}
    assert {bool(r["knowledge"]) for r in drawn if r["setting"] != "parametric"} == {True}
    assert {bool(r["knowledge"]) for r in drawn if r["setting"] == "parametric"} == {False}
    assert all(r["groundedness"]["openai:m"]["claims"] for r in drawn)
    assert sum(r["usage"]["calls"] for r in records) == len(server.requests)
    manifest = json.loads((folder / "out" / "manifest.json").read_text("utf-8"))
    assert manifest["format"] == 1
    assert manifest["datasets"]["set"]["probed"] == []
    assert manifest["prompts"]["hypothesize"]["version"] == "1"
    assert "sk-not-to-be-shown" not in json.dumps(manifest)
    scores = json.loads((folder / "out" / "measures.json").read_text("utf-8"))
    ways = {(c["model"], c["select"]) for c in scores["cells"]}
    assert ways == {("rules", "greedy"), *(("openai:m", way) for way in ("greedy", "majority", "groundedness"))}
    # The model always gives the first label: a third of its relations is right. It calls all pairs related, and 2 of 3
    # are, so F1 is 2 * 2 / (2 * 2 + 1).
    cell = next(c for c in scores["cells"] if (c["model"], c["task"]) == ("openai:m", "average"))
    assert cell["measures"]["relation_accuracy_micro"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert cell["measures"]["link_f1_micro"]["value"] == pytest.approx(0.8)
    assert scores["missing"] == {"records": 0, "of": EVERY}


def test_a_model_is_shown_questions_without_their_gold(run_bench, folder, server):
    assert run_bench("--concurrency", 1).code == 0
    asked = [r["messages"][1]["content"] for r in server.requests if "rationale" in schema_of(r)["properties"]]
    cases = lines(folder / "set" / "cases.jsonl")
    shown = {question for question in (case["question"] for case in cases) if any(question in text for text in asked)}
    assert len(shown) == 9
    assert all(any(text.endswith(question) for question in shown) for text in asked), "nothing after the question"


def test_a_finished_run_is_read_and_nothing_is_asked(run_bench, folder, server):
    assert run_bench().code == 0
    before, held = len(server.requests), (folder / "out" / "records.jsonl").read_bytes()
    told = run_bench()
    assert (told.code, told.json["kept"], told.json["written"]) == (0, WHOLE, 0)
    assert len(server.requests) == before
    assert (folder / "out" / "records.jsonl").read_bytes() == held


@pytest.mark.parametrize("kills", [(14,), pytest.param((14, 24), marks=pytest.mark.slow)], ids=["once", "twice"])
def test_a_killed_run_ends_in_the_same_records(run_bench, folder, server, kills):
    assert run_bench(out="undisturbed").code == 0
    shutil.rmtree(folder / "home" / "cache")
    server.answering = lambda asked: Answer(small_set.answering(asked).body, delay=0.05)
    words = program(
        "bench", "run", small_set.suite(folder), "--out", folder / "out", "--home", folder / "home", "--json"
    )
    path = folder / "out" / "records.jsonl"
    for wanted in kills:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while not (path.exists() and path.read_bytes().count(b"\n") >= wanted):
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with path.open("ab") as stream:
            stream.write(b'{"dataset": "set", "inst')  # cut off in the middle of a record
    done = len(complete_lines(path))
    told = run_bench()
    assert told.code == 0, told.err
    assert told.json["kept"] == done
    assert kills[-1] <= done < WHOLE
    assert keyed(folder / "out") == keyed(folder / "undisturbed")
    assert len(lines(path)) == WHOLE, "one line a record"


def complete_lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)[:-1]


def test_a_budget_stops_and_a_higher_one_continues(run_bench, folder, server):
    told = run_bench("--budget-tokens", 20_000, "--concurrency", 1)
    assert told.code == 1
    assert "budget" in told.err
    assert 0 < told.json["left"] < WHOLE
    assert told.json["usage"]["prompt_tokens"] + told.json["usage"]["completion_tokens"] <= 20_000
    assert told.json["measures"] is None
    assert run_bench().json.items() >= {"left": 0, "kept": told.json["written"]}.items()


def test_unusable_replies_are_recorded_as_failures_and_not_as_answers(run_bench, folder, server):
    def answering(asked):
        if "potential relation between Disease" in asked["messages"][1]["content"]:
            return completion("I would say stimulate.")
        return small_set.answering(asked)

    server.answering = answering
    told = run_bench("--concurrency", 1)
    assert told.code == 1
    failed = [r for r in lines(folder / "out" / "records.jsonl") if r["failure"]]
    assert failed
    assert {(r["answer"], r["failure"]["kind"]) for r in failed} == {(None, "reply")}
    scores = json.loads((folder / "out" / "measures.json").read_text("utf-8"))
    cell = next(c for c in scores["cells"] if (c["model"], c["task"], c["select"]) == ("openai:m", "average", "greedy"))
    assert (cell["n"], cell["answered"], cell["failed"]) == (9, 6, 3)
    assert cell["measures"]["link_accuracy"]["n"] == 6
    assert any("failed, and no measure counts them" in warning for warning in scores["warnings"])
    assert run_bench().json["kept"] == WHOLE, "unusable words are not asked for again"


def test_a_model_that_is_gone_ends_the_run_and_keeps_what_was_done(run_bench, folder, server):
    server.answering = lambda asked: Answer('{"error": {"message": "bad key"}}', 401)
    told = run_bench("--concurrency", 1)
    assert told.code == 3
    assert {r["model"] for r in lines(folder / "out" / "records.jsonl")} == {"rules"}
    server.answering = small_set.answering
    assert run_bench().json.items() >= {"kept": 9, "left": 0, "failed": 0}.items()


def test_shipped_suites_are_read_and_their_baselines_answer_everything(run_bench, folder, command):
    assert run_bench(suite="floor").code == 2, "its set has no path"
    told = run_bench("--data", f"set={folder / 'set'}", suite="floor")
    assert told.code == 0, told.err
    assert told.json.items() >= {"records": 36 * 8, "answered": 36 * 8}.items()
    records = lines(folder / "out" / "records.jsonl")
    learned = [r for r in records if r["model"] == "baseline:degree_product"]
    assert all(abs(sum(r["candidates"].values()) - 1) < 1e-5 for r in learned)
    assert {read(name, {"set": "x"}).name for name in shipped()} == {"floor", "paper", "small"}


def test_a_run_into_a_folder_of_a_shipped_suite_s_name_continues(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "floor").mkdir()
    assert read("floor", {"set": "x"}).name == "floor"
