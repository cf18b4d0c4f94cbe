"""Jobs: results in the order of the texts, resumption after a crash, one job per key, cancelling, removal and
expiry."""

import asyncio
import json
import shutil
import signal
import time
from threading import Thread

import pytest

from groundwork.errors import Overloaded, UnknownJob
from groundwork.settings import Settings
from tests.truthhypo.serving import serving
from truthhypo.faces.jobs import JobStore, Runner, numbered, result_lines
from truthhypo.faces.many.batch import Batch

TEXTS = ["Simvastatin lowers cholesterol.", "", "Aspirin causes myocardial infarction.", "Kibrelone treats marvose."]


@pytest.fixture(scope="module")
def home(sample_home, tmp_path_factory):
    """A separate HOME, because jobs are kept in HOME."""
    return shutil.copytree(sample_home, tmp_path_factory.mktemp("jobs") / "home")


@pytest.fixture(scope="module")
def service(home):
    with serving(home, serve_texts=100) as running:
        yield running


def send(service, kind="ground", texts=TEXTS, key=None, **options):
    headers = {} if key is None else {"Idempotency-Key": key}
    return service.client.post("/api/v1/jobs", json={"kind": kind, "texts": texts, **options}, headers=headers)


def wait(service, job, until=lambda told: told["state"] not in ("queued", "running")):
    end = time.monotonic() + 60
    while not until(told := service.client.get(f"/api/v1/jobs/{job}").json()):
        assert time.monotonic() < end, told
        time.sleep(0.02)
    return told


def results(service, job, after=0):
    answer = service.client.get(f"/api/v1/jobs/{job}/results", params={"after": after})
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.mark.parametrize("kind", ["ground", "risk"])
def test_results_are_those_of_single_requests_in_the_order_of_the_texts(service, kind):
    sent = send(service, kind, hops=2)
    assert sent.status_code == 202
    job = sent.json()["id"]
    assert sent.headers["location"] == f"/api/v1/jobs/{job}"
    assert wait(service, job).items() >= {"state": "done", "done": 4, "total": 4, "error": None}.items()
    found = results(service, job)
    assert [line["text"] for line in found] == TEXTS
    assert ["error" in line for line in found] == [False, True, False, False]
    assert "empty" in found[1]["error"]["seen"]
    for line in (found[0], found[2], found[3]):
        alone = service.client.post(f"/api/v1/{kind}", json={"text": line["text"], "hops": 2}).json()
        assert {name: line[name] for name in alone} == alone
    assert results(service, job, after=3) == found[3:]


TRIAL = 990000005
PREVENTS, CAUSES = "Aspirin prevents myocardial infarction.", "Aspirin causes myocardial infarction."
ROWS = [
    {"claim": PREVENTS, "pmids": [TRIAL]},
    {"claim": "", "pmids": [TRIAL]},
    {"claim": CAUSES, "pmids": [str(TRIAL), "PMID: 4"]},
    {"claim": CAUSES, "pmids": ["PMC5"]},
    {"claim": CAUSES},
    {"claim": 5, "pmids": [True]},
    {"claim": CAUSES, "pmids": list(range(1, 102))},
    {"claim": "\ud800", "pmids": [TRIAL]},
    {"claim": "a" * 200_000, "pmids": [TRIAL]},
    {"claim": PREVENTS, "pmids": f"{TRIAL}; 4"},
]
#: Verdicts of each row, or a part of its error.
TOLD = (
    ["supported"],
    "empty",
    ["contradicted", "not_loaded"],
    "the PMID 'PMC5'",
    "without a PMID",
    "of type int",
    "pmids",
    "unpaired surrogate",
    "200,000 characters",
    ["supported", "not_loaded"],
)


def send_rows(service, rows=ROWS, **options):
    # JSON in ASCII, because half of a UTF-16 pair can be sent only as an escape
    sent = json.dumps({"kind": "cite", "rows": rows, **options})
    return service.client.post("/api/v1/jobs", content=sent, headers={"Content-Type": "application/json"})


def test_rows_with_citations_are_judged_in_their_order_and_broken_ones_have_their_error(service):
    sent = send_rows(service, species="human")
    assert sent.status_code == 202, sent.text
    job = sent.json()["id"]
    assert wait(service, job).items() >= {"kind": "cite", "state": "done", "done": 10, "error": None}.items()
    found = results(service, job)
    assert [line["number"] for line in found] == list(range(1, 11))
    assert found[2]["text"] == f"{CAUSES} [PMID {TRIAL}, 4]"
    for line, told in zip(found, TOLD, strict=True):
        if isinstance(told, str):
            assert told in line["error"]["seen"], line
            continue
        assert [cited["verdict"] for cited in line["citations"]] == told
        pmids = [cited["pmid"] for cited in line["citations"]]
        alone = service.client.post("/api/v1/cite", json={"claim": line["claim"], "pmids": pmids}).json()
        assert {name: line[name] for name in alone} == alone
    assert service.client.get(f"/jobs/{job}").status_code == 200


def test_an_idempotency_key_identifies_one_job(service):
    first, again = (send(service, key="mine").json()["id"] for _ in range(2))
    assert first == again
    assert send(service).json()["id"] != first
    other = send(service, texts=["Another."], key="mine")
    assert (other.status_code, "Idempotency-Key" in other.json()["detail"]) == (422, True)
    assert send(service, key="").status_code == 422  # else all clients that send it empty would share a job


def test_a_job_is_cancelled_then_removed(service):
    job = send(service, texts=TEXTS[:1] * 100).json()["id"]
    wait(service, job, lambda told: told["done"] >= 2)
    cancelled = service.client.post(f"/api/v1/jobs/{job}/cancel")
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    next_one = send(service).json()["id"]
    assert wait(service, next_one)["state"] == "done"
    kept = results(service, job)
    assert 2 <= len(kept) < 100
    assert service.client.delete(f"/api/v1/jobs/{job}").status_code == 204
    assert service.client.get(f"/api/v1/jobs/{job}").status_code == 404
    assert service.client.get(f"/api/v1/jobs/{job}/results").status_code == 404


def test_a_running_job_is_removed_with_all_that_is_kept_of_it(service, home):
    job = send(service, texts=TEXTS[:1] * 100).json()["id"]
    wait(service, job, lambda told: told["done"] >= 1)
    assert service.client.delete(f"/api/v1/jobs/{job}").status_code == 204
    assert service.client.get(f"/api/v1/jobs/{job}").status_code == 404
    assert wait(service, send(service).json()["id"])["state"] == "done"
    assert not list((home / "jobs").glob(f"{job}*"))
    answer = service.client.put(f"/api/v1/jobs/{job}")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ground", "cite"])
def test_a_job_killed_in_the_middle_ends_with_the_results_of_an_undisturbed_run(sample_home, tmp_path, kind):
    home = shutil.copytree(sample_home, tmp_path / "home")
    texts = [f"{text} {number}" if text else text for number in range(12) for text in TEXTS]
    asked = {"rows": [{"claim": text, "pmids": [TRIAL]} for text in texts]} if kind == "cite" else {"texts": texts}
    with serving(home) as service:
        job = service.client.post("/api/v1/jobs", json={"kind": kind, **asked}).json()["id"]
        wait(service, job, lambda told: told["done"] >= 5)
        service.process.send_signal(signal.SIGKILL)
        service.process.wait()
    kept = list(numbered(home / "jobs" / f"{job}.jsonl"))
    assert 5 <= len(kept) < len(texts)
    with serving(home) as service:
        assert wait(service, job)["state"] == "done"
        assert list(numbered(home / "jobs" / f"{job}.jsonl"))[: len(kept)] == kept, "it went on where it had stopped"
        other = service.client.post("/api/v1/jobs", json={"kind": kind, **asked}).json()["id"]
        assert wait(service, other)["state"] == "done"
        assert results(service, job) == results(service, other)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"kind": "ground", "texts": []}, 422),
        ({"kind": "ground", "texts": "one"}, 422),
        ({"kind": "other", "texts": ["one"]}, 422),
        ({"kind": "ground", "texts": ["one"], "form": "paper"}, 422),
        ({"kind": "ground", "texts": ["one"] * 101}, 413),
        ({"kind": "risk", "texts": ["one"], "k": 4.0}, 422),
        ({"kind": "risk", "texts": ["one"], "k": 4.0, "s0": 0.5, "form": "linear"}, 422),
        ({"kind": "ground", "texts": ["one"], "judge": "minicheck:any"}, 422),
        ({"kind": "cite", "rows": []}, 422),
        ({"kind": "cite", "texts": ["one"]}, 422),
        ({"kind": "cite", "rows": ["one"]}, 422),
        ({"kind": "cite", "rows": [ROWS[0]] * 101}, 413),
        ({"kind": "cite", "rows": [ROWS[0]], "hops": 2}, 422),
        ({"kind": "cite", "rows": [ROWS[0]], "judge": "minicheck:any"}, 422),
        ({"kind": "cite", "rows": [ROWS[0]], "concepts": {"PSA": "Gene|none"}}, 404),
        ({"kind": "ground", "texts": ["one"], "concepts": {"PSA": "Gene|none"}}, 404),
        ({"kind": "risk", "texts": ["one"], "concepts": {"PSA": "Gene|none"}}, 404),
    ],
    ids=lambda given: str(given)[:60],
)
def test_bad_jobs_are_refused(service, sent, status):
    answer = service.client.post("/api/v1/jobs", json=sent)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_job_that_a_crash_left_running_waits_for_the_next_start(tmp_path):
    jobs = JobStore(Settings(home=tmp_path))
    jobs.open()
    job = jobs.add("risk", ["one"], {"hops": 2}, None)
    jobs.begin(job.id, {"graph": "a"})
    jobs.results(job.id).write_text("{}")
    again = JobStore(Settings(home=tmp_path))
    again.open()
    assert (again.waiting(), again.asked(job.id)) == ([job.id], ({"hops": 2}, ["one"]))
    again.begin(job.id, {"graph": "a"})
    assert again.results(job.id).exists()
    again.begin(job.id, {"graph": "b"})  # another release: its results would mix two
    assert not again.results(job.id).exists()


def test_jobs_expire_and_are_limited(tmp_path):
    jobs = JobStore(Settings(home=tmp_path, serve_days=1e-9, serve_jobs=1))
    jobs.open()
    job = jobs.add("risk", ["one"], {}, None)
    with pytest.raises(Overloaded):
        jobs.add("risk", ["two"], {}, None)
    jobs.results(job.id).write_text('{"number": 1, "text": "one"}\n')
    assert jobs.finish(job.id, "done")
    assert not jobs.finish(job.id, "cancelled")
    time.sleep(0.001)
    jobs.expire()
    with pytest.raises(UnknownJob):
        jobs.get(job.id)
    assert not jobs.results(job.id).exists()


def test_expired_jobs_are_removed_while_the_service_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("truthhypo.faces.jobs._EXPIRY", 0.01)
    jobs = JobStore(Settings(home=tmp_path, serve_days=1e-9))
    jobs.open()
    job = jobs.add("risk", ["one"], {}, None)
    jobs.finish(job.id, "done")
    running = Runner(jobs, engine=None)
    running.start(loop=None)
    until = time.monotonic() + 30
    with pytest.raises(UnknownJob):
        while time.monotonic() < until:
            jobs.get(job.id)
    running.stop()


def test_rows_are_kept_as_they_were_read(tmp_path):
    jobs = JobStore(Settings(home=tmp_path))
    jobs.open()
    row = {"text": "One. [PMID 1]", "claim": "One.", "pmids": [1]}
    job = jobs.add("cite", [row], {}, "mine")
    assert jobs.asked(job.id) == ({}, [row])
    assert jobs.add("cite", [row], {}, "mine").id == job.id
    jobs.finish(job.id, "done")
    (lost,) = map(json.loads, result_lines(jobs, job.id))
    assert (lost["text"], "was lost" in lost["error"]["seen"]) == (row["text"], True)


def test_a_failed_job_continues_if_it_is_sent_again_with_its_key(tmp_path):
    jobs = JobStore(Settings(home=tmp_path))
    jobs.open()
    job = jobs.add("risk", ["one", "two"], {}, "mine")
    jobs.begin(job.id, {"graph": "a"})
    jobs.results(job.id).write_text('{"number": 1, "text": "one"}\n')
    jobs.finish(job.id, "failed", {"seen": "no server", "wanted": "", "remedy": ""})
    again = jobs.add("risk", ["one", "two"], {}, "mine")
    assert (again.id, again.state, again.error) == (job.id, "queued", None)
    jobs.begin(job.id, {"graph": "a"})
    assert jobs.results(job.id).exists()


class Loaded:
    """An engine whose first answer is made during a load."""

    def __init__(self):
        self._answers = [{"release": ["a"], "loading": True}, {"release": ["b"]}]

    async def look(self, _call):
        return ()

    async def work(self, _name, _request):
        return self._answers.pop(0)


def test_a_job_does_not_keep_an_answer_made_during_a_load(tmp_path):
    loop = asyncio.new_event_loop()
    turning = Thread(target=loop.run_forever)
    turning.start()
    running = Runner(JobStore(Settings(home=tmp_path)), Loaded())
    running._loop = loop
    assert running._check("job", "ground", {}, {})("A text.") == {"text": "A text.", "release": ["b"]}
    loop.call_soon_threadsafe(loop.stop)
    turning.join()
    loop.close()


def test_a_job_cancelled_while_the_stores_are_closed_is_not_judged(tmp_path, monkeypatch):
    jobs = JobStore(Settings(home=tmp_path))
    jobs.open()
    job = jobs.add("ground", ["A text."], {}, None)
    running = Runner(jobs, engine=None)

    def batch(*_):  # the runner waits here until the stores are open
        assert running.cancel(job.id)
        return Batch(jobs.results(job.id), {})

    monkeypatch.setattr(running, "_batch", batch)
    running._judge(job.id)
    assert (jobs.get(job.id).state, jobs.get(job.id).done, jobs.results(job.id).exists()) == ("cancelled", 0, False)


def test_numbered_returns_the_latest_line_of_each_text_in_order(tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text('{"number": 2, "a": 1}\n{"number": 1, "a": 1}\n{"number": 2, "a": 2}\n{"number": 3, "a"')
    assert list(numbered(file)) == [(1, b'{"number": 1, "a": 1}\n'), (2, b'{"number": 2, "a": 2}\n')]
    assert list(numbered(file, 1)) == [(2, b'{"number": 2, "a": 2}\n')]
    assert list(numbered(tmp_path / "absent")) == []
