"""Tests of Elasticsearch alone: how its errors become ours, the lease, and the generations behind the alias."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from typing import Any
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

import literature
from groundwork.errors import InputError, StoreBusy, StoreError, StoreUnreachable, TimeLimit
from groundwork.records import Abstract, Release, Text
from groundwork.settings import Settings
from groundwork.study import is_notice
from literature import elastic, generations, server, stored
from literature.elastic_load import Lease

#: Returns the status and the body of the answer to a request, given its path.
Answer = Callable[[str], tuple[int, str]]


@contextmanager
def server_of(answer: Answer, *, product: bool = True, wait: float = 0.0) -> Iterator[str]:
    """Yield the address of a server that waits some seconds and answers. `product`: whether it names Elasticsearch."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            sleep(wait)
            status, body = answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if body.startswith("{") else "text/html")
            if product:
                self.send_header("X-Elastic-Product", "Elasticsearch")
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_PUT = do_POST  # noqa: N815  # the names that http.server calls

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


SECRET = "s3cret-word"


def document(pmid: int, title: str = "pain", **more) -> Abstract:
    return Abstract(pmid, None, Text(title, "", **more))


# Errors: a server on loopback gives answers that were seen from real servers.


def answering(status: int, body: str, **more: Any) -> AbstractContextManager[str]:
    return server_of(lambda _: (status, body), **more)


def failure(kind: str, reason: str, status: int) -> str:
    cause = {"type": kind, "reason": reason}
    return json.dumps({"error": {"root_cause": [cause], **cause}, "status": status})


def asked(address: str, settings: Settings, **changes) -> Exception:
    """Return the error of a search at this address."""
    store = literature.connect(address, settings.model_copy(update=changes))
    with pytest.raises(StoreError) as caught:
        store.search("pain")
    store.close()
    assert caught.value.exit_code == 3
    return caught.value


def test_a_missing_server_is_reported_with_what_to_check(settings):
    error = asked("http://127.0.0.1:9", settings)
    assert isinstance(error, StoreUnreachable)
    assert "127.0.0.1:9 does not answer" in str(error)
    assert "check that it runs" in error.remedy


def test_a_refused_user_names_the_settings_and_not_the_password(settings):
    body = failure("security_exception", "unable to authenticate user [elastic] for REST request [/_search]", 401)
    with answering(401, body, product=False) as address:
        error = asked(address.replace("http://", f"http://elastic:{SECRET}@"), settings)
    assert isinstance(error, StoreUnreachable)
    assert "literature_user and literature_password" in error.remedy
    assert SECRET not in str(error)


def test_missing_rights_are_reported_as_a_refused_user(settings):
    body = failure("security_exception", "action [indices:data/read/search] is unauthorized for user [joe]", 403)
    with answering(403, body) as address:
        assert "refuses this user (403)" in asked(address, settings).seen


def test_a_write_block_is_not_reported_as_missing_rights(settings):
    body = failure("cluster_block_exception", "index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded]", 403)
    with answering(403, body) as address:
        error = asked(address, settings)
    assert not isinstance(error, StoreUnreachable)
    assert "disk usage exceeded" in error.seen


def test_a_half_started_server_is_reported_as_unreachable(settings):
    body = failure("no_shard_available_action_exception", "No shard available", 503)
    with answering(503, body) as address:
        error = asked(address, settings)
    assert isinstance(error, StoreUnreachable)
    assert "not ready (503)" in error.seen


@pytest.mark.parametrize("body", ["<html>hello</html>", '{"hello": 1}'])
def test_a_server_that_is_not_elasticsearch_is_reported_as_such(settings, body):
    with answering(200, body, product=False) as address:
        error = asked(address, settings)
    assert isinstance(error, StoreUnreachable)
    assert "not Elasticsearch" in error.seen


def test_the_time_limit_is_named_with_its_setting(settings):
    with answering(200, "{}", wait=1.0) as address:
        error = asked(address, settings, literature_timeout=0.2)
    assert isinstance(error, TimeLimit)
    assert "0.2 s" in str(error)
    assert "literature_timeout" in str(error)


def test_a_text_of_too_many_words_is_an_input_error(settings):
    body = failure("query_shard_exception", "failed to create query: maxClauseCount is set to 16384", 400)
    with answering(400, body) as address:
        store = literature.connect(address, settings)
        with pytest.raises(InputError, match="shorter text"):
            store.search("pain")
        store.close()


@pytest.mark.parametrize(
    ("status", "kind", "reason", "error", "says"),
    [
        (400, "query_shard_exception", "maxClauseCount is set to 16384", InputError, "shorter text"),
        (503, "search_phase_execution_exception", "all shards failed", StoreUnreachable, "not ready"),
        (500, "illegal_state_exception", "odd", StoreError, "odd"),
    ],
)
def test_one_failed_search_of_many_is_reported_like_a_single_one(settings, status, kind, reason, error, says):
    body = json.dumps({"took": 1, "responses": [{**json.loads(failure(kind, reason, status)), "status": status}]})
    with answering(200, body) as address:
        store = literature.connect(address, settings)
        with pytest.raises(error, match=says):
            store.search_many(["pain", "fever"])
        store.close()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://localhost", "http://localhost:9200"),
        ("https://joe:x@search.example", "https://search.example:443"),
        ("http://[::1]:9201/es/", "http://[::1]:9201/es"),
    ],
)
def test_an_address_is_shown_without_credentials(settings, address, shown):
    store = literature.connect(address, settings)
    assert store.address == shown
    store.close()


@pytest.mark.parametrize("address", ["http://", "http://:9200", "http://host:port"])
def test_an_address_without_a_host_or_with_a_bad_port_is_refused(settings, address):
    with pytest.raises(InputError):
        literature.connect(address, settings)


# On the real server


@pytest.fixture
def own(settings):
    return settings.model_copy(update={"literature_index": f"test-{uuid4().hex}"})


@pytest.fixture
def client(own, elasticsearch_address):
    with Elasticsearch(elasticsearch_address) as client:
        yield client
        for index in client.indices.get(index=f"{own.literature_index}*", expand_wildcards="all"):
            client.indices.delete(index=index)


@pytest.fixture
def store(own, client, elasticsearch_address):
    store = literature.connect(elasticsearch_address, own)
    yield store
    store.close()


def numbers(client, own) -> set[str]:
    return {name.removeprefix(own.literature_index) for name in client.indices.get(index=f"{own.literature_index}-0*")}


@pytest.mark.servers
def test_the_server_and_our_analysis_give_the_same_tokens(store, client, own, data):
    from literature import analysis
    from tests.literature.corpus import biored_texts

    with store.writing():
        store.put([document(1)])
    texts = [
        *list(biored_texts().values())[:100],
        "The patient's IL-2 naïve β-catenin 1,000.5 U.S.A. foo_bar a:b ☂ 中文",
    ]
    for text in texts:
        answer = client.indices.analyze(index=own.literature_index, analyzer="biomedical", text=text)
        assert [token["token"] for token in answer["tokens"]] == analysis.tokens(text)


@pytest.mark.servers
def test_a_document_that_the_server_refuses_is_named_and_nothing_becomes_visible(store):
    with store.writing():
        store.put([document(1)])
    with pytest.raises(StoreError, match=r"PMID 2: .*year"), store.writing():
        store.put([document(2, year=10**12), document(3)])
    assert list(store.every_pmid()) == [1]


@pytest.mark.servers
def test_a_load_into_an_index_without_the_field_of_notices_adds_the_field(store, monkeypatch):
    fields = literature.generations._mappings()
    fields["properties"].pop("notice")
    fields["properties"].pop("uncounted")
    written = stored.fields
    with monkeypatch.context() as older:
        older.setattr(literature.generations, "_mappings", lambda: fields)
        older.setattr(stored, "fields", lambda each: {k: v for k, v in written(each).items() if k != "uncounted"})
        with store.writing():
            store.put([document(1, "Erratum: pain"), document(3, "pain")])
    assert store.uncounted().pmids.tolist() == [1]
    with store.writing():
        store.put([document(2, notice=True)])
    assert {pmid: is_notice(held.text) for pmid, held in store.get([1, 2]).items()} == {1: True, 2: True}
    assert store.uncounted().pmids.tolist() == [1, 2]


@pytest.mark.servers
def test_articles_of_an_index_without_designs_have_none_until_they_are_loaded_again(store, monkeypatch):
    added = {"types", "mesh", "languages", "doi", "design", "taxon"}
    fields = literature.generations._mappings()
    fields["properties"] = {name: kind for name, kind in fields["properties"].items() if name not in added}
    written = stored.fields
    trial = Abstract(1, Text("pain", "", types=("Clinical Trial",), mesh=("Humans",)), None)
    with monkeypatch.context() as older:
        older.setattr(literature.generations, "_mappings", lambda: fields)
        older.setattr(stored, "fields", lambda each: {k: v for k, v in written(each).items() if k not in added})
        with store.writing():
            store.put([trial])
    (hit,) = store.search("pain").hits
    assert (hit.design, hit.organism) == (None, None)
    assert store.search("pain", design=["clinical trial"]).hits == ()
    with store.writing():
        store.put([trial])
    (hit,) = store.search("pain", design=["clinical trial"]).hits
    assert (hit.design, hit.organism) == ("clinical trial", "human")


@pytest.mark.servers
def test_a_title_longer_than_a_doc_value_is_shown_whole(store):
    title = "pain " * 3000
    with store.writing():
        store.put([document(1, title), document(2, "pain")])
    assert {hit.pmid: hit.title for hit in store.search("pain").hits} == {1: title, 2: "pain"}


@pytest.mark.servers
def test_generations_of_unfinished_loads_are_removed(store, client, own, elasticsearch_address):
    stranger = f"{own.literature_index}-000009"
    client.indices.create(index=stranger)
    for pmid in (1, 2):
        with store.writing():
            store.put([document(pmid)])
    with pytest.raises(StoreError), store.writing():
        store.put([document(3, year=10**12)])
    assert numbers(client, own) == {"-000002", "-000003", "-000009"}
    with store.writing():
        store.put([document(4)])
        store.put_release(Release("pubmed", "r", "ab", 1, 1, 0, "live", "2026-01-01T00:00:00Z", 1))
    assert numbers(client, own) == {"-000002", "-000003", "-000009"}
    assert [hit.pmid for hit in store.search("pain").hits] == [1, 2, 4]
    assert list(client.indices.get_alias(name=own.literature_index)) == [f"{own.literature_index}-000003"]
    other = literature.connect(elasticsearch_address, own.model_copy(update={"k1": 0.9}))
    assert other.info().k1 == 1.2
    with pytest.raises(InputError, match=r"k1 = 0\.9"), other.writing():
        pass
    other.close()


@pytest.mark.servers
def test_other_k1_and_b_score_as_in_the_memory_store(own, client, elasticsearch_address):
    own = own.model_copy(update={"k1": 0.9, "b": 0.4})
    scores = []
    for address in (elasticsearch_address, "memory:"):
        store = literature.connect(address, own)
        with store.writing():
            store.put(document(pmid, "pain " * pmid + "fever") for pmid in range(1, 9))
        scores.append([hit.score for hit in store.search("pain fever").hits])
        assert (store.info().k1, store.info().b) == (0.9, 0.4)
        store.close()
    assert scores[0] == pytest.approx(scores[1], rel=1e-5)


@pytest.mark.servers
def test_the_lease_of_a_killed_load_is_taken_over(store, own, elasticsearch_address, monkeypatch):
    monkeypatch.setattr(elastic, "Lease", partial(Lease, patience=3.0))
    program = f"""
import time, literature
from groundwork.settings import Settings
store = literature.connect({elasticsearch_address!r}, Settings(home={str(own.home)!r}, literature_index={own.literature_index!r}))
with store.writing():
    print("held", flush=True)
    time.sleep(60)
"""
    other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match=f"another process .*:{other.pid}"), store.writing():
            pass
    finally:
        other.kill()
        other.communicate()
    with store.writing():
        store.put([document(1)])
    assert [hit.pmid for hit in store.search("pain").hits] == [1]


@pytest.mark.servers
def test_a_server_is_not_silent_before_the_next_heartbeat_is_due(own, client, elasticsearch_address):
    lease = Lease(client, f"{own.literature_index}-lease", elasticsearch_address, beat=60.0)
    with lease.held():
        sleep(0.05)
        assert lease.silent == 0.0


@pytest.mark.servers
def test_a_load_whose_draft_was_taken_over_publishes_nothing(store, own, client):
    with store.writing():
        store.put([document(1)])
    with pytest.raises(StoreError, match="aliases_not_found"), store.writing():
        store.put([document(2)])
        store.keep("one")
        draft = f"{own.literature_index}-000002"
        (door,) = client.indices.get_alias(index=draft)[draft]["aliases"]
        client.indices.update_aliases(actions=[{"remove": {"index": draft, "alias": door}}])  # as `resume` does
    assert [hit.pmid for hit in store.search("pain").hits] == [1]


@pytest.mark.servers
def test_a_load_that_lost_its_lease_publishes_nothing(store, own, client, elasticsearch_address, monkeypatch):
    monkeypatch.setattr(elastic, "Lease", partial(Lease, beat=4.0))  # too rare to keep the lease
    with pytest.raises(StoreBusy, match="has taken over"), store.writing():
        store.put([document(1)])
        thief = Lease(client, f"{own.literature_index}-lease", elasticsearch_address, patience=1.0)
        with thief.held():
            sleep(5.0)
    assert store.search("pain").hits == ()
    with store.writing():
        store.put([document(2)])
    assert [hit.pmid for hit in store.search("pain").hits] == [2]


OK = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
STARTING = {"type": "illegal_index_shard_state_exception", "reason": "CurrentState[RECOVERING] operations only allowed"}
FAILED = {"total": 1, "successful": 0, "failed": 1, "failures": [{"shard": 0, "reason": STARTING}]}
UNASSIGNED = {"total": 1, "successful": 0, "failed": 0}
ERROR = {"root_cause": [STARTING], **STARTING}
NO_INDEX = {"type": "index_not_found_exception", "reason": "no such index [articles]"}

FOUND = {"timed_out": False, "_shards": OK, "hits": {"hits": []}, "aggregations": {"found": {"buckets": []}}}
INDEX = {"settings": {"index": {"uuid": "u", "similarity": {"bm25": {"k1": "1.2", "b": "0.75"}}}}}
GENERATION = {"articles-000001": {**INDEX, "mappings": {"_meta": {"releases": []}}}}
COUNTS = {"_all": {"primaries": {"docs": {"count": 1, "deleted": 0}}}}

#: Whole answers by the last part of a path.
WHOLE = {
    "": GENERATION,
    "_count": {"count": 0, "_shards": OK},
    "_search": FOUND,
    "_msearch": {"responses": [{**FOUND, "status": 200}] * 2},
    "_mget": {"docs": [{"_id": "1", "found": False}]},
    "_termvectors": {"found": True, "term_vectors": {}},
    "_refresh": {"_shards": OK},
    "_settings": {"acknowledged": True},
    "docs": {"_shards": OK, **COUNTS},
}


def part_by_part(answers: Mapping[str, Any]) -> AbstractContextManager[str]:
    """A server that gives these answers, by the last part of a path. An answer with an `error` has its `status`."""

    def answer(path: str) -> tuple[int, str]:
        last = path.partition("?")[0].rpartition("/")[2]
        given = answers[last if last in answers else ""]
        return given.get("status", 200), json.dumps(given)

    return server_of(answer)


READS = {
    "get": lambda store: store.get([1]),
    "search": lambda store: store.search("pain"),
    "search_many": lambda store: store.search_many(["pain", "fever"]),
    "search names": lambda store: store.search("pain", names=[["lung cancer", "pulmonary carcinoma"]]),
    "retracted": lambda store: store.retracted([1]),
    "by_doi": lambda store: store.by_doi(["10.1/a"]),
    "every_pmid": lambda store: list(store.every_pmid()),
    "uncounted": lambda store: store.uncounted(),
    "pmid_by_year": lambda store: store.pmid_by_year(),
    "naming": lambda store: store.naming([["pain"]], k=1),
    "info": lambda store: store.info(),
    "releases": lambda store: store.releases(),
}

PARTIAL = {**FOUND, "_shards": FAILED}
LATE = {**FOUND, "timed_out": True}
SECOND = {"status": 200, **FOUND}
HIT = {"_index": "articles-000001", "sort": [1.0, 1], "fields": {"title": ["pain"], "retracted": [False]}}

#: What is read, and which request of it gets a partial answer.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("get", "_mget", {"docs": [{"_id": "1", "error": ERROR}]}),
    ("get", "_mget", {"status": 404, "error": ERROR}),
    *[(name, "_search", PARTIAL) for name in ("search", "retracted", "by_doi", "every_pmid", "uncounted")],
    *[(name, "_search", LATE) for name in ("search", "retracted", "by_doi", "every_pmid", "naming", "pmid_by_year")],
    ("search", "_search", {"status": 404, "error": ERROR}),
    ("search_many", "_msearch", {"responses": [SECOND, {"status": 200, **PARTIAL}]}),
    ("search_many", "_msearch", {"responses": [SECOND, {"status": 200, **LATE}]}),
    ("search_many", "_msearch", {"responses": [SECOND, {"status": 404, "error": ERROR}]}),
    ("search names", "_termvectors", {"status": 404, "error": ERROR}),
    ("pmid_by_year", "_search", PARTIAL),
    ("naming", "_search", PARTIAL),
    ("info", "_count", {"count": 0, "_shards": FAILED}),
    ("info", "_count", {"count": 0, "_shards": UNASSIGNED}),
    ("releases", "", {"status": 404, "error": ERROR}),
]


@pytest.mark.parametrize(("read", "request_of_it", "answer"), CASES)
def test_a_partial_answer_is_an_error_and_never_a_shorter_answer(settings, read, request_of_it, answer):
    with part_by_part({**WHOLE, request_of_it: answer}) as address:
        store = literature.connect(address, settings)
        with pytest.raises(StoreUnreachable, match="not ready"):
            READS[read](store)
        store.close()


def test_the_number_of_documents_that_name_things_counts_all_shards(settings):
    many = {**WHOLE, "_search": {**FOUND, "hits": {"hits": [HIT]}}, "_count": {"count": 0, "_shards": FAILED}}
    with part_by_part(many) as address:
        store = literature.connect(address, settings)
        with pytest.raises(StoreUnreachable, match="not ready"):
            READS["naming"](store)
        store.close()


@pytest.mark.parametrize("request_of_it", ["_refresh", "docs"])
@pytest.mark.parametrize("shards", [FAILED, UNASSIGNED])
def test_a_load_is_not_shown_before_all_shards_are_refreshed(settings, request_of_it, shards):
    with (
        part_by_part({**WHOLE, request_of_it: {**COUNTS, "_shards": shards}}) as address,
        Elasticsearch(address) as client,
        pytest.raises(StoreUnreachable, match="not ready"),
        server.explained(address, 1.0),
    ):
        generations.finish(client, "articles-000001")


@pytest.mark.parametrize("read", READS)
def test_a_whole_answer_without_documents_is_an_empty_one(settings, read):
    with part_by_part(WHOLE) as address:
        store = literature.connect(address, settings)
        READS[read](store)
        store.close()


@pytest.mark.parametrize("read", READS)
def test_an_index_that_does_not_exist_holds_nothing(settings, read):
    missing = {"status": 404, "error": {"root_cause": [NO_INDEX], **NO_INDEX}}
    items = {"_mget": {"docs": [{"_id": "1", **missing}]}, "_msearch": {"responses": [missing, missing]}}
    answers = dict.fromkeys(WHOLE, missing) | items
    with part_by_part(answers) as address:
        store = literature.connect(address, settings)
        READS[read](store)
        store.close()
