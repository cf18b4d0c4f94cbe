"""Asynchronous methods: the event loop stays free, and a cancelled task ends its work between two texts."""

import asyncio
from threading import Event, Lock

import pytest

import truthhypo
from groundwork.errors import InputError
from truthhypo.judgements import Judgements
from truthhypo.worker_pool import WorkerPool

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
    """`Judgements.ground` that stops at the second text until `go` is set."""

    def __init__(self):
        self.ground, self.begun, self.ended = Judgements.ground, [], []
        self.reached, self.go = Event(), Event()

    def __call__(self, world, text, **options):
        self.begun.append(text)
        if text == TEXTS[1]:
            self.reached.set()
            assert self.go.wait(30)
        report = self.ground(world, text, **options)
        self.ended.append(text)
        return report


@pytest.mark.parametrize("workers", [1, 3])
def test_a_cancelled_run_ends_after_the_current_text_and_the_same_call_continues_it(world, monkeypatch, workers):
    held = Held()
    monkeypatch.setattr(Judgements, "ground", lambda *args, **options: held(*args, **options))
    monkeypatch.setattr(
        "truthhypo.faces.many.run.pool_for", lambda world: (WorkerPool(workers, Lock()), world.for_worker(None))
    )

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
