"""Several answers for one hypothesis, asked concurrently if the model is slow."""

import json
import time
from threading import Lock

import pytest

from groundwork.errors import ModelUnreachable
from groundwork.llm.scripted import ScriptedModel
from groundwork.settings import Settings
from tests.loopback import completion, serving
from truthhypo.connection import connect
from truthhypo.hypotheses.generate import one_by_one
from truthhypo.together import together
from truthhypo.worker_pool import YieldingModel
from truthhypo.world import World


@pytest.fixture
def server(monkeypatch):
    with serving() as server:
        server.answering = answering
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield server


def answering(asked):
    """Answer with one rationale per seed, one claim per rationale, and a verdict that depends on the claim."""
    shape = asked["response_format"]["json_schema"]["schema"]
    told, prompt = shape["properties"], asked["messages"][-1]["content"]
    if "relation" in told:
        seed = asked.get("seed") or 0
        said = {"rationale": f"Simvastatin inhibits HMGCR, as answer {seed} says.", "relation": "negative_correlate"}
    elif "claims" in told:
        number = prompt.partition("as answer ")[2][:1]
        said = {"claims": [{"text": f"Simvastatin inhibits HMGCR {number}.", "sentence": 1}]}
    else:
        side = "supporting" if "HMGCR 2." in prompt else "contradicting"
        own = {"reason": "so", "supporting": [], "contradicting": []} | {side: ["G1"]}
        both = {name: own | {side: ["L1"]} if name == "literature" else own for name in told}
        said = own if "reason" in told else both
    return completion(json.dumps(said))


def overlapping(server):
    """Return `answering` with answers that wait until the server has had two questions at once, or for 20 seconds."""

    def waiting(asked):
        given_up = time.monotonic() + 20
        while server.most < 2 and time.monotonic() < given_up:
            time.sleep(0.01)
        return answering(asked)

    return waiting


@pytest.mark.parametrize("select", ["majority", "groundedness"])
def test_answers_that_are_asked_for_and_judged_concurrently_equal_those_one_by_one(
    command, server, sample_home, monkeypatch, select
):
    argv = ("--home", sample_home, "--model", "openai:m", "hypothesize", "simvastatin", "HMGCR", "--no-cache")

    def told(concurrency):
        server.most = 0
        server.answering = answering if concurrency == 1 else overlapping(server)
        monkeypatch.setenv("TRUTHHYPO_MODEL_CONCURRENCY", str(concurrency))
        found = command(*argv, "-n", 4, "--select", select)
        assert found.code == 0, found.err
        return {**found.json, "usage": {**found.json["usage"], "seconds": 0}}, server.most

    (alone, one), (beside, several) = told(1), told(4)
    assert (one, several > 1) == (1, True)
    assert alone == beside
    assert [candidate["rationale"][-7] for candidate in beside["candidates"]] == ["0", "1", "2", "3"]
    if select == "groundedness":
        assert beside["rationale"].startswith("Simvastatin inhibits HMGCR, as answer 2")


class Several(ScriptedModel):
    """Allows three concurrent questions."""

    concurrency = 3

    def account(self):
        return self

    def ask_all(self, questions, progress=None):
        raise AssertionError("not asked here")


def test_begun_work_is_waited_for_and_the_first_error_is_raised(tmp_path):
    ended, counting = [], Lock()

    def work(number):
        with counting:
            ended.append(number)
        if number in {1, 2}:
            raise ModelUnreachable(f"number {number}", "an answer", "ask again")
        return number

    _, each = together(World(Settings(home=tmp_path)).with_model(Several([])))
    assert each(work, [0, 3, 4]) == [0, 3, 4]
    with pytest.raises(ModelUnreachable, match="number 1"):
        each(work, [0, 1, 2, 3, 4])
    assert sorted(ended) == [0, 0, 1, 2, 3, 3, 4, 4]


def test_models_for_one_question_at_a_time_and_models_of_a_worker_pool_are_asked_one_by_one(tmp_path):
    world = World(Settings(home=tmp_path))
    for model in (ScriptedModel([]), YieldingModel(Several([]), Lock())):
        own = world.with_model(model)
        assert together(own) == (own, one_by_one)


def test_many_texts_and_pairs_from_python_are_judged_concurrently(server, sample_home, tmp_path, monkeypatch):
    monkeypatch.setenv("TRUTHHYPO_MODEL_CACHE", "false")
    texts = [f"Simvastatin inhibits HMGCR, as answer {number} says." for number in range(6)]
    server.answering = overlapping(server)
    with connect(home=sample_home, model="openai:m") as world:
        many = world.ground_many([*texts, ""], progress=False, out=tmp_path / "grounds.jsonl")
        assert server.most > 1
        assert many.to_frame()["groundedness_both"].fillna(-1).tolist() == [0, 0, 1, 0, 0, 0, -1]
        assert many.summary["usage"]["calls"] >= 12
        server.most = 0
        pairs = world.hypothesize_many([("simvastatin", "HMGCR")] * 4, progress=False).to_frame()
        assert server.most > 1
        assert pairs["relation"].tolist() == ["negative_correlate"] * 4
        assert pairs["model"].tolist() == ["openai:m"] * 4
    with connect(home=sample_home) as world:
        again = world.with_model("openai:m").ground_many([*texts, ""], progress=False, out=tmp_path / "grounds.jsonl")
        assert (again.summary["kept"], again.summary["written"]) == (6, 0)
