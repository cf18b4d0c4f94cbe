"""Loads while the service runs: it goes on to answer, opens the new release, and no result of a job mixes two
releases."""

import json
import shutil
import subprocess
import sys
import time

import anyio
import pytest

from groundwork.errors import StoreBusy
from groundwork.settings import Settings
from tests.truthhypo.conftest import SAMPLE
from tests.truthhypo.serving import serving
from truthhypo.service import answer_state, engine_watch
from truthhypo.service.engine import Engine
from truthhypo.service.operations import OPERATIONS
from truthhypo.world import World

NEXT = SAMPLE / "relation2pubtator3.next.tsv"
TEXT = "Simvastatin lowers cholesterol."


@pytest.mark.slow
def test_a_load_succeeds_while_the_service_runs(sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    words = [sys.executable, "-c", "from truthhypo.faces.cli import main; main()", "--home", str(home), "--json"]
    with serving(home) as service:
        client = service.client
        before = client.get("/api/v1/stats").json()
        sent = client.post("/api/v1/jobs", json={"kind": "ground", "texts": [TEXT] * 400}).json()
        with subprocess.Popen([*words, "ingest", "relations", str(NEXT)], stdout=subprocess.PIPE) as load:
            seen = set()
            while load.poll() is None:
                answer = client.get("/api/v1/concepts", params={"q": "insulin"})
                seen.add(answer.status_code)
                assert client.get("/health/ready").status_code == 200
                time.sleep(0.05)
            told = json.loads(load.stdout.read())
            assert load.returncode == 0, told
        assert seen == {200}, "the service answers from the old state until the new one is there"
        until = time.monotonic() + 300
        while (answer := client.get("/api/v1/stats")).status_code != 200 or answer.json() == before:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert f"pubtator3:{told['release']}" in answer.json()["release"]
        while client.get(f"/api/v1/jobs/{sent['id']}").json()["state"] != "done":
            assert time.monotonic() < until
            time.sleep(0.1)
        lines = client.get(f"/api/v1/jobs/{sent['id']}/results").text.splitlines()
        releases = [json.loads(line)["release"] for line in lines]
        assert len(releases) == 400
        assert all(release == releases[-1] for release in releases)
        assert f"pubtator3:{told['release']}" in releases[-1]


@pytest.mark.parametrize(
    ("operation", "asked"),
    [
        ("ground_statement", {"text": TEXT}),
        ("assess_risk", {"text": TEXT}),
        ("propose_relation", {"head": "simvastatin", "tail": "HMGCR"}),
    ],
)
def test_a_judgement_during_which_a_load_ends_says_loading(sample_home, monkeypatch, operation, asked):
    loads = iter([("pubtator3:next",), ()])
    monkeypatch.setattr(answer_state, "unfinished_loads", lambda *_stores: next(loads))
    judged = OPERATIONS[operation]
    with World(Settings(home=sample_home)) as world:
        assert judged.answered(world, judged.asked(**asked))["loading"] is True


def test_a_release_that_becomes_live_while_a_store_is_silent_is_not_missed(sample_home, monkeypatch):
    answers = iter(["old", TimeoutError(), "new", "new", StoreBusy("closed", "", "")])
    engine, renewals = Engine(Settings(home=sample_home)), []

    async def probe(_name, _call):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def renew():
        renewals.append(engine)

    monkeypatch.setattr(engine_watch, "_PULSE", 0.0)
    monkeypatch.setattr(engine, "probe", probe)
    monkeypatch.setattr(engine, "renew", renew)
    with pytest.raises(RuntimeError):  # there are no more answers
        anyio.run(engine_watch.Watch(engine).run)
    assert len(renewals) == 1
