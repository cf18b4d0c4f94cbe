"""Decide what each release contributes to a graph, and record under HOME what each store contains.

A source of relations has one live release, and similarity edges have one per model. The names of an entity type are
taken from the newest live release that contains this type, and the genes of an organism from the newest release that
contains this organism. All releases of documents and of added names are live. A source of documents gives one document
of each PMID, from its newest release that contains this PMID.

The functions only read, except `record_holdings`, which each load calls.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from groundwork import inventory
from groundwork.errors import InputError, TruthHypoError
from groundwork.inventory import Holdings, named
from groundwork.manifest import damaged
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Release
from ingest.release import STDIN
from ingest.snapshot import CONCEPTS, DOCUMENTS, GENES, NAMES, PUBMED, SIMILARITY, Snapshot, Snapshots

#: Kinds of which a source can have several live releases, as described above.
_SEVERAL = frozenset({CONCEPTS, DOCUMENTS, GENES, NAMES, SIMILARITY})
#: Kinds of which each release gives only the types that no newer release contains.
_BY_TYPE = frozenset({CONCEPTS, GENES})


@dataclass(frozen=True, slots=True)
class Standing:
    """The snapshots that make up a graph.

    Attributes:
        relations: One snapshot per source, ordered by source.
        names: Snapshots of names, each with the entity types whose names are taken from it.
        genes: Snapshots of genes, each with the organisms whose genes are taken from it.
        added: Snapshots of added names.
        documents: For each source of documents, by name, its snapshots from the oldest load to the newest.
        similarities: One snapshot per model.
    """

    relations: tuple[Snapshot, ...] = ()
    names: tuple[tuple[Snapshot, frozenset[str]], ...] = ()
    genes: tuple[tuple[Snapshot, frozenset[str]], ...] = ()
    added: tuple[Snapshot, ...] = ()
    documents: tuple[tuple[Snapshot, ...], ...] = ()
    similarities: tuple[Snapshot, ...] = ()


def live(releases: Iterable[Release]) -> tuple[Release, ...]:
    """Return the live releases that make up a graph, sorted by source, then from the oldest load to the newest."""
    chosen = (release for release in releases if release.state == "live" and release.kind != PUBMED)
    return tuple(sorted(chosen, key=lambda release: (release.source, release.order)))


def documents(releases: Iterable[Release]) -> tuple[Release, ...]:
    """Return the live releases of documents, in the order of `live`."""
    return tuple(release for release in live(releases) if release.kind == DOCUMENTS)


def next_order(source: str, releases: Iterable[Release]) -> int:
    """Return the number that the next load of a source gets as its `Release.order`."""
    return 1 + max((release.order for release in releases if release.source == source), default=0)


def missing(releases: Iterable[Release], snapshots: Snapshots) -> tuple[Release, ...]:
    """Return the releases whose snapshot is not under HOME."""
    return tuple(release for release in releases if snapshot_of(release, snapshots) is None)


def promoted(releases: Iterable[Release], new: Release, snapshots: Snapshots) -> tuple[Release, ...]:
    """Return the live releases after `new` has become live and has replaced its predecessors."""
    others = [release for release in live(releases) if not replaces(new, release)]
    after = live([*others, replace(new, state="live")])
    types = _types(after, snapshots)
    return tuple(release for release in after if release.kind not in _BY_TYPE or types[release])


def standing(releases: Iterable[Release], snapshots: Snapshots) -> Standing:
    """Return the snapshots of the live releases. All of these snapshots must exist."""
    chosen = live(releases)
    found = {release: snapshot for release in chosen if (snapshot := snapshot_of(release, snapshots)) is not None}
    types = _types(chosen, snapshots)
    return Standing(
        tuple(found[release] for release in chosen if release.kind not in _SEVERAL),
        tuple((found[release], types[release]) for release in chosen if release.kind == CONCEPTS),
        tuple((found[release], types[release]) for release in chosen if release.kind == GENES),
        tuple(found[release] for release in chosen if release.kind == NAMES),
        tuple(
            tuple(found[release] for release in group)
            for _, group in groupby(documents(chosen), key=lambda release: release.source)
        ),
        tuple(found[release] for release in chosen if release.kind == SIMILARITY),
    )


def check_kind(source: str, kind: str, known: Iterable[Release], home: Path) -> None:
    """Check that a source is used for one kind of release only.

    Raises:
        InputError: If `known` contains a release of the source that is of another kind.
    """
    if other := next((release for release in known if release.source == source and release.kind != kind), None):
        raise InputError(
            f"--source {source} for {kind}, but {named(home, [other])} is a release of {other.kind}",
            "a source with one kind of release",
            "choose another source name",
        )


def check_bytes(release: Release, known: Iterable[Release], home: Path) -> None:
    """Check that an ID is used for one content only.

    Raises:
        InputError: If `known` contains a release with the same source and ID that was made from other bytes.
    """
    for other in known:
        if (other.source, other.id) == (release.source, release.id) and other.sha256 != release.sha256:
            raise InputError(
                f"the release {named(home, [other])} was loaded before with other bytes "
                f"(SHA-256 {other.sha256[:12]}..., these files {release.sha256[:12]}...)",
                "a different ID for different content",
                "give this release another ID with --release",
            )


def lacking(address: str, lost: Sequence[Release], snapshots: Snapshots) -> TruthHypoError:
    """Return the error for a HOME in which snapshots of a graph are missing or cannot be used.

    Args:
        address: Address of the store that contains the releases.
        lost: The releases whose snapshots are missing, damaged or made by another version of this program.
        snapshots: The snapshots under HOME.
    """
    for release in lost:
        if found := list(snapshots.faults(release.source, release.id, thorough=False)):
            told = named(snapshots.home, [release])
            return damaged(f"the snapshot {told}, which {address} contains,", found)
    if older := [snapshot for one in lost if (snapshot := snapshots.outdated(one.source, one.id))]:
        return InputError(
            "another version of this program read the files of "
            f"{named(snapshots.home, lost)}, which {address} contains",
            "releases whose files were read by this version, since two ways of reading would mix in one graph",
            "load the files again, in any order; the last of these loads changes the graph: "
            + "; ".join(snapshot.command for snapshot in older),
        )
    return InputError(
        f"HOME has no snapshot of {named(snapshots.home, lost)}, which {address} contains",
        "the HOME with which these releases were loaded, because its snapshots say what the graph contains",
        "give that folder with --home; or load the releases' files again; or add --rebuild, which forgets these "
        "releases and builds the graph from what is loaded now",
    )


def snapshot_of(release: Release, snapshots: Snapshots) -> Snapshot | None:
    """Return the snapshot of a release that a store knows; None if HOME does not have it."""
    found = snapshots.find(release.source, release.id)
    return found if found is not None and found.manifest.sha256 == release.sha256 else None


def replaces(new: Release, old: Release) -> bool:
    """Return whether a new release completely replaces an old one, which is then no longer live."""
    if new.source != old.source:
        return False
    if new.similarity and old.similarity:
        return new.similarity.model == old.similarity.model
    return new.id == old.id or new.kind not in _SEVERAL


def _types(releases: Iterable[Release], snapshots: Snapshots) -> Mapping[Release, frozenset[str]]:
    """Return the types that are taken from each release: entity types of concepts, or organisms of genes."""
    taken: dict[str, set[str]] = {kind: set() for kind in _BY_TYPE}
    types: dict[Release, frozenset[str]] = {}
    for release in sorted(releases, key=lambda release: release.order, reverse=True):
        if release.kind in _BY_TYPE:
            snapshot = snapshot_of(release, snapshots)
            types[release] = frozenset(snapshot.manifest.types if snapshot else ()) - taken[release.kind]
            taken[release.kind] |= types[release]
    return types


def record_holdings(
    home: Path,
    store: GraphReader | LiteratureReader,
    new: Iterable[Release] = (),
    files: Mapping[str, Sequence[str]] | None = None,
    *,
    fresh: bool = False,
) -> None:
    """Record what a store will contain after the load; call this while the load holds the store.

    Recorded releases that the store has lost stay recorded, until they are loaded again or another release replaces
    them.

    Args:
        home: The folder HOME.
        store: The store.
        new: The releases that the load changes, as they will be after the load. All other releases are taken from the
            store.
        files: Paths of the files whose content is in the store but in no snapshot, by `SOURCE:ID`.
        fresh: Whether to forget the paths recorded before, because the store no longer contains the content of these
            files.
    """
    known = inventory.holdings(home, store.address) or Holdings()
    after = (*store.releases(), *new)
    lost = (one for one in known.releases if not any(replaces(each, one) for each in after))
    releases = {(one.source, one.id): one for one in (*lost, *after)}
    added = {name: [_absolute(path) for path in paths] for name, paths in (files or {}).items()}
    noted = Holdings(tuple(releases.values()), {**({} if fresh else known.files), **added})
    inventory.note(home, store.address, noted)


def _absolute(path: str) -> str:
    return path if path == STDIN else str(Path(path).absolute())
