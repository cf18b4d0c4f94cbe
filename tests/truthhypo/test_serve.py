"""`truthhypo serve` gives the answers of the commands, and refuses bad input and unsafe options."""

import json
import shutil
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from urllib.parse import quote

import anyio
import httpx2
import jsonschema_rs
import pytest
from starlette.responses import Response

from groundwork.settings import Settings
from tests.truthhypo.serving import DATED, called, serving
from truthhypo.faces.rest.app import application
from truthhypo.faces.rest.middleware import Guard
from truthhypo.faces.rest.tokens import Tokens

TEXT = "Simvastatin lowers cholesterol."
SIMVASTATIN = "Chemical|MESH:D019821"
#: The first word of this text names nothing in the graph.
NICKNAMED = "Statine lowers cholesterol."
BEFORE = 990000025


@pytest.fixture(scope="module")
def service(sample_home):
    with serving(sample_home, serve_text=1000, serve_claims=2, serve_hops=3) as running:
        yield running


#: A request, and the command that asks the same.
ALIKE = [
    ("/concepts", {"q": "insulin"}, ["graph", "find", "insulin"]),
    (
        "/concepts",
        {"q": "insulin", "type": "Gene", "limit": 1},
        ["graph", "find", "insulin", "--type", "Gene", "--limit", 1],
    ),
    ("/edges", {"key": ["simvastatin", "cholesterol"]}, ["graph", "edges", "simvastatin", "cholesterol"]),
    (
        "/edges",
        {"key": [SIMVASTATIN, "cholesterol"], "before": BEFORE},
        ["graph", "edges", SIMVASTATIN, "cholesterol", "--before", BEFORE],
    ),
    (
        "/chains",
        {"head": "simvastatin", "tail": "cholesterol", "hops": 3, "limit": 2, "rank": "dwpc"},
        ["graph", "chains", "simvastatin", "cholesterol", "--hops", 3, "--limit", 2, "--rank", "dwpc"],
    ),
    ("/literature", {"q": "tamoxifen", "k": 3}, ["literature", "search", "tamoxifen", "-k", 3]),
    (
        "/literature",
        {"q": "aspirin infarction", "design": ["randomised trial", "review"]},
        ["literature", "search", "aspirin infarction", "--design", "review", "--design", "randomised trial"],
    ),
    ("/literature", {"q": "aspirin", "organism": "mouse"}, ["literature", "search", "aspirin", "--organism", "10090"]),
    ("/stats", {}, ["graph", "stats"]),
    ("/releases", {}, ["ingest", "releases"]),
]
POSTED = [
    ("/cypher", {"query": "MATCH (c:Concept) RETURN c.key AS key ORDER BY key", "limit": 3}, ["graph", "query", "MATCH (c:Concept) RETURN c.key AS key ORDER BY key", "--limit", 3]),
    ("/ground", {"text": TEXT, "before": BEFORE}, ["ground", TEXT, "--before", BEFORE]),
    ("/ground", {"text": TEXT, "design": ["animal", "review"], "organism": ["rat"]}, ["ground", TEXT, "--design", "animal", "--design", "review", "--organism", "rat"]),
    ("/risk", {"text": TEXT, "hops": 2}, ["risk", TEXT, "--hops", 2]),
    ("/hypothesize", {"head": "simvastatin", "tail": "HMGCR"}, ["hypothesize", "simvastatin", "HMGCR"]),
    ("/hypothesize", {"head": "HFE", "tail": "hemochromatosis"}, ["hypothesize", "HFE", "hemochromatosis"]),
    ("/ground", {"text": NICKNAMED, "concepts": {"statine": SIMVASTATIN}, "judge": "rules", "hops": 2, "k": 3}, ["ground", NICKNAMED, "--concept", f"statine={SIMVASTATIN}", "--judge", "rules", "--hops", 2, "-k", 3]),
    ("/risk", {"text": NICKNAMED, "concepts": {"statine": SIMVASTATIN}}, ["risk", NICKNAMED, "--concept", f"statine={SIMVASTATIN}"]),
    ("/hypothesize", {"head": "statine", "tail": "HMGCR", "concepts": {"statine": "MESH:D019821"}}, ["hypothesize", "statine", "HMGCR", "--concept", "statine=MESH:D019821"]),
]  # fmt: skip


def schema_of(service, path, method):
    whole = service.client.get("/openapi.json").json()
    answer = whole["paths"][f"/api/v1{path}"][method]["responses"]["200"]["content"]["application/json"]["schema"]
    return {**answer, "components": whole["components"]}


@pytest.mark.parametrize(("path", "asked", "argv"), [*ALIKE, *POSTED], ids=lambda value: str(value)[:40])
def test_an_answer_is_that_of_the_command_with_its_release(service, command, sample_home, path, asked, argv):
    posted = path in {each[0] for each in POSTED}
    client, url = service.client, f"/api/v1{path}"
    answer = client.post(url, json=asked) if posted else client.get(url, params=asked)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    wanted = command("--home", sample_home, *argv)
    assert wanted.code == 0
    release = told.pop("release")
    assert any(each.startswith(("pubtator3:", "pubmed:")) for each in release)
    assert told == {name: value for name, value in wanted.json.items() if name != "release"}
    jsonschema_rs.validator_for(schema_of(service, path, "post" if posted else "get")).validate(
        {**told, "release": release}
    )


def test_a_concept_and_an_article_have_addresses_of_their_own(service):
    concept = service.client.get(f"/api/v1/concepts/{quote(SIMVASTATIN, safe='')}").json()
    assert concept.items() >= {"key": SIMVASTATIN, "name": "Simvastatin", "type": "Chemical"}.items()
    assert concept["edges"] == {"cotreat": 1, "negative_correlate": 2, "treat": 1}
    assert concept["links"] == {"MeSH": "https://meshb.nlm.nih.gov/record/ui?ui=D019821"}
    article = service.client.get("/api/v1/articles/990000014").json()
    assert article["title"] == "[Sample] Simvastatin in Parkinson disease."
    assert SIMVASTATIN in article["concepts"]
    assert {"abstract", "year", "journal", "retracted"} <= set(article)
    assert {"design", "organism", "participants", "types", "mesh", "languages"} <= set(article)


def test_a_claim_that_cannot_be_read_is_not_an_error(service, command, sample_home):
    text = "Kibrelone treats marvose."
    answer = service.client.post("/api/v1/ground", json={"text": text})
    assert answer.status_code == 200
    assert answer.json()["claims"] == command("--home", sample_home, "ground", text).json["claims"]


#: Method, path, what is sent, status, and a word of the message.
BAD = [
    ("POST", "/ground", {"json": {"text": ""}}, 422, "empty"),
    ("POST", "/ground", {"json": {"text": "a" * 1001}}, 413, "serve_text"),
    ("POST", "/risk", {"json": {"text": "a" * 1001}}, 413, "serve_text"),
    ("POST", "/cite", {"json": {"claim": "", "pmids": [1]}}, 422, "the claim is empty"),
    ("POST", "/cite", {"json": {"claim": "a" * 1001, "pmids": [1]}}, 413, "a claim of 1,001 characters"),
    ("POST", "/cite", {"json": {"claim": TEXT, "evidence": " "}}, 422, "the text is empty"),
    ("POST", "/cite", {"json": {"claim": TEXT, "evidence": "a" * 1001}}, 413, "serve_text"),
    ("POST", "/cite", {"json": {"claim": TEXT}}, 422, "neither PMIDs nor a text"),
    ("POST", "/ground", {"content": b"a" * (9 << 20)}, 413, "serve_body"),
    ("POST", "/ground", {"content": b'{"text": "\xff"}'}, 422, "body"),
    ("POST", "/ground", {"content": b'{"text": "\\ud800"}'}, 422, "surrogate"),
    ("POST", "/ground", {"content": b'{"text": "x", "tau": NaN}'}, 422, "finite"),
    ("POST", "/ground", {"content": b"[" * 200_000}, 422, "JSON"),
    ("POST", "/ground", {"content": b"text"}, 422, "Expected: a JSON document"),
    ("POST", "/ground", {"content": b'{text: "x"}'}, 422, "not JSON, from character 1 on"),
    ("POST", "/ground", {"json": {"txt": "x"}}, 422, "text"),
    ("POST", "/ground", {"json": {"text": "x", "model": "openai:x"}}, 422, "model"),
    ("POST", "/ground", {"json": {"text": "x", "judge": "nli:/etc"}}, 422, "serve_judges"),
    ("POST", "/ground", {"json": {"text": f"{TEXT} {TEXT} {TEXT}"}}, 422, "serve_claims"),
    ("POST", "/risk", {"json": {"text": f"{TEXT} {TEXT} {TEXT}"}}, 422, "serve_claims"),
    ("POST", "/ground", {"json": {"text": "x", "concepts": {"x": "Gene|0"}}}, 404, "Gene|0"),
    ("POST", "/ground", {"json": {"text": "x", "concepts": {"?": SIMVASTATIN}}}, 422, "letters"),
    ("POST", "/risk", {"json": {"text": "x", "concepts": {"x": "Gene|0"}}}, 404, "Gene|0"),
    ("POST", "/hypothesize", {"json": {"head": "x", "tail": "HMGCR", "concepts": {"x": "Gene|0"}}}, 404, "Gene|0"),
    ("POST", "/ground", {"json": {"text": "x", "hops": 9}}, 422, "body.hops = 9"),
    ("POST", "/ground", {"json": {"text": "x", "k": -1}}, 422, "k"),
    ("POST", "/ground", {"json": {"text": "x", "before": "in 2020"}}, 422, "before"),
    ("POST", "/ground", {"json": {"text": "x", "k": 4.5}}, 422, "body.k = 4.5"),
    ("POST", "/ground", {"json": {"text": "x", "k": "four"}}, 422, "body.k = 'four'"),
    ("POST", "/risk", {"json": {"text": "x", "k": 4}}, 422, "s0"),
    ("POST", "/hypothesize", {"json": {"head": "simvastatin", "tail": "cholesterol"}}, 422, "Chemical & Gene"),
    ("POST", "/hypothesize", {"json": {"head": "simvastatin", "tail": "nothing of it"}}, 404, "nothing of it"),
    ("POST", "/cypher", {"json": {"query": "MATCH (c) DELETE c"}}, 422, "DELETE"),
    ("POST", "/cypher", {"content": b'{"query": "RETURN $x", "params": {"x": NaN}}'}, 422, "nan"),
    ("POST", "/cypher", {"json": {"query": "RETURN $x", "params": {"x": 2**70}}}, 422, "64 bits"),
    ("POST", "/cypher", {"content": b'{"query": "RETURN 1", "params": {"\\ud800": 1}}'}, 422, "surrogate"),
    ("POST", "/cypher", {"json": {"query": "RETURN $x"}}, 422, "give a value for the parameter x"),
    ("POST", "/ground", {"chunks": 9}, 413, "serve_body"),
    ("POST", "/jobs", {"chunks": 9}, 413, "serve_body"),
    ("POST", "/ground", {"content": b'{"text": "x"}', "headers": {"Content-Type": "text/plain"}}, 422, "Content-Type"),
    ("POST", "/jobs", {"content": b'{"kind": "ground", "texts": ["x", "\\ud800"]}'}, 422, "text 2"),
    ("POST", "/hypothesize", {"json": {"head": "a" * 1001, "tail": "HMGCR"}}, 413, "serve_text"),
    ("GET", "/literature", {"params": {"q": "a" * 1001}}, 413, "serve_text"),
    ("GET", "/edges", {"params": {"key": ["simvastatin", "a" * 1001]}}, 413, "serve_text"),
    ("GET", "/chains", {"params": {"head": "simvastatin", "tail": "Chemical|MESH:D999999"}}, 404, "D999999"),
    ("GET", "/chains", {"params": {"head": "simvastatin", "tail": "x", "hop": 2}}, 422, "hop"),
    ("GET", "/chains", {"params": {"head": "simvastatin"}}, 422, "tail"),
    ("GET", "/edges", {"params": {"key": "simvastatin"}}, 422, "key"),
    ("GET", "/literature", {"params": {"q": "x", "k": 0}}, 422, "k"),
    ("GET", "/literature", {"params": {"q": "x", "k": 5000}}, 422, "serve_k"),
    ("GET", "/chains", {"params": {"head": "simvastatin", "tail": "x", "hops": 4}}, 422, "serve_hops"),
    ("POST", "/ground", {"json": {"text": "x", "hops": 4}}, 422, "serve_hops"),
    ("POST", "/jobs", {"json": {"kind": "ground", "texts": ["x"], "hops": 4}}, 422, "serve_hops"),
    ("POST", "/cypher", {"json": {"query": "MATCH (c:Concept) RETURN c.key", "limit": 1001}}, 422, "row_limit"),
    ("GET", "/concepts/Gene%7C0", {}, 404, "/api/v1/concepts?q="),
    ("GET", "/concepts", {"params": {"q": ""}}, 422, "q"),
    ("GET", "/articles/9", {}, 404, "/api/v1/literature?q="),
    ("GET", "/articles/x", {}, 422, "pmid"),
    ("GET", "/nothing", {}, 404, "openapi"),
    ("DELETE", "/ground", {}, 405, "method"),
    ("GET", "/stats", {"headers": {"Host": "elsewhere.example"}}, 400, "elsewhere.example"),
    ("GET", "/stats", {"headers": {"Host": "["}}, 400, "host"),
    ("GET", "/stats", {"headers": {"Origin": "http://["}}, 403, "page"),
    ("GET", "/stats", {"headers": {"Origin": "null"}}, 403, "page"),
    ("OPTIONS", "/ground", {"headers": {"Origin": "http://elsewhere.example"}}, 403, "page"),
]


@pytest.mark.parametrize(("method", "path", "sent", "status", "word"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input_gets_a_problem_that_names_it(service, method, path, sent, status, word):
    if "chunks" in sent:
        sent = {"content": (b"a" * 2**20 for _ in range(sent["chunks"]))}
    headers = {"Content-Type": "application/json"} if "content" in sent else {}
    answer = service.client.request(method, f"/api/v1{path}", **{"headers": headers, **sent})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert {"type", "title", "status", "detail", "seen", "wanted", "remedy"} <= set(problem)
    assert word in problem["detail"]
    assert "Traceback" not in answer.text
    assert service.client.get("/health/live").json() == {"ok": True}


def test_a_request_keeps_its_id_and_texts_stay_out_of_the_log(service, sample_home):
    answer = service.client.get("/api/v1/concepts", params={"q": "metformin"}, headers={"X-Request-ID": "mine-1"})
    assert answer.headers["x-request-id"] == "mine-1"
    service.client.post("/api/v1/ground", json={"text": "Metformin treats nothing."})
    log = (sample_home.parent / f"{sample_home.name}-serve.log").read_text()
    lines = [json.loads(line) for line in log.splitlines() if not line.startswith("serving at ")]
    [line] = [line for line in lines if line.get("id") == "mine-1"]
    assert line.items() >= {"level": "INFO", "route": "/api/v1/concepts", "status": 200}.items()
    assert "etformin" not in log


def supported(metrics):
    """The number of supported claims so far."""
    return next(float(line.split()[1]) for line in metrics.splitlines() if '{verdict="supported"}' in line)


def test_the_service_reports_its_health_and_metrics(service):
    ready = service.client.get("/health/ready")
    assert (ready.status_code, ready.json()["ok"]) == (200, True)
    assert {check["name"] for check in ready.json()["checks"]} >= {"graph", "literature", "load", "reader"}
    service.client.post("/api/v1/ground", json={"text": TEXT})
    metrics = service.client.get("/metrics").text
    assert 'truthhypo_requests_total{method="POST",route="/api/v1/ground",status="200"}' in metrics
    service.client.post("/mcp", json=called("ground_statement", {"text": TEXT}), headers=DATED)
    assert supported(service.client.get("/metrics").text) == supported(metrics) + 1
    assert (
        "access-control-allow-origin" not in service.client.get("/api/v1/stats", headers={"Origin": "http://x"}).headers
    )


def test_strange_methods_and_unknown_paths_share_their_metrics(service):
    def series(number):
        """Ask with a method and with paths that nobody used before. Return the names and labels of all metrics."""
        paths = ("/", "/{}", "/static/{}", "/static/../{}", "/api/v1/{}", "/mcp", "/mcp/{}", "/mcp{}", "/health/{}")
        for path in (*paths, "/concepts/{}", "/articles/{}", "/results/{}", "/jobs/{}", "/api/v1/jobs/{}/results"):
            for method in ("GET", "PUT", f"BREW{number}"):
                service.client.request(method, path.format(f"n{number}"))
        lines = service.client.get("/metrics").text.splitlines()
        return {line.rpartition(" ")[0] for line in lines if not line.startswith("#")}

    series(0)  # also counts the request for the metrics themselves
    assert series(1) == series(2)


def test_tokens_have_scopes(command, sample_home, tmp_path):
    file = tmp_path / "tokens"
    read, judge = (
        command("--home", sample_home, "serve", "token", scope, "--scope", scope, "--token-file", file).json["token"]
        for scope in ("read", "judge")
    )
    assert read not in file.read_text()
    with serving(sample_home, "--token-file", str(file)) as service:
        for token, path, status in (
            (None, "/api/v1/stats", 401),
            ("wrong", "/api/v1/stats", 401),
            (read, "/api/v1/stats", 200),
            (read, "/api/v1/ground", 403),
            (judge, "/api/v1/ground", 200),
            (read, "/api/v1/cite", 403),
            (judge, "/api/v1/cite", 200),
            (None, "/metrics", 401),
            (None, "/health/live", 200),
            (None, "/health/ready", 200),
        ):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            bodies = {"/api/v1/ground": {"text": TEXT}, "/api/v1/cite": {"claim": TEXT, "pmids": [1]}}
            method, sent = ("POST", {"json": bodies[path]}) if path in bodies else ("GET", {})
            answer = service.client.request(method, path, headers=headers, **sent)
            assert answer.status_code == status, (token, path)
        assert service.client.get("/health/ready").json() == {"ok": True}


def test_a_judgement_ends_when_its_client_has_gone(service):
    with pytest.raises(httpx2.TimeoutException):
        service.client.post("/api/v1/ground", json={"text": TEXT * 30}, timeout=httpx2.Timeout(60, read=0.005))
    metrics, until = "", time.monotonic() + 30
    ended = 'route="/api/v1/ground",status="499"', "truthhypo_judgements 0.0"
    while not all(each in metrics for each in ended):
        metrics = service.client.get("/metrics").text
        assert time.monotonic() < until
    assert service.client.post("/api/v1/ground", json={"text": TEXT}).status_code == 200


def test_a_store_that_is_gone_is_reported_and_the_service_lives(sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    with serving(home) as service:
        shutil.rmtree(home / "literature")
        answer = service.client.get("/api/v1/literature", params={"q": "cholesterol"})
        assert (answer.status_code, "remedy" in answer.json()) == (503, True)
        assert service.client.get("/health/ready").status_code == 503
        assert service.client.get("/api/v1/concepts", params={"q": "insulin"}).status_code == 200


def test_serve_refuses_what_is_unsafe(command, sample_home, tmp_path):
    told = command("--home", sample_home, "serve", "--host", "0.0.0.0", "--port", 0)
    assert (told.code, "token" in told.err) == (2, True)
    told = command("--home", sample_home, "serve", "--graph", "memory:", "--port", 0)
    assert (told.code, "memory:" in told.err) == (2, True)
    told = command("--home", sample_home, "mcp", "--literature", "memory:")
    assert (told.code, "memory:" in told.err) == (2, True)
    for store, address in (("--graph", "bolt://neo4j:password@localhost"), ("--literature", "elastic:9200")):
        told = command("--home", sample_home, "serve", store, address, "--port", 0)
        assert (told.code, "password@" in told.err) == (2, False)
    told = command("--home", sample_home, "serve", "token", "me", "--scope", "write", "--token-file", tmp_path / "t")
    assert told.code == 2
    (tmp_path / "broken").write_text("me judge nothing\n")
    told = command("--home", sample_home, "serve", "--token-file", tmp_path / "broken")
    assert (told.code, "line 1" in told.err) == (2, True)


@pytest.mark.parametrize(
    ("root", "path"),
    [("/", "/api/v1/ground"), ("/api/v1/gro", "/api/v1/ground"), ("/x", "/x/api/v1/ground"), ("/x", "/api/v1/jobs/1")],
)
def test_a_root_path_does_not_bypass_the_scopes(root, path):
    async def application(_scope, _receive, _send):
        raise AssertionError("the request was passed on")

    async def send(message):
        sent.append(message)

    sent = []
    token = "secret"
    guard = Guard(application, (), Tokens({sha256(token.encode()).hexdigest(): "read"}), 100, ())
    headers = [(b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "POST", "path": path, "root_path": root, "headers": headers}
    anyio.run(guard, scope, None, send)
    assert sent[0]["status"] == 403


PROXIED = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "facts.example"}
#: The page that sends a form, the headers of the request, and whether the page belongs to the service. The setting
#: `serve_hosts` names facts.example.
PAGES = [
    ("http://127.0.0.1:8000", {"Host": "127.0.0.1:8000"}, True),
    ("http://LOCALHOST:8000", {"Host": "localhost:8000"}, True),
    ("http://[::1]:8000", {"Host": "[::1]:8000"}, True),
    ("http://127.0.0.1", {"Host": "127.0.0.1:80"}, True),
    ("http://127.0.0.1:8001", {"Host": "127.0.0.1:8000"}, False),
    ("http://127.0.0.1", {"Host": "127.0.0.1:8000"}, False),
    ("https://127.0.0.1:8000", {"Host": "127.0.0.1:8000"}, False),
    ("http://localhost:8000", {"Host": "127.0.0.1:8000"}, False),
    ("http://127.0.0.1:x", {"Host": "127.0.0.1:8000"}, False),
    ("null", {"Host": "127.0.0.1:8000"}, False),
    # Behind a proxy that says where the request was sent to.
    ("https://facts.example", {"Host": "127.0.0.1:8000", **PROXIED}, True),
    ("https://facts.example:8443", {"Host": "facts.example:8443", "X-Forwarded-Proto": "https"}, True),
    ("https://facts.example", {"Host": "facts.example", "X-Forwarded-Proto": "https, http"}, True),
    ("https://facts.example:8443", {"Host": "127.0.0.1:8000", **PROXIED}, False),
    ("http://facts.example", {"Host": "127.0.0.1:8000", **PROXIED}, False),
    ("http://127.0.0.1:8000", {"Host": "127.0.0.1:8000", **PROXIED}, False),
    # Behind a proxy that does not say so: the setting names the host.
    ("https://facts.example", {"Host": "127.0.0.1:8000"}, True),
    ("https://facts.example", {"Host": "facts.example"}, True),
    ("http://facts.example", {"Host": "127.0.0.1:8000"}, True),
    ("https://facts.example:8443", {"Host": "127.0.0.1:8000"}, False),
    ("http://other.example", {"Host": "127.0.0.1:8000"}, False),
    # Without a proxy, at a host that the setting names.
    ("http://facts.example:8000", {"Host": "facts.example:8000"}, True),
    ("http://facts.example", {"Host": "facts.example:8000"}, False),
    ("https://facts.example", {"Host": "facts.example:8000"}, False),
]


@pytest.mark.parametrize(("page", "headers", "own"), PAGES)
def test_only_pages_of_the_same_scheme_host_and_port_may_send_forms(page, headers, own):
    async def application(scope, receive, send):
        await Response("done")(scope, receive, send)

    async def send(message):
        sent.append(message)

    sent = []
    hosts = ("127.0.0.1", "localhost", "::1", "facts.example")
    guard = Guard(application, hosts, None, 100, ("facts.example",))
    raw = [(name.lower().encode(), value.encode()) for name, value in {"Origin": page, **headers}.items()]
    scope = {"type": "http", "scheme": "http", "method": "POST", "path": "/judge", "root_path": "", "headers": raw}
    anyio.run(guard, scope, None, send)
    assert sent[0]["status"] == (200 if own else 403)


def test_a_root_path_is_set_without_a_warning(sample_home):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert application(Settings(home=sample_home), root_path="/x/").root_path == "/x"


def test_tokens_are_found_by_their_digest_and_a_digest_is_not_a_token():
    digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"  # of "secret"
    assert Tokens({digest: "judge"}).scope("secret") == "judge"
    assert Tokens({digest: "judge"}).scope(digest) is None


def test_a_time_limit_ends_a_judgement(sample_home):
    with serving(sample_home, serve_queue=0, serve_workers=1, serve_timeout=0.001) as service:
        late = service.client.post("/api/v1/ground", json={"text": TEXT})
        assert late.status_code == 504
        assert "serve_timeout" in late.json()["detail"]


def test_a_full_queue_asks_the_client_to_retry_later(sample_home):
    with serving(sample_home, serve_queue=0, serve_workers=1) as service, ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(service.client.post, "/api/v1/ground", json={"text": TEXT * 20}) for _ in range(4)]
        answers = [each.result() for each in asked]
        assert sorted({answer.status_code for answer in answers}) == [200, 429]
        busy = next(answer for answer in answers if answer.status_code == 429)
        assert int(busy.headers["retry-after"]) > 0
        assert service.client.get("/api/v1/concepts", params={"q": "insulin"}).status_code == 200


def test_sigterm_ends_the_service_cleanly(sample_home):
    with serving(sample_home) as service:
        service.client.post("/api/v1/ground", json={"text": TEXT})
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(30) in (0, -signal.SIGTERM)


@pytest.mark.slow
def test_requests_generated_from_the_schema_find_no_fault(sample_home, tmp_path):
    """Without positive_data_acceptance: a text may fit the schema and be refused for its meaning."""
    home = shutil.copytree(sample_home, tmp_path / "home")
    with serving(home, serve_jobs=10_000) as service:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{service.address}/openapi.json"]
        options = ["--exclude-checks", "positive_data_acceptance", "--max-examples", "5", "--generation-deterministic"]
        told = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout[-4000:]
        assert service.client.get("/health/live").json() == {"ok": True}
