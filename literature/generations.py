"""Generations of an Elasticsearch index: NAME is an alias of NAME-000001, then of NAME-000002, and so on.

A load writes into a clone of the live generation (hard links, no copying) and moves the alias when it is done, so that
readers see a load whole or not at all. What a generation knows of releases stands in its mapping's `_meta`. The
generation before is kept until the next load, for readers that are still in it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError, helpers

from groundwork.errors import InputError, StoreError
from groundwork.records import IndexInfo, Release
from groundwork.settings import Settings
from literature import analysis, manifest, server

#: Replaced documents count in the statistics until they are merged away. Below this many documents all of them are,
#: at once; above it, those of segments that have lost more than this share (percent).
_SMALL = 1_000_000
_TOLERATED = 1

#: Documents and bytes in one bulk request.
_BULK = 500
_BULK_BYTES = 20_000_000

_OURS = "truthhypo"


@dataclass(frozen=True, slots=True)
class Generation:
    """An index behind the alias: its own name, how it scores, and the releases it knows of."""

    name: str
    info: IndexInfo
    releases: Mapping[tuple[str, str], Release]


def live(client: Elasticsearch, alias: str) -> Generation | None:
    """The generation behind an alias, None if there is none."""
    try:
        found = client.indices.get(index=alias)
    except NotFoundError:
        return None
    name, about = next(iter(found.items()))
    bm25 = about["settings"]["index"]["similarity"]["bm25"]
    documents = client.count(index=name)["count"]
    info = IndexInfo(documents, analysis.NAME, float(bm25["k1"]), float(bm25["b"]))
    releases = [Release(**release) for release in about["mappings"]["_meta"]["releases"]]
    return Generation(name, info, manifest.by_id(releases))


def begin(client: Elasticsearch, alias: str, door: str, settings: Settings) -> tuple[str, Generation | None]:
    """Make the generation that a load writes into: a clone of the live one, or an empty first one.

    Args:
        client: The server.
        alias: The index as readers know it.
        door: An alias of the new generation through which this load alone writes. A load that stood still while
            another took over finds its door gone, whatever generation has its number now.
        settings: k1 and b.

    Returns:
        Its name, and the live generation.

    Raises:
        InputError: The live index was made with another k1 or b.
    """
    client = client.options(request_timeout=server.PATIENCE)
    current = live(client, alias)
    _sweep(client, alias, current)
    if current is None:
        fresh = f"{alias}-000001"
        client.indices.create(index=fresh, settings=_settings(settings), mappings=_mappings(), aliases={door: {}})
        return fresh, None
    info = current.info
    if (info.k1, info.b) != (settings.k1, settings.b):
        raise InputError(
            f"k1 = {settings.k1:g} and b = {settings.b:g} asked for",
            f"k1 = {info.k1:g} and b = {info.b:g}, with which the index {alias} was made",
            "set k1 and b to these, or load into another literature_index",
        )
    fresh = f"{alias}-{int(current.name[-6:]) + 1:06}"
    client.indices.add_block(index=current.name, block="write")
    writable = {"index.blocks.write": None, "index.auto_expand_replicas": "0-1"}
    client.indices.clone(index=current.name, target=fresh, settings=writable, aliases={door: {}})
    _await(client, fresh)
    return fresh, current


def write(client: Elasticsearch, door: str, changes: Iterable[tuple[int, dict[str, Any] | None]], address: str) -> None:
    """Write changes through the door.

    Raises:
        StoreError: The server did not take a document, with its reason.
    """
    actions = (_action(pmid, fields) for pmid, fields in changes)
    for done, answer in helpers.parallel_bulk(
        client,
        actions,
        thread_count=2,
        chunk_size=_BULK,
        max_chunk_bytes=_BULK_BYTES,
        raise_on_error=False,
        index=door,
        require_alias=True,
    ):
        if not done:
            _check(answer, address)


def finish(client: Elasticsearch, fresh: str) -> None:
    """Make a written generation fit to be searched, its statistics free of replaced documents.

    Elasticsearch keeps replaced documents for half a minute for the sake of replicas to come, whatever is merged; an
    index that was closed and opened again has no such past.
    """
    client = client.options(request_timeout=server.PATIENCE)
    client.indices.refresh(index=fresh)
    counts = client.indices.stats(index=fresh, metric="docs")["_all"]["primaries"]["docs"]
    if not counts["deleted"]:
        return
    tolerated = 0 if counts["count"] <= _SMALL else _TOLERATED
    client.indices.flush(index=fresh)
    client.indices.close(index=fresh)
    client.indices.open(index=fresh)
    _await(client, fresh)
    client.indices.put_settings(index=fresh, settings={"index.merge.policy.expunge_deletes_allowed": tolerated})
    client.indices.forcemerge(index=fresh, only_expunge_deletes=True)
    client.indices.refresh(index=fresh)


def publish(
    client: Elasticsearch,
    alias: str,
    door: str,
    fresh: str,
    current: Generation | None,
    releases: Mapping[tuple[str, str], Release],
) -> None:
    """Write down the releases, close the door and move the alias, in one step for readers."""
    noted = [release.to_dict() for release in manifest.in_order(releases.values())]
    client.indices.put_mapping(index=fresh, meta={"program": _OURS, "releases": noted})
    moves = [{"add": {"index": fresh, "alias": alias}}, {"remove": {"index": fresh, "alias": door}}]
    if current:
        moves.append({"remove": {"index": current.name, "alias": alias}})
    client.indices.update_aliases(actions=moves)


def _action(pmid: int, fields: dict[str, Any] | None) -> dict[str, Any]:
    if fields is None:
        return {"_op_type": "delete", "_id": str(pmid)}
    return {"_op_type": "index", "_id": str(pmid), "_source": fields}


def _check(answer: Mapping[str, Any], address: str) -> None:
    """Raise what the server says of a document that it did not take; dropping what is not there is no failure."""
    ((operation, item),) = answer.items()
    if operation == "delete" and item["status"] == 404:
        return
    why = item.get("error", {})
    why = f"{why.get('type')}: {why.get('reason')}" if isinstance(why, dict) else why
    raise StoreError(
        f"Elasticsearch at {address} did not take document {item.get('_id')}: {why}",
        "every document of the load written",
        "see the server's reason, then run the load again; nothing of it is visible yet",
    )


def _sweep(client: Elasticsearch, alias: str, current: Generation | None) -> None:
    """Remove generations that are not live: the one before, and those of loads that came to no end."""
    found = client.indices.get_mapping(index=f"{alias}-*")
    for name, about in found.items():
        ours = about["mappings"].get("_meta", {}).get("program") == _OURS
        numbered = re.fullmatch(re.escape(alias) + r"-\d{6}", name)
        if ours and numbered and name != (current.name if current else None):
            client.indices.delete(index=name)


def _await(client: Elasticsearch, index: str) -> None:
    client.cluster.health(index=index, wait_for_status="yellow", timeout=f"{server.PATIENCE}s")


def _settings(settings: Settings) -> dict[str, Any]:
    """One shard, so that statistics are those of the whole index; refreshed by loads alone."""
    return {
        "number_of_shards": 1,
        "auto_expand_replicas": "0-1",
        "refresh_interval": "-1",
        "analysis": {"analyzer": {"biomedical": {"type": "english"}}},
        "similarity": {"bm25": {"type": "BM25", "k1": settings.k1, "b": settings.b}},
    }


def _mappings() -> dict[str, Any]:
    """Title and abstract are searched as one field; hits show doc values alone."""
    shown = {"type": "keyword", "index": False, "ignore_above": 8191}
    kept = {"type": "keyword", "index": False, "doc_values": False}
    return {
        "dynamic": "strict",
        "_meta": {"program": _OURS, "releases": []},
        "properties": {
            "text": {"type": "text", "analyzer": "biomedical", "similarity": "bm25", "index_options": "freqs"},
            "pmid": {"type": "long"},
            "title": {**shown, "copy_to": "text"},
            "abstract": {**kept, "copy_to": "text"},
            "retracted": {"type": "boolean"},
            "year": {"type": "integer"},
            "journal": {"type": "keyword"},
            "concepts": {"type": "keyword"},
            "release": {"type": "keyword"},
            "origin": kept,
            "other": {"type": "object", "enabled": False},
        },
    }
