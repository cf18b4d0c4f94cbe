"""Generations of an Elasticsearch index: NAME is an alias of NAME-000001, then of NAME-000002, and so on.

A load writes into a clone of the live generation (made with hard links, without copying), or into an empty index. When
the load is done, it moves the alias, so readers see either the whole load or nothing of it. The `_meta` field of a
generation's mapping lists its releases. While a generation is a draft, `_meta` also says how far its load has come, so
that a later load can resume it. The previous generation is kept until the next load, because readers may still use it.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from elasticsearch import Elasticsearch

from groundwork.errors import InputError
from groundwork.records import IndexInfo, Release
from groundwork.settings import Settings
from literature import analysis, manifest, server

#: A replaced document counts in the statistics until a merge removes it. In an index of up to `_SMALL` documents, all
#: replaced documents are removed. In a larger index, only segments with more than `_TOLERATED` percent of replaced
#: documents are merged.
_SMALL = 1_000_000
_TOLERATED = 1
#: Maximum number of merges that try to remove all deleted documents from a small index.
_MERGES = 3

_OURS = "truthhypo"

#: While a generation is written, it has no replica. Afterwards it gets one if the cluster has a second node.
_ALONE = {"index.auto_expand_replicas": "false", "index.number_of_replicas": 0}
_COPIED = {"index.auto_expand_replicas": "0-1"}


@dataclass(frozen=True, slots=True)
class Generation:
    """One version of the store's index: its name, the server's id of the index, its scoring, and its releases."""

    name: str
    uuid: str
    info: IndexInfo
    releases: Mapping[tuple[str, str], Release]


@dataclass(frozen=True, slots=True)
class Draft:
    """A generation that a load writes and that no reader sees.

    Attributes:
        name: The name of the index.
        current: The live generation that the draft is to replace; None if there is none.
        note: The note given to the last `keep`, which says how far the load had come; "" if there was none.
        releases: The releases that the load had written until that `keep`.
    """

    name: str
    current: Generation | None
    note: str = ""
    releases: Mapping[tuple[str, str], Release] = field(default_factory=dict)


def live(client: Elasticsearch, alias: str) -> Generation | None:
    """Return the generation behind an alias, or None if there is none."""
    found: Mapping[str, Any] = {}
    with server.if_there():
        found = client.indices.get(index=alias).body
    if not found:
        return None
    name, about = next(iter(found.items()))
    bm25 = about["settings"]["index"]["similarity"]["bm25"]
    info = IndexInfo(count(client, name), analysis.NAME, float(bm25["k1"]), float(bm25["b"]))
    releases = [Release.of(release) for release in about["mappings"]["_meta"]["releases"]]
    return Generation(name, about["settings"]["index"]["uuid"], info, manifest.by_id(releases))


def count(client: Elasticsearch, index: str, query: Mapping[str, Any] | None = None) -> int:
    """Return the number of documents that a query finds in an index; without a query, of all documents."""
    found: int = server.whole(client.count(index=index, query=query))["count"]
    return found


def begin(client: Elasticsearch, alias: str, door: str, settings: Settings, fresh: bool) -> Draft:
    """Create the generation that a load writes into, and delete all other generations except the live one.

    Args:
        client: The client of the server.
        alias: The alias that readers use.
        door: An alias of the new generation, through which only this load writes. A load that takes over from this one
            removes the alias, so this load can no longer write, even into a new generation of the same number.
        settings: Settings with k1 and b.
        fresh: Create an empty generation. If False, clone the live one if there is one.

    Raises:
        InputError: The live index was made with another k1 or b.
    """
    client = client.options(request_timeout=server.PATIENCE)
    current = live(client, alias)
    _sweep(client, alias, current)
    name = f"{alias}-{int(current.name[-6:]) + 1 if current else 1:06}"
    if current is None or fresh:
        client.indices.create(index=name, settings=_settings(settings), mappings=_mappings(), aliases={door: {}})
        return Draft(name, current)
    info = current.info
    if (info.k1, info.b) != (settings.k1, settings.b):
        raise InputError(
            f"k1 = {settings.k1:g} and b = {settings.b:g} asked for",
            f"k1 = {info.k1:g} and b = {info.b:g}, with which the index {alias} was made",
            "set k1 and b to these, load into another literature_index, or load with --rebuild",
        )
    client.indices.add_block(index=current.name, block="write")
    writable = {"index.blocks.write": None, **_ALONE}
    client.indices.clone(index=current.name, target=name, settings=writable, aliases={door: {}})
    _wait_until_ready(client, name)
    client.indices.put_mapping(index=name, properties=_mappings()["properties"])  # an older index may lack some
    return Draft(name, current)


def resume(client: Elasticsearch, alias: str, door: str, notes: Collection[str]) -> Draft | None:
    """Return the draft whose last `keep` had one of these notes; None if there is none.

    The generation that the draft is to replace must still be live. The draft's other write aliases are removed, and
    `door` is added.
    """
    current = live(client, alias)
    base = current.uuid if current else ""
    for name, about in _generations(client, alias).items():
        kept = about["mappings"]["_meta"].get("draft", {})
        if kept.get("note") in notes and kept.get("base") == base:
            doors = client.indices.get_alias(index=name)[name]["aliases"]
            closed: list[dict[str, Any]] = [{"remove": {"index": name, "alias": other}} for other in doors]
            client.indices.update_aliases(actions=[*closed, {"add": {"index": name, "alias": door}}])
            releases = manifest.by_id(Release.of(release) for release in kept["releases"])
            return Draft(name, current, kept["note"], releases)
    return None


def keep(client: Elasticsearch, draft: Draft, note: str, releases: Iterable[Release]) -> None:
    """Record in the draft's mapping how far its load has come."""
    base = draft.current.uuid if draft.current else ""
    kept = {"note": note, "base": base, "releases": [release.flat for release in releases]}
    client.indices.put_mapping(index=draft.name, meta={"program": _OURS, "releases": [], "draft": kept})


def finish(client: Elasticsearch, fresh: str) -> None:
    """Prepare a written generation for searches: allow a replica, and remove replaced documents from the statistics.

    Elasticsearch retains replaced documents for half a minute for future replicas, even if segments are merged. An
    index that was closed and opened again retains none.
    """
    client = client.options(request_timeout=server.PATIENCE)
    server.whole(client.indices.refresh(index=fresh))
    client.indices.put_settings(index=fresh, settings=_COPIED)
    for _ in range(_MERGES):  # a merge that Elasticsearch began by itself may leave deleted documents to the next one
        counts = server.whole(client.indices.stats(index=fresh, metric="docs"))["_all"]["primaries"]["docs"]
        if not counts["deleted"]:
            return
        tolerated = 0 if counts["count"] <= _SMALL else _TOLERATED
        server.whole(client.indices.flush(index=fresh))
        client.indices.close(index=fresh)
        client.indices.open(index=fresh)
        _wait_until_ready(client, fresh)
        client.indices.put_settings(index=fresh, settings={"index.merge.policy.expunge_deletes_allowed": tolerated})
        server.whole(client.indices.forcemerge(index=fresh, only_expunge_deletes=True))
        server.whole(client.indices.refresh(index=fresh))
        if tolerated:
            return


def publish(
    client: Elasticsearch, alias: str, door: str, draft: Draft, releases: Mapping[tuple[str, str], Release]
) -> None:
    """Record the releases, then move the readers' alias to the draft and remove the draft's write alias in one step.

    Raises:
        NotFoundError: Another load has taken over the draft, so its write alias is gone. No alias was moved.
    """
    note(client, draft, releases)
    # Without `must_exist`, the server would skip a step that fails, and do the others.
    closing: dict[str, Any] = {"remove": {"index": draft.name, "alias": door, "must_exist": True}}
    moves = [{"add": {"index": draft.name, "alias": alias}}, closing]
    if draft.current:
        moves.append({"remove": {"index": draft.current.name, "alias": alias}})
    client.indices.update_aliases(actions=moves)


def note(client: Elasticsearch, index: Generation | Draft, releases: Mapping[tuple[str, str], Release]) -> None:
    """Record in one step which releases a generation holds."""
    noted = [release.flat for release in manifest.in_order(releases.values())]
    client.indices.put_mapping(index=index.name, meta={"program": _OURS, "releases": noted})


def _generations(client: Elasticsearch, alias: str) -> dict[str, Any]:
    """Return all generations that this program made, with their mappings, by name."""
    return {
        name: about
        for name, about in client.indices.get_mapping(index=f"{alias}-*").items()
        if re.fullmatch(re.escape(alias) + r"-\d{6}", name)
        and about["mappings"].get("_meta", {}).get("program") == _OURS
    }


def _sweep(client: Elasticsearch, alias: str, current: Generation | None) -> None:
    """Delete all generations except the live one: the previous one, and those of unfinished loads."""
    for name in _generations(client, alias):
        if current is None or name != current.name:
            client.indices.delete(index=name)


def _wait_until_ready(client: Elasticsearch, index: str) -> None:
    server.whole(client.cluster.health(index=index, wait_for_status="yellow", timeout=f"{server.PATIENCE}s"))


def _settings(settings: Settings) -> dict[str, Any]:
    """Return the index settings: one shard, so that statistics cover the whole index, and no automatic refresh."""
    return {
        "number_of_shards": 1,
        **_ALONE,
        "refresh_interval": "-1",
        "analysis": {"analyzer": {"biomedical": {"type": "english"}}},
        "similarity": {"bm25": {"type": "BM25", "k1": settings.k1, "b": settings.b}},
    }


def _mappings() -> dict[str, Any]:
    """Return the mappings: title and abstract are searched as one field, and hits show only doc values."""
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
            "notice": {"type": "boolean"},
            "uncounted": {"type": "boolean"},
            "year": {"type": "integer"},
            "journal": {"type": "keyword"},
            "concepts": {"type": "keyword"},
            "release": {"type": "keyword"},
            "origin": kept,
            "other": {"type": "object", "enabled": False},
            "named": {"type": "object", "enabled": False},
            "version": {"type": "integer", "index": False},
            "types": kept,
            "mesh": kept,
            "languages": kept,
            "doi": {"type": "keyword"},
            "design": {"type": "keyword"},
            "taxon": {"type": "keyword"},
        },
    }
