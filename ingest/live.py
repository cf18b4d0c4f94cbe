"""Which releases count, and for what: pure functions of what a store says about its releases.

Of a source of relations one release is live, of similarity edges one a model. Of names each type stands as the newest
live release that holds it says. Of documents every release is live, and each PMID stands as the newest that holds it
says.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwork.errors import InputError, TruthHypoError
from groundwork.manifest import damaged
from groundwork.records import Release
from ingest.snapshot import CONCEPTS, DOCUMENTS, PUBMED, SIMILARITY, Snapshot, Snapshots

#: Sources of which several releases are live; what of each counts is said above.
_SEVERAL = frozenset({CONCEPTS, DOCUMENTS, SIMILARITY})


@dataclass(frozen=True, slots=True)
class Standing:
    """The snapshots that make up a graph.

    Attributes:
        relations: One a source, by source.
        names: Each with the types it stands for.
        documents: From the oldest load to the newest.
        similarities: One a model.
    """

    relations: tuple[Snapshot, ...] = ()
    names: tuple[tuple[Snapshot, frozenset[str]], ...] = ()
    documents: tuple[Snapshot, ...] = ()
    similarities: tuple[Snapshot, ...] = ()


def live(releases: Iterable[Release]) -> tuple[Release, ...]:
    """The live releases that make up a graph, by source, then order."""
    chosen = (release for release in releases if release.state == "live" and release.source != PUBMED)
    return tuple(sorted(chosen, key=lambda release: (release.source, release.order)))


def next_order(source: str, releases: Iterable[Release]) -> int:
    """The order of the next load of a source."""
    return 1 + max((release.order for release in releases if release.source == source), default=0)


def missing(releases: Iterable[Release], snapshots: Snapshots) -> tuple[Release, ...]:
    """Those whose snapshot is not under HOME."""
    return tuple(release for release in releases if snapshot_of(release, snapshots) is None)


def promoted(releases: Iterable[Release], new: Release, snapshots: Snapshots) -> tuple[Release, ...]:
    """The live releases once `new` is live and what it replaces is not."""
    others = [release for release in live(releases) if not _replaces(new, release)]
    after = live([*others, replace(new, state="live")])
    types = _types(after, snapshots)
    return tuple(release for release in after if release.source != CONCEPTS or types[release.id])


def standing(releases: Iterable[Release], snapshots: Snapshots) -> Standing:
    """The snapshots of live releases, none of them missing."""
    chosen = live(releases)
    found = {release: snapshot for release in chosen if (snapshot := snapshot_of(release, snapshots)) is not None}
    types = _types(chosen, snapshots)
    return Standing(
        tuple(found[release] for release in chosen if release.source not in _SEVERAL),
        tuple((found[release], types[release.id]) for release in chosen if release.source == CONCEPTS),
        tuple(found[release] for release in chosen if release.source == DOCUMENTS),
        tuple(found[release] for release in chosen if release.source == SIMILARITY),
    )


def check_bytes(release: Release, known: Iterable[Release]) -> None:
    """See that an ID means one content.

    Raises:
        InputError: A store knows the ID of this source with other bytes.
    """
    for other in known:
        if (other.source, other.id) == (release.source, release.id) and other.sha256 != release.sha256:
            raise InputError(
                f"release {release.id} of {release.source} is known with other bytes "
                f"(SHA-256 {other.sha256[:12]}..., these files {release.sha256[:12]}...)",
                "one ID for one content",
                "give this release another --release",
            )


def lacking(address: str, lost: Sequence[Release], snapshots: Snapshots) -> TruthHypoError:
    """The error for a HOME without the snapshots that a graph counts on, or with damaged ones.

    Args:
        address: The store that holds them.
        lost: The releases whose snapshots are not there, or not whole.
        snapshots: Where they should be.
    """
    for release in lost:
        if found := list(snapshots.faults(release.source, release.id, thorough=False)):
            return damaged(f"the snapshot {release.source}:{release.id}, which {address} holds,", found)
    named = ", ".join(f"{release.source}:{release.id}" for release in lost)
    return InputError(
        f"HOME has no snapshot of {named}, which {address} holds",
        "the HOME these releases were loaded with, to know what the graph holds",
        "name that folder with --home; or load their files again; or forget them with --rebuild, which makes the "
        "graph anew from what is loaded now",
    )


def snapshot_of(release: Release, snapshots: Snapshots) -> Snapshot | None:
    """The snapshot of a release as a store knows it, None if HOME does not have that."""
    found = snapshots.find(release.source, release.id)
    return found if found is not None and found.manifest.sha256 == release.sha256 else None


def _replaces(new: Release, old: Release) -> bool:
    """Whether a release takes the place of a live one, whole."""
    if new.source != old.source:
        return False
    if new.similarity and old.similarity:
        return new.similarity.model == old.similarity.model
    return new.id == old.id or new.source not in _SEVERAL


def _types(releases: Iterable[Release], snapshots: Snapshots) -> Mapping[str, frozenset[str]]:
    """The types each release of names stands for, by its ID."""
    taken: set[str] = set()
    types: dict[str, frozenset[str]] = {}
    for release in sorted(releases, key=lambda release: release.order, reverse=True):
        if release.source == CONCEPTS:
            snapshot = snapshot_of(release, snapshots)
            types[release.id] = frozenset(snapshot.manifest.types if snapshot else ()) - taken
            taken |= types[release.id]
    return types
