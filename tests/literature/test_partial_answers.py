"""An Elasticsearch that answers for a part of the index, because shards are starting or failed: what the answer lacks is
not known, so the store reports an error and never a shorter answer."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import pytest
from elasticsearch import Elasticsearch

import literature
from groundwork.errors import StoreUnreachable
from literature import generations, server
from tests.literature.answering import answering as served

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


def answering(answers: Mapping[str, Any]) -> AbstractContextManager[str]:
    """A server that gives these answers, by the last part of a path. An answer with an `error` has its `status`."""

    def answer(path: str) -> tuple[int, str]:
        last = path.partition("?")[0].rpartition("/")[2]
        given = answers[last if last in answers else ""]
        return given.get("status", 200), json.dumps(given)

    return served(answer)


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
    with answering({**WHOLE, request_of_it: answer}) as address:
        store = literature.connect(address, settings)
        with pytest.raises(StoreUnreachable, match="not ready"):
            READS[read](store)
        store.close()


def test_the_number_of_documents_that_name_things_counts_all_shards(settings):
    many = {**WHOLE, "_search": {**FOUND, "hits": {"hits": [HIT]}}, "_count": {"count": 0, "_shards": FAILED}}
    with answering(many) as address:
        store = literature.connect(address, settings)
        with pytest.raises(StoreUnreachable, match="not ready"):
            READS["naming"](store)
        store.close()


@pytest.mark.parametrize("request_of_it", ["_refresh", "docs"])
@pytest.mark.parametrize("shards", [FAILED, UNASSIGNED])
def test_a_load_is_not_shown_before_all_shards_are_refreshed(settings, request_of_it, shards):
    with (
        answering({**WHOLE, request_of_it: {**COUNTS, "_shards": shards}}) as address,
        Elasticsearch(address) as client,
        pytest.raises(StoreUnreachable, match="not ready"),
        server.explained(address, 1.0),
    ):
        generations.finish(client, "articles-000001")


@pytest.mark.parametrize("read", READS)
def test_a_whole_answer_without_documents_is_an_empty_one(settings, read):
    with answering(WHOLE) as address:
        store = literature.connect(address, settings)
        READS[read](store)
        store.close()


@pytest.mark.parametrize("read", READS)
def test_an_index_that_does_not_exist_holds_nothing(settings, read):
    missing = {"status": 404, "error": {"root_cause": [NO_INDEX], **NO_INDEX}}
    items = {"_mget": {"docs": [{"_id": "1", **missing}]}, "_msearch": {"responses": [missing, missing]}}
    answers = dict.fromkeys(WHOLE, missing) | items
    with answering(answers) as address:
        store = literature.connect(address, settings)
        READS[read](store)
        store.close()
