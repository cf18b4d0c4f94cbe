"""Watched statements in the background of a service: a run waits for closed stores, and a stop makes no statement
fail."""

import asyncio
import time
from threading import Thread

import pytest

from groundwork.errors import StoreBusy, UnfitText
from groundwork.settings import Settings
from truthhypo.faces import watch_runner
from truthhypo.faces.watch_runner import WatchRunner
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.watchlist import WatchList

GOOD = {"state": "now", "digest": "a b", "judgement": {"claims": [], "risks": [], "hrs": None, "pmids": []}}


class Engine:
    """Returns or raises the given answers and errors, one after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)

    async def look(self, _call):
        return await self.work("", None)

    async def work(self, _name, _asked):
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def busy():
    return StoreBusy("closed", "open", "wait")


@pytest.mark.parametrize(
    ("answers", "problem", "errors"),
    [
        (["now", GOOD, GOOD], None, []),
        ([busy(), "now", ProblemRaised(Problem.of(busy())), GOOD, GOOD], None, []),
        (["now", GOOD, asyncio.CancelledError()], "StoreBusy", []),
        (["now", ProblemRaised(Problem.of(UnfitText("bad", "good", "mend"))), GOOD], None, ["bad"]),
        ([ValueError("a bug")], "Internal Server Error", []),
    ],
)
def test_a_run_waits_for_closed_stores_and_a_stop_makes_no_statement_fail(
    tmp_path, monkeypatch, answers, problem, errors
):
    monkeypatch.setattr(watch_runner, "_PAUSE", 0.01)
    statements = WatchList(Settings(home=tmp_path))
    statements.add("One.")
    statements.add("Two.")
    runner = WatchRunner(statements, Engine(*answers))
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    runner.start(loop)
    until = time.monotonic() + 20
    while runner.state.running and time.monotonic() < until:
        time.sleep(0.01)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    assert not runner.state.running
    assert (runner.state.problem and runner.state.problem.title) == problem
    assert [each.error["seen"] for each in statements.all() if each.error] == errors


def test_a_cancelled_run_keeps_what_is_judged_and_the_next_one_continues(tmp_path):
    statements = WatchList(Settings(home=tmp_path))
    for text in ("One.", "Two.", "Three."):
        statements.add(text)
    asked = []

    class Slow(Engine):
        async def work(self, name, given):
            asked.append(given and given.statement.text)
            if asked.count("Two.") == 1 and asked[-1] == "Two.":
                await asyncio.sleep(60)
            return "now" if given is None else GOOD

    runner = WatchRunner(statements, Slow())
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()

    def wait(until):
        end = time.monotonic() + 20
        while not until() and time.monotonic() < end:
            time.sleep(0.01)

    try:
        runner.start(loop)
        wait(lambda: "Two." in asked)
        run = runner.state
        runner.cancel()
        wait(lambda: not runner.state.running)
        cancelled, kept = runner.state, [(each.judged, each.error) for each in statements.all()]
        runner.start(loop)
        wait(lambda: not runner.state.running)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    assert (run.phase, run.done, run.total) == ("running", 1, 3)
    assert run.rate > 0
    assert (cancelled.phase, cancelled.done, cancelled.problem) == ("cancelled", 1, None)
    assert kept == [(True, None), (False, None), (False, None)]
    assert runner.state.phase == "done"
    assert asked == [None, "One.", "Two.", None, "Two.", "Three."]
    assert all(each.judged for each in statements.all())
