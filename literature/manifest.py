"""What an embedded index knows beside its documents: releases, documents without any token, and its files.

A JSON file beside the index, replaced in one step. Documents without a token stand here since tantivy would count them
in N and avgdl, where Lucene does not. Size and SHA-256 of the index's files stand here so that damage is noticed; the
manifests of earlier versions lack them, and the next load adds them.

Index and manifest change together: the file holds what is known before and after a load, and the index's version before
it. It is written before the index is committed; the commit, which raises the version, turns one into the other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from groundwork import manifest
from groundwork.errors import StoreError
from groundwork.manifest import Fault, Files, entries, plain
from groundwork.records import Release

#: Rises when an index of an older version can no longer be read.
FORMAT = 2
META = "meta.json"
REMEDY = "restore the index from the snapshots under HOME: truthhypo ingest rebuild"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed state.

    Attributes:
        releases: By (source, id).
        wordless: Stored fields by PMID.
        files: The index's files by name; empty if an earlier version wrote the state.
    """

    releases: Mapping[tuple[str, str], Release] = field(default_factory=dict)
    wordless: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    files: Files = field(default_factory=dict)


def read(path: Path, version: int | None) -> Manifest:
    """The manifest at a path; an empty one where there is none.

    Args:
        path: The file.
        version: The index's, as it is now; None if there is no index.

    Raises:
        DamagedStore: It cannot be read.
        StoreError: It is of another format.
    """
    try:
        found = manifest.read(path)
        if found["format"] != FORMAT:
            raise _unknown(path, found["format"])
        known = found["before" if found["version"] == version else "after"]
        releases = [Release(**release) for release in known["releases"]]
        wordless = {document["pmid"]: document for document in known["wordless"]}
        return Manifest(by_id(releases), wordless, _files(known, entries(found.get("files", {}))))
    except FileNotFoundError:
        return Manifest()
    except (ValueError, KeyError, TypeError) as error:
        fault = Fault(path, f"cannot be read: {error!r}", f"a manifest of format {FORMAT}")
        raise manifest.damaged(f"the literature store {path.parent}", [fault], REMEDY) from error


def write(path: Path, version: int, before: Manifest, after: Manifest) -> None:
    """Replace the manifest at a path in one step, on disk when this returns.

    Args:
        path: The file.
        version: The index's, before it is committed.
        before: What holds while the index has this version.
        after: What holds when it has another.
    """
    files = {name: entry for name, entry in {**before.files, **after.files}.items() if name != META}
    content = {"format": FORMAT, "version": version, "before": _plain(before), "after": _plain(after)}
    manifest.write(path, {**content, "files": plain(files)})


def by_id(releases: Iterable[Release]) -> dict[tuple[str, str], Release]:
    """Releases by what makes them unique."""
    return {(release.source, release.id): release for release in releases}


def in_order(releases: Iterable[Release]) -> tuple[Release, ...]:
    """By source, then order of loading."""
    return tuple(sorted(releases, key=lambda release: (release.source, release.order, release.id)))


def segment_of(name: str) -> str:
    """The segment that a file of the index belongs to, by its name; empty if it belongs to none."""
    return name.partition(".")[0]


def _plain(known: Manifest) -> dict[str, Any]:
    """A state as JSON values; of its files it names the segments, and both states share the entries."""
    return {
        "releases": [release.to_dict() for release in in_order(known.releases.values())],
        "wordless": list(known.wordless.values()),
        "meta": plain({name: entry for name, entry in known.files.items() if name == META}),
        "segments": sorted({segment_of(name) for name in known.files if name != META}),
    }


def _files(known: Mapping[str, Any], every: Files) -> Files:
    """The files of one state."""
    segments = set(known.get("segments", ()))
    return {name: entry for name, entry in every.items() if segment_of(name) in segments} | entries(
        known.get("meta", {})
    )


def _unknown(path: Path, seen: object) -> StoreError:
    return StoreError(
        f"{path} is a manifest of format {seen}: another version of this program wrote it",
        f"a manifest of format {FORMAT}",
        "use that version, or load the files again into a new folder: another --home or --literature embedded:PATH",
    )
