"""Audits in the background: the page waits for an audit that takes longer than a request, and shows its result or its
error."""

import asyncio
from types import SimpleNamespace

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from truthhypo.faces.page import release_routes
from truthhypo.faces.page.audit_runs import AuditRuns
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import AuditRequest

ONE, OTHER = AuditRequest(release="a"), AuditRequest(release="b")


class SlowEngine:
    """A stand-in for an engine. Each audit runs until the test ends it, because no release at hand takes long.

    Attributes:
        release: The live release.
        begun: The releases whose audits have begun.
        ended: Set when the audits may end.
        fault: Raised by the audits, unless it is None.
    """

    def __init__(self):
        self.release, self.begun, self.ended, self.fault = "first", [], asyncio.Event(), None

    async def look(self, call):
        held = (SimpleNamespace(source="pubtator3", id=self.release, order=1, sha256="", state="live"),)
        return call(SimpleNamespace(graph_store=SimpleNamespace(releases=lambda: held)))

    async def work(self, name, request):
        self.begun.append(request.release)
        await self.ended.wait()
        if self.fault:
            raise self.fault
        return {"audit": request.release}


def scenario(steps):
    """Run the steps of a test with an engine and its audits."""

    async def play():
        engine = SlowEngine()
        await steps(engine, AuditRuns(engine))

    asyncio.run(play())


def test_a_long_audit_is_done_once_and_waited_for():
    async def steps(engine, runs):
        assert [await runs.audit(ONE, 0.01) for _ in range(2)] == [None, None]
        engine.ended.set()
        assert await runs.audit(ONE, 5) == {"audit": "a"}
        assert engine.begun == ["a"]

    scenario(steps)


def test_audits_run_one_at_a_time():
    async def steps(engine, runs):
        assert [await runs.audit(each, 0.01) for each in (ONE, OTHER)] == [None, None]
        assert engine.begun == ["a"]
        engine.ended.set()
        assert await runs.audit(OTHER, 5) == {"audit": "b"}

    scenario(steps)


def test_a_cancelled_audit_makes_way_and_begins_again():
    async def steps(engine, runs):
        for each in (ONE, OTHER):
            await runs.audit(each, 0.01)
        runs.cancel(ONE)
        await runs.audit(OTHER, 0.01)
        assert engine.begun == ["a", "b"]
        engine.ended.set()
        assert await runs.audit(ONE, 5) == {"audit": "a"}
        assert engine.begun == ["a", "b", "a"]

    scenario(steps)


def test_an_audit_of_an_older_state_is_ended():
    async def steps(engine, runs):
        await runs.audit(ONE, 0.01)
        engine.release = "second"
        engine.ended.set()
        assert await runs.audit(ONE, 5) == {"audit": "a"}
        assert engine.begun == ["a", "a"]

    scenario(steps)


def test_a_failed_audit_is_reported_and_begins_again():
    async def steps(engine, runs):
        engine.fault = ProblemRaised(Problem.told(503, "no graph"))
        engine.ended.set()
        for _ in range(2):
            with pytest.raises(ProblemRaised, match="no graph"):
                await runs.audit(ONE, 5)
        assert engine.begun == ["a", "a"]

    scenario(steps)


def test_the_page_of_a_long_audit_asks_again_and_can_be_cancelled(monkeypatch):
    monkeypatch.setattr(release_routes, "PATIENCE", 0.01)
    engine = SlowEngine()
    app = FastAPI()
    app.include_router(release_routes.release_pages(SimpleNamespace(engine=engine)))
    with TestClient(app, follow_redirects=False) as client:
        for _ in range(2):
            text = client.get("/releases/audit?release=a&against=").text
            assert "<h1>Auditing a</h1>" in text and "data-again" in text and 'http-equiv="refresh"' in text
        assert client.post("/releases/audit/cancel", data={"release": "a"}).headers["location"] == "/releases"
        client.get("/releases/audit?release=b")
        assert engine.begun == ["a", "b"]
