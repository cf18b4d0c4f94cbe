"""Several items at a time with results in order, also from the event loop and within one hypothesis."""

import asyncio
import json
import time
from concurrent.futures import CancelledError
from contextlib import closing, suppress
from threading import Barrier, Event, Lock, Semaphore
from time import sleep

import pytest
from pydantic import BaseModel

import truthhypo
from groundwork.errors import InputError, ModelUnreachable
from groundwork.llm.scripted import ScriptedModel
from groundwork.ports import Question
from tests.loopback import completion, serving
from truthhypo.connection import connect
from truthhypo.hypotheses.generate import one_by_one
from truthhypo.judging import Judging
from truthhypo.worker_pool import WorkerPool, YieldingModel, together


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_the_order_of_the_items(workers):
    pool = WorkerPool(workers)
    assert [(item, done.result()) for item, done in pool.run(lambda n: n * n, range(20))] == [
        (n, n * n) for n in range(20)
    ]


@pytest.mark.parametrize("workers", [1, 3])
def test_errors_are_kept_with_their_item(workers):
    found = dict(WorkerPool(workers).run(lambda n: 1 // n, [0, 1]))
    assert found[1].result() == 1
    with pytest.raises(ZeroDivisionError):
        found[0].result()


def test_workers_take_turns_except_while_the_model_is_asked():
    turn, together = Lock(), Barrier(3)

    class Asked(ScriptedModel):
        def ask(self, *args, **options):
            together.wait(30)  # all three wait for the model at the same time

    model = YieldingModel(Asked([]), turn)

    def work(_):
        assert turn.locked()
        model.ask("s", "p", None)
        assert turn.locked()
        return "done"

    assert [done.result() for _, done in WorkerPool(3, turn).run(work, range(6))] == ["done"] * 6
    assert not turn.locked()


def test_other_workers_continue_while_one_asks_several_questions():
    turn, asked, worked = Lock(), Event(), Event()

    class Asked(ScriptedModel):
        def ask(self, *args, **options):
            asked.set()
            assert worked.wait(30)  # until another worker had the turn
            return "answer"

    model = YieldingModel(Asked([]), turn)

    def work(asks):
        if asks:
            return model.ask_all([Question("s", "p", BaseModel)] * 2)
        assert turn.locked()
        worked.set()
        return []

    assert [done.result() for _, done in WorkerPool(2, turn).run(work, [True, False])] == [["answer", "answer"], []]
    assert not turn.locked()
    assert asked.is_set()


@pytest.mark.parametrize("workers", [1, 2])
def test_after_a_stop_no_item_is_begun(workers):
    pool, begun = WorkerPool(workers), []
    for item, done in pool.run(begun.append, range(1000)):
        with suppress(CancelledError):
            done.result()
        if item == 3:
            pool.stop()
    assert 4 <= len(begun) <= 4 + 4 * workers


def test_leaving_early_stops_the_workers():
    pool, begun = WorkerPool(2), []
    for _ in pool.run(begun.append, range(1000)):
        break
    assert len(begun) < 100


def test_without_items_there_are_no_results():
    assert list(WorkerPool(4).run(str, [])) == []


def test_after_the_caller_has_left_no_worker_takes_a_turn_again():
    turn, asked, answered, back = Lock(), Semaphore(0), Event(), []

    class Asked(ScriptedModel):
        def ask(self, *args, **options):
            asked.release()
            assert answered.wait(30)

    model = YieldingModel(Asked([]), turn)

    def work(number):
        if number == 0:
            raise KeyError(number)
        model.ask("s", "p", None)
        back.append(number)

    with pytest.raises(KeyError), closing(WorkerPool(3, turn).run(work, range(9))) as outcomes:
        _, first = next(outcomes)
        for _ in range(2):
            assert asked.acquire(timeout=30)  # two wait for the model
        first.result()
    answered.set()
    sleep(0.1)
    assert back == []
    assert turn.locked()


TEXTS = [
    "Simvastatin lowers cholesterol.",
    "Aspirin causes myocardial infarction.",
    "Metformin treats type 2 diabetes mellitus.",
    "Warfarin prevents thrombosis.",
    "Simvastatin inhibits HMGCR.",
    "Honey tastes better than soup.",
]


@pytest.fixture
def world(sample_home):
    with truthhypo.connect(home=sample_home) as world:
        yield world


class Held:
    """`Judging.grounded` that stops at the second text until `go` is set."""

    def __init__(self):
        self.ground, self.begun, self.ended = Judging.grounded, [], []
        self.reached, self.go = Event(), Event()

    def __call__(self, judging, text, *asked):
        self.begun.append(text)
        if text == TEXTS[1]:
            self.reached.set()
            assert self.go.wait(30)
        report = self.ground(judging, text, *asked)
        self.ended.append(text)
        return report


@pytest.mark.parametrize("workers", [1, 3])
def test_a_cancelled_run_ends_after_the_current_text_and_the_same_call_continues_it(world, monkeypatch, workers):
    held = Held()
    monkeypatch.setattr(Judging, "grounded", lambda *args: held(*args))
    monkeypatch.setattr("truthhypo.faces.many.batch.pool_for", lambda model: (WorkerPool(workers, Lock()), model))

    async def cancelled():
        task = asyncio.create_task(world.aground_many(TEXTS, progress=False))
        while not held.reached.is_set() and not task.done():
            await asyncio.sleep(0.01)  # the event loop is free
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0.05)
        assert not task.done()  # the thread still uses the stores
        begun = list(held.begun)
        held.go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert held.begun == held.ended == begun
        return len(begun), await world.aground_many(TEXTS, progress=False)

    done, many = asyncio.run(cancelled())
    assert sorted(held.ended) == sorted(TEXTS)
    assert (many.summary["kept"], many.summary["written"]) == (done, len(TEXTS) - done)


def test_results_and_errors_are_those_of_the_plain_methods(world):
    async def asked():
        pair = "simvastatin", "HMGCR"
        with pytest.raises(InputError, match="of type str"):
            await world.aground(TEXTS[0], before="2020")
        with pytest.raises(TypeError, match=r"ground\(\): "):
            await world.aground(TEXTS[0], befor=1)
        several = world.aground(TEXTS[0], k=4), world.arisk(TEXTS[0], aggregate="max"), world.ahypothesize(*pair, n=2)
        return await asyncio.gather(*several, world.arisk_many(TEXTS, progress=False))

    ground, risk, hypothesis, many = asyncio.run(asked())
    assert ground == world.ground(TEXTS[0], k=4)
    assert risk == world.risk(TEXTS[0], aggregate="max")
    assert hypothesis == world.hypothesize("simvastatin", "HMGCR", n=2)
    assert many.to_frame().equals(world.risk_many(TEXTS, progress=False).to_frame())


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


def test_begun_work_is_waited_for_and_the_first_error_is_raised():
    ended, counting = [], Lock()

    def work(number):
        with counting:
            ended.append(number)
        if number in {1, 2}:
            raise ModelUnreachable(f"number {number}", "an answer", "ask again")
        return number

    _, each = together(Several([]))
    assert each(work, [0, 3, 4]) == [0, 3, 4]
    with pytest.raises(ModelUnreachable, match="number 1"):
        each(work, [0, 1, 2, 3, 4])
    assert sorted(ended) == [0, 0, 1, 2, 3, 3, 4, 4]


def test_models_for_one_question_at_a_time_and_models_of_a_worker_pool_are_asked_one_by_one():
    for model in (None, ScriptedModel([]), YieldingModel(Several([]), Lock())):
        assert together(model) == (model, one_by_one)


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
