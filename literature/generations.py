"""Generations of an Elasticsearch index: NAME is an alias of NAME-000001, then of NAME-000002, and so on.

A load writes into a clone of the live generation (hard links, no copying), or into an empty one, and moves the alias
when it is done, so that readers see a load whole or not at all. What a generation knows of releases stands in its
mapping's `_meta`; so does, while it is a draft, how far its load has come, for a load that goes on with it. The
generation before is kept until the next load, for readers that are still in it.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError

from groundwork.errors import InputError
from groundwork.records import IndexInfo, Release
from groundwork.settings import Settings
from literature import analysis, manifest, server

#: Replaced documents count in the statistics until they are merged away. Below this many documents all of them are,
#: at once; above it, those of segments that have lost more than this share (percent).
_SMALL = 1_000_000
_TOLERATED = 1

_OURS = "truthhypo"

#: While it is written a generation is on one node alone; then it is copied to a second, where there is one.
_ALONE = {"index.auto_expand_replicas": "false", "index.number_of_replicas": 0}
_COPIED = {"index.auto_expand_replicas": "0-1"}


@dataclass(frozen=True, slots=True)
class Generation:
    """An index behind the alias: its own name, the server's id of it, how it scores, and the releases it knows of."""

    name: str
    uuid: str
    info: IndexInfo
    releases: Mapping[tuple[str, str], Release]


@dataclass(frozen=True, slots=True)
class Draft:
    """A generation that a load writes and no reader sees.

    Attributes:
        name: The index's.
        current: The live generation that it is to follow.
        note: How far its load had come when it was last kept; "" if it never was.
        releases: The releases that its load had put by then.
    """

    name: str
    current: Generation | None
    note: str = ""
    releases: Mapping[tuple[str, str], Release] = field(default_factory=dict)


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
    return Generation(name, about["settings"]["index"]["uuid"], info, manifest.by_id(releases))


def begin(client: Elasticsearch, alias: str, door: str, settings: Settings, fresh: bool) -> Draft:
    """Make the generation that a load writes into, and forget all others but the live one.

    Args:
        client: The server.
        alias: The index as readers know it.
        door: An alias of the new generation through which this load alone writes. A load that stood still while
            another took over finds its door gone, whatever generation has its number now.
        settings: k1 and b.
        fresh: Make an empty one; else a clone of the live one, if there is one.

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
            "set k1 and b to these, or load into another literature_index, or with --rebuild",
        )
    client.indices.add_block(index=current.name, block="write")
    writable = {"index.blocks.write": None, **_ALONE}
    client.indices.clone(index=current.name, target=name, settings=writable, aliases={door: {}})
    _await(client, name)
    client.indices.put_mapping(index=name, properties=_mappings()["properties"])  # an older index may lack some
    return Draft(name, current)


def resume(client: Elasticsearch, alias: str, door: str, notes: Collection[str]) -> Draft | None:
    """The draft last kept under one of these notes, if the generation it is to follow is still live.

    Its doors are closed, and this one opened.
    """
    current = live(client, alias)
    base = current.uuid if current else ""
    for name, about in _generations(client, alias).items():
        kept = about["mappings"]["_meta"].get("draft", {})
        if kept.get("note") in notes and kept.get("base") == base:
            doors = client.indices.get_alias(index=name)[name]["aliases"]
            closed: list[dict[str, Any]] = [{"remove": {"index": name, "alias": other}} for other in doors]
            client.indices.update_aliases(actions=[*closed, {"add": {"index": name, "alias": door}}])
            releases = manifest.by_id(Release(**release) for release in kept["releases"])
            return Draft(name, current, kept["note"], releases)
    return None


def keep(client: Elasticsearch, draft: Draft, note: str, releases: Iterable[Release]) -> None:
    """Write down how far the load of a draft has come."""
    base = draft.current.uuid if draft.current else ""
    kept = {"note": note, "base": base, "releases": [release.to_dict() for release in releases]}
    client.indices.put_mapping(index=draft.name, meta={"program": _OURS, "releases": [], "draft": kept})


def finish(client: Elasticsearch, fresh: str) -> None:
    """Make a written generation fit to be searched: copied, its statistics free of replaced documents.

    Elasticsearch keeps replaced documents for half a minute for the sake of replicas to come, whatever is merged; an
    index that was closed and opened again has no such past.
    """
    client = client.options(request_timeout=server.PATIENCE)
    client.indices.refresh(index=fresh)
    client.indices.put_settings(index=fresh, settings=_COPIED)
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
    client: Elasticsearch, alias: str, door: str, draft: Draft, releases: Mapping[tuple[str, str], Release]
) -> None:
    """Write down the releases, close the door and move the alias, in one step for readers."""
    note(client, draft, releases)
    moves = [{"add": {"index": draft.name, "alias": alias}}, {"remove": {"index": draft.name, "alias": door}}]
    if draft.current:
        moves.append({"remove": {"index": draft.current.name, "alias": alias}})
    client.indices.update_aliases(actions=moves)


def note(client: Elasticsearch, index: Generation | Draft, releases: Mapping[tuple[str, str], Release]) -> None:
    """Write down which releases a generation knows of, in one step."""
    noted = [release.to_dict() for release in manifest.in_order(releases.values())]
    client.indices.put_mapping(index=index.name, meta={"program": _OURS, "releases": noted})


def _generations(client: Elasticsearch, alias: str) -> dict[str, Any]:
    """All generations of ours with their mappings, by name."""
    return {
        name: about
        for name, about in client.indices.get_mapping(index=f"{alias}-*").items()
        if re.fullmatch(re.escape(alias) + r"-\d{6}", name)
        and about["mappings"].get("_meta", {}).get("program") == _OURS
    }


def _sweep(client: Elasticsearch, alias: str, current: Generation | None) -> None:
    """Remove generations that are not live: the one before, and those of loads that came to no end."""
    for name in _generations(client, alias):
        if current is None or name != current.name:
            client.indices.delete(index=name)


def _await(client: Elasticsearch, index: str) -> None:
    client.cluster.health(index=index, wait_for_status="yellow", timeout=f"{server.PATIENCE}s")


def _settings(settings: Settings) -> dict[str, Any]:
    """One shard, so that statistics are those of the whole index; refreshed by loads alone."""
    return {
        "number_of_shards": 1,
        **_ALONE,
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
            "named": {"type": "object", "enabled": False},
        },
    }
