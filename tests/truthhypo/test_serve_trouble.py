"""The service keeps running with a hanging model, clients that disconnect, bodies that are not JSON, a read-only HOME and
loads.
"""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from threading import Event

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from groundwork.errors import StoreBusy
from groundwork.settings import Settings
from tests import loopback
from tests.truthhypo.conftest import SAMPLE
from tests.truthhypo.serving import DATED, HEADERS, called, serving
from truthhypo.faces.cli import entry
from truthhypo.faces.jobs import JobStore
from truthhypo.service import operations
from truthhypo.service.database import ResultStore
from truthhypo.service.engine import Engine, Watch
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.watching import WatchList
from truthhypo.world import World

TEXT = "Simvastatin lowers cholesterol."


@contextmanager
def hanging():
    """A language model that never answers. The event is set when the model was asked."""
    asked, over = Event(), Event()

    def answering(_asked):
        asked.set()
        over.wait()
        return loopback.Answer(status=500)

    with loopback.serving(answering) as model:
        try:
            yield model.address, asked
        finally:
            over.set()


@pytest.fixture(scope="module")
def hung(sample_home):
    """A service with one judging process. The model hangs for longer than any test runs."""
    with hanging() as (address, asked):
        settings = {"model": "openai:m", "openai_base_url": address, "openai_api_key": "k", "model_timeout": 300}
        with serving(sample_home, serve_timeout=300, **settings) as service:
            yield service, asked


@pytest.fixture(scope="module")
def impatient(sample_home):
    """A service that waits one second for a request, with a model that hangs for longer."""
    with hanging() as (address, _):
        settings = {"model": "openai:m", "openai_base_url": address, "openai_api_key": "k", "model_timeout": 3}
        with serving(sample_home, serve_receive=1, **settings) as service:
            yield service


def wait_until_idle(service):
    """Wait until no judgement runs any more."""
    until = time.monotonic() + 60
    while "truthhypo_judgements 0.0" not in service.client.get("/metrics").text:
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_model_that_hangs_is_reported_with_its_limit(sample_home):
    with hanging() as (address, _):
        settings = {"model": "openai:m", "openai_base_url": address, "openai_api_key": "k", "model_timeout": 0.5}
        with serving(sample_home, **settings) as service:
            answer = service.client.post("/api/v1/ground", json={"text": TEXT})
            assert (answer.status_code, "model_timeout" in answer.json()["remedy"]) == (504, True)
            told = service.client.post("/mcp", json=called("ground_statement", {"text": TEXT}), headers=DATED).json()
            assert told["result"]["isError"]
            assert "model_timeout" in told["result"]["content"][0]["text"]
            assert service.client.post("/api/v1/risk", json={"text": TEXT}).status_code == 200


@pytest.mark.parametrize(
    ("path", "sent", "headers"),
    [
        ("/api/v1/ground", {"text": TEXT}, {"Content-Type": "application/json"}),
        ("/mcp", called("ground_statement", {"text": TEXT}), DATED),
    ],
)
def test_a_judgement_ends_when_its_client_disconnects(hung, path, sent, headers):
    service, asked = hung
    asked.clear()
    connection = HTTPConnection(service.address.removeprefix("http://"))
    connection.request("POST", path, json.dumps(sent), headers)
    assert asked.wait(60)
    connection.close()
    wait_until_idle(service)
    assert service.client.post("/api/v1/risk", json={"text": TEXT}).status_code == 200


@contextmanager
def connected(service, sent):
    """A connection over which these bytes were sent."""
    host, port = service.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(sent)
        yield connection


def read_to_end(connection):
    """Return all bytes until the other side closes the connection."""
    parts = []
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", b""),
        (b"GET /health/live HTTP/1.1\r\nHo", b""),
        (b"POST /api/v1/ground HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n", b""),
        (b"POST /api/v1/ground HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{", b""),
        (b"POST /api/v1/ground HTTP/1.1\r\nHost: elsewhere\r\nContent-Length: 10\r\n\r\n{", b"400"),
        (b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /", b"200"),
        (b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"200"),
    ],
)
def test_a_connection_over_which_no_whole_request_arrives_is_closed(impatient, sent, status):
    with connected(impatient, sent) as connection:
        assert read_to_end(connection)[9:12] == status


def test_a_request_that_arrived_is_answered_however_long_this_takes(impatient):
    answer = impatient.client.post("/api/v1/ground", json={"text": TEXT})
    assert (answer.status_code, "model_timeout" in answer.json()["remedy"]) == (504, True)


def test_half_open_connections_leave_descriptors_for_other_clients(sample_home):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as block:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        try:
            service = block.enter_context(serving(sample_home))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(300):
            block.enter_context(connected(service, b"GET /health/live HTTP/1.1\r\n"))
        for path in ("/health/ready", "/api/v1/concepts?q=insulin", "/api/v1/literature?q=cholesterol"):
            assert service.client.get(path, timeout=20).status_code == 200


async def cancel_and_ask_again(client, asked):
    """Ask for a judgement, cancel it when the model was asked, and ask for another judgement."""
    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "ground_statement", {"text": TEXT})
            assert await anyio.to_thread.run_sync(asked.wait, 60)
            tasks.cancel_scope.cancel()
        return await client.call_tool("assess_risk", {"text": TEXT})


@pytest.mark.slow
def test_a_judgement_ends_when_an_agent_cancels_it(hung, sample_home, monkeypatch):
    service, asked = hung

    async def over_http():
        async with Client(f"{service.address}/mcp") as client:
            return await cancel_and_ask_again(client, asked)

    async def over_stdio(address):
        words = ["-c", "from truthhypo.faces.cli import main; main()", "--home", str(sample_home), "mcp"]
        settings = {"MODEL": "openai:m", "MODEL_TIMEOUT": "300", "OPENAI_BASE_URL": address, "OPENAI_API_KEY": "k"}
        environment = {**os.environ, **{f"TRUTHHYPO_{name}": value for name, value in settings.items()}}
        command = StdioServerParameters(command=sys.executable, args=words, env=environment)
        async with Client(stdio_client(command)) as client:
            return await cancel_and_ask_again(client, heard)

    asked.clear()
    assert not anyio.run(over_http).is_error
    wait_until_idle(service)
    with hanging() as (address, heard):
        assert not anyio.run(over_stdio, address).is_error


def test_requests_that_cannot_finish_before_the_stop_are_reported(sample_home):
    """They have 15 seconds. Then the answer is 503, and no traceback is logged."""
    with hanging() as (address, asked), ThreadPoolExecutor(2) as pool:
        settings = {"model": "openai:m", "openai_base_url": address, "openai_api_key": "k", "model_timeout": 300}
        with serving(sample_home, serve_timeout=300, **settings) as service:
            sent = {"json": {"text": TEXT}}
            judging = pool.submit(service.client.post, "/api/v1/ground", **sent)
            agent = {"json": called("ground_statement", {"text": TEXT}), "headers": DATED}
            calling = pool.submit(service.client.post, "/mcp", **agent)
            assert asked.wait(60)
            service.process.terminate()
            assert service.process.wait(60) in (0, -signal.SIGTERM)
            for answer in (judging.result(), calling.result()):
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
                assert "stopping" in answer.json()["seen"]
    assert "Traceback" not in (sample_home.parent / f"{sample_home.name}-serve.log").read_text()


@contextmanager
def frozen():
    """The address of a server that accepts connections and never answers, and its connections."""
    held, over = [], Event()
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:

        def accept():
            while True:
                connection, _ = listening.accept()
                held.append(connection)
                if over.is_set():
                    return

        accepting = pool.submit(accept)
        try:
            yield "127.0.0.1:{1}".format(*listening.getsockname()), held
        finally:
            over.set()
            socket.create_connection(listening.getsockname()).close()
            accepting.result()
            for connection in held:
                connection.close()


@pytest.mark.parametrize(("store", "scheme"), [("literature", "http"), ("graph", "bolt")])
def test_a_frozen_store_is_named_soon_and_delays_no_look_up_of_the_other_store(sample_home, store, scheme):
    with frozen() as (address, held), ThreadPoolExecutor(12) as pool:
        limits = {f"{store}_timeout": 12, "graph_retry": 1, "serve_look_ups": 2}
        with serving(sample_home, f"--{store}", f"{scheme}://{address}", **limits) as service:

            def asked(path):
                began = time.monotonic()
                answer = service.client.get(path)
                return answer, time.monotonic() - began

            probes = [pool.submit(asked, "/health/ready") for _ in range(10)]
            path, params = {"literature": ("concepts", "insulin"), "graph": ("literature", "cholesterol")}[store]
            answer, seconds = pool.submit(asked, f"/api/v1/{path}?q={params}").result()
            assert (answer.status_code, seconds < 6) == (200, True)
            for answer, seconds in (probe.result() for probe in probes):
                checks = {check["name"]: check for check in answer.json()["checks"]}
                assert (answer.status_code, seconds < 6) == (503, True)
                assert "no answer within 2 s" in checks[store]["found"]
                assert [checks[name]["ok"] for name in ("graph", "literature", "reader")].count(False) == 1
            assert len(held) <= 8  # of the probes, of the watch for new releases, and of the atlas


#: Bodies that are not a call of a tool, or that the tool must refuse.
BODIES = [
    b"",
    b"\xff\xfe",
    b"[" * 200_000,
    json.dumps(called("ground_statement", {"text": "\ud800"})).encode(),
    json.dumps(called("ground_statement", {"text": "x", "tau": float("nan")})).encode(),
    json.dumps(called("ground_statement", {"text": "<script>alert(1)</script>", "hops": 9})).encode(),
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ground_statement"}}',
    b"a" * (9 << 20),
]


@pytest.mark.parametrize("headers", [HEADERS, DATED], ids=["undated", "dated"])
@pytest.mark.parametrize("body", BODIES, ids=lambda body: str(body[-40:]))
def test_bad_bodies_of_agents_are_refused(hung, body, headers):
    service, _ = hung
    answer = service.client.post("/mcp", content=body, headers=headers)
    refused = answer.json().get("error") or answer.json().get("result", {}).get("isError")
    assert answer.status_code >= 400 or refused, answer.text
    assert answer.status_code < 500
    assert "Traceback" not in answer.text
    assert service.client.get("/health/live").json() == {"ok": True}


@contextmanager
def unwritable(home):
    """A folder that cannot be written. For root, only a mount prevents writing."""
    if os.geteuid():
        home.chmod(0o555)
        yield
        home.chmod(0o755)
        return
    for options in (["--bind", home, home], ["-o", "remount,bind,ro", home]):
        made = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
        if made.returncode:
            pytest.skip(f"a folder cannot be mounted read-only here: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", home], check=True)


@pytest.mark.slow
def test_a_home_that_cannot_be_written_is_served_without_jobs(sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home", ignore=shutil.ignore_patterns("jobs"))
    with unwritable(home), serving(home) as service:
        client = service.client
        assert client.get("/health/ready").status_code == 200
        assert client.get("/api/v1/concepts", params={"q": "insulin"}).status_code == 200
        assert client.post("/api/v1/ground", json={"text": TEXT}).json()["groundedness"]["both"] == 1
        assert client.post("/api/v1/risk", json={"text": TEXT}).status_code == 200
        refused = client.post("/api/v1/jobs", json={"kind": "ground", "texts": [TEXT]})
        assert (refused.status_code, "HOME" in refused.json()["wanted"]) == (503, True)
        assert entry.run(["--home", str(home), "watch", "list"]) == 0
    assert "Traceback" not in (home.parent / "home-serve.log").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jobs", "results", "watch"])
def test_a_damaged_file_of_the_service_ends_no_other_request(sample_home, tmp_path, kind):
    """After its folder was moved away, as the error says, the running service begins a new file."""
    home = shutil.copytree(sample_home, tmp_path / "home")
    for store in (JobStore(Settings(home=home)), ResultStore(Settings(home=home))):
        store.open()
    WatchList(Settings(home=home)).add(TEXT)
    (file,) = (home / kind).glob("*.sqlite")
    file.write_bytes(b"")
    with serving(home) as service:
        client, page = service.client, {"Origin": service.address}
        requests = {
            "jobs": lambda: client.post("/api/v1/jobs", json={"kind": "ground", "texts": [TEXT]}),
            "results": lambda: client.post("/judge", data={"text": TEXT}, headers=page),
            "watch": lambda: client.get("/watch"),
        }
        answers = {name: request().status_code for name, request in requests.items()}
        assert answers == {"jobs": 202, "results": 303, "watch": 200} | {kind: 503}
        assert str(file) in client.get("/api/v1/jobs/none").text or kind != "jobs"
        assert client.post("/api/v1/ground", json={"text": TEXT}).status_code == 200
        (home / kind).rename(tmp_path / "aside")
        assert requests[kind]().status_code < 400
    assert "Traceback" not in (home.parent / "home-serve.log").read_text()


NEXT = SAMPLE / "relation2pubtator3.next.tsv"
LOADED = "Simvastatin lowers cholesterol."


@pytest.mark.slow
def test_a_load_succeeds_while_the_service_runs(sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    words = [sys.executable, "-c", "from truthhypo.faces.cli import main; main()", "--home", str(home), "--json"]
    with serving(home) as service:
        client = service.client
        before = client.get("/api/v1/stats").json()
        sent = client.post("/api/v1/jobs", json={"kind": "ground", "texts": [LOADED] * 400}).json()
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
        ("ground_statement", {"text": LOADED}),
        ("assess_risk", {"text": LOADED}),
        ("propose_relation", {"head": "simvastatin", "tail": "HMGCR"}),
    ],
)
def test_a_judgement_during_which_a_load_ends_says_loading(sample_home, monkeypatch, operation, asked):
    loads = iter([("pubtator3:next",), ()])
    monkeypatch.setattr(operations, "unfinished_loads", lambda *_stores: next(loads))
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

    monkeypatch.setattr("truthhypo.service.engine._PULSE", 0.0)
    monkeypatch.setattr(engine, "probe", probe)
    monkeypatch.setattr(engine, "renew", renew)
    with pytest.raises(RuntimeError):  # there are no more answers
        anyio.run(Watch(engine).run)
    assert len(renewals) == 1
