"""The set as a task of inspect_ai, run by its own command against a model on loopback; `bench run` is the oracle."""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import SampleScore, Score, Target
from inspect_ai.solver import TaskState

from groundwork.errors import InputError
from tests.loopback import Answer, completion, schema_of, serving
from tests.truthhypo.bench import small_set
from tests.truthhypo.conftest import command  # noqa: F401 - a fixture
from truthhypo.bench import sets
from truthhypo.bench.runs import hash_of
from truthhypo.bench.suite import ContextAsked, DatasetAsked
from truthhypo.faces.inspect import hypothesize, measures, relation
from truthhypo.faces.inspect.samples import samples

UNUSABLE = "I would say stimulate."


@pytest.fixture(scope="module")
def made(tmp_path_factory, sample_home) -> tuple[Path, Path]:
    """HOME and the set's folder."""
    return small_set.made(tmp_path_factory.mktemp("inspected"), sample_home)


@pytest.fixture
def server(monkeypatch):
    with serving(answering) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
        yield server


def answering(asked: dict) -> Answer:
    """The first label, but of diseases nothing that can be used."""
    if "potential relation between Disease" in asked["messages"][1]["content"]:
        return completion(UNUSABLE)
    relations = schema_of(asked)["properties"]["relation"]
    labels = relations["enum"] if "enum" in relations else schema_of(asked)["$defs"]["Label"]["enum"]
    return completion(json.dumps({"rationale": "It is known.", "relation": labels[0]}))


def inspected(place: Path, address: str, *more: str, home: Path) -> EvalLog:
    """The log of `inspect eval truthhypo/hypothesize`, in a process of its own."""
    words = [sys.executable, "-m", "inspect_ai", "eval", "truthhypo/hypothesize", "-T", f"data={place / 'set'}"]
    words += ["--model", "openai-api/local/m", "--log-dir", str(home / "logs"), "--display", "none", *more]
    environment = {**os.environ, "LOCAL_BASE_URL": address, "LOCAL_API_KEY": "sk-x", "HOME": str(home)}
    ended = subprocess.run(words, cwd=home, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (log,) = (home / "logs").iterdir()
    return read_eval_log(str(log))


def asked_of(server) -> Counter:
    """What was sent as the first question of a conversation, and how often."""
    return Counter(
        json.dumps(each["messages"], sort_keys=True) for each in server.requests if len(each["messages"]) == 2
    )


def test_inspect_asks_and_measures_what_bench_run_does(command, made, server, tmp_path):  # noqa: F811
    home, place = made
    suite = small_set.suite(place.parent, head='models = ["openai:m"]\nsettings = ["kg+lit"]', samples="n = 1")
    told = command("--home", home, "bench", "run", suite, "--out", tmp_path / "run", "--no-cache", "--concurrency", 1)
    assert told.code == 1, "three answers are unusable"
    ours, sent = json.loads((tmp_path / "run" / "measures.json").read_text("utf-8")), asked_of(server)
    server.requests.clear()
    log = inspected(
        place.parent, server.address, "-T", "setting=kg+lit", "-T", f"home={home}", "-T", "limit=9", home=tmp_path
    )
    assert asked_of(server) == sent
    assert len(server.requests) == 9 + 3, "one repair round each for what was unusable"
    assert log.status == "success"
    (cell,) = [each for each in ours["cells"] if each["task"] == "average"]
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    wanted = {
        key: value
        for name, figure in cell["measures"].items()
        for key, value in ((name, figure["value"]), (f"{name}_low", figure["low"]), (f"{name}_high", figure["high"]))
        if value is not None
    }
    assert found == pytest.approx({**wanted, "asked": 9, "failed_share": 1 / 3})
    failed = [each for each in log.samples if each.scores["relation"].value == "N"]
    assert [each.metadata["task"] for each in failed] == ["Disease & Gene"] * 3
    assert all("not usable" in each.scores["relation"].explanation for each in failed)


@pytest.mark.slow
def test_a_model_that_does_not_answer_is_counted(made, server, tmp_path):
    server.answering = lambda asked: Answer('{"error": {"message": "no"}}', 400)
    log = inspected(made[1].parent, server.address, "-T", "limit=9", "--no-fail-on-error", home=tmp_path)
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert found["failed_share"] == 1
    assert found["relation_accuracy_of_asked"] == 0
    assert "link_accuracy" not in found


def test_nothing_of_the_gold_is_in_a_sample(made):
    home, place = made
    dataset = sets.load("set", DatasetAsked(path=str(place), before=10**9), 0)
    found = samples(dataset, "kg+lit", ContextAsked(), home)
    assert [each.id for each in found] == [case.id for case in dataset.cases]
    assert {each.target for each in found} == {""}
    assert {name for each in found for name in each.metadata} == {"x_id", "y_id", "task", "setting", "knowledge"}
    for each, case in zip(found, dataset.cases, strict=True):
        assert each.input[1].content.endswith(case.question)
        assert each.metadata["knowledge"] is not None
    known = next(each for each in found if each.id == "Chemical|MESH:D019821~Gene|3156")
    assert known.metadata["knowledge"]["chains"] > 0
    assert "chains between the two concepts" in known.input[1].content


def test_a_parametric_task_opens_no_store(made, tmp_path):
    task = hypothesize(data=str(made[1]), home=str(tmp_path / "nowhere"))
    assert {each.metadata["knowledge"] for each in task.dataset} == {None}
    assert not (tmp_path / "nowhere").exists()


def test_other_gold_is_refused(made, tmp_path):
    table = tmp_path / "instances.tsv"
    table.write_text((made[1] / "instances.tsv").read_text("utf-8").replace("\tstimulate\t", "\tinhibit\t"), "utf-8")
    with pytest.raises(InputError, match="SHA-256"):
        relation(str(table), hash_of(made[1] / "instances.tsv"))


@pytest.mark.parametrize("given", [{"setting": "graph"}, {"select": "groundedness"}, {"data": "nowhere"}, {"limit": 2}])
def test_bad_input_is_one_error(made, given):
    with pytest.raises(InputError):
        hypothesize(**{"data": str(made[1]), **given})


REPLIES = {
    '{"rationale": "r", "relation": "positive_correlate"}': "C",
    '{"rationale": "r", "relation": "no_relation"}': "I",
    '{"rationale": "r", "relation": "stimulate"}': "N",
    '{"rationale": "r", "relation": "positive_correlate"} indeed': "N",
    "positive_correlate": "N",
    "": "N",
}


@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_is_read_strictly(made, reply):
    table = made[1] / "instances.tsv"
    state = TaskState(
        ModelName("mockllm/model"),
        "Chemical|MESH:D019821~Gene|3156",
        1,
        "",
        [],
        output=ModelOutput.from_content("m", reply),
        metadata={"x_id": "Chemical|MESH:D019821", "y_id": "Gene|3156", "task": "Chemical & Gene"},
    )
    score = asyncio.run(relation(str(table), hash_of(table))(state, Target("")))
    assert score.value == REPLIES[reply]
    assert (score.answer is None) == (score.value == "N")


def test_of_several_epochs_the_first_or_the_majority_counts():
    def score(sample: str, epoch: int, answer: str | None) -> SampleScore:
        known = {"task": "Chemical & Gene", "gold": "no_relation", "epoch": epoch}
        return SampleScore(score=Score(value="I", answer=answer, explanation="r", metadata=known), sample_id=sample)

    said = {"a": ["no_relation", "positive_correlate", "positive_correlate"], "b": [None, "no_relation", "no_relation"]}
    scores = [score(name, epoch, said[name][epoch - 1]) for epoch in (3, 1, 2) for name in said]
    greedy, majority = measures("greedy")(scores), measures("majority")(scores)
    assert (greedy["asked"], greedy["failed_share"], greedy["relation_accuracy_micro"]) == (2, 0.5, 1.0)
    assert (majority["asked"], majority["failed_share"], majority["relation_accuracy_micro"]) == (2, 0.0, 0.5)
