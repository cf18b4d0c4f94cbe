"""What an embedded index knows beside its documents: releases, and documents without any token.

A JSON file beside the index, replaced in one step. Documents without a token stand here since tantivy would count them
in N and avgdl, where Lucene does not.

Index and manifest change together: the file holds what is known before and after a load, and the index's version before
it. It is written before the index is committed; the commit, which raises the version, turns one into the other.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Any

from groundwork.errors import StoreError
from groundwork.records import Release

#: Rises when an index of an older version can no longer be read.
FORMAT = 2


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed state.

    Attributes:
        releases: By (source, id).
        wordless: Stored fields by PMID.
    """

    releases: Mapping[tuple[str, str], Release] = field(default_factory=dict)
    wordless: Mapping[int, dict[str, Any]] = field(default_factory=dict)


def read(path: Path, version: int | None) -> Manifest:
    """The manifest at a path; an empty one where there is none.

    Args:
        path: The file.
        version: The index's, as it is now; None if there is no index.

    Raises:
        StoreError: It cannot be read, or is of another format.
    """
    try:
        found = loads(path.read_text("utf-8"))
        if found["format"] != FORMAT:
            raise _unreadable(path, f"format {found['format']}")
        known = found["before" if found["version"] == version else "after"]
        releases = [Release(**release) for release in known["releases"]]
        return Manifest(by_id(releases), {document["pmid"]: document for document in known["wordless"]})
    except FileNotFoundError:
        return Manifest()
    except (JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise _unreadable(path, repr(error)) from error


def write(path: Path, version: int, before: Manifest, after: Manifest) -> None:
    """Replace the manifest at a path in one step, on disk when this returns.

    Args:
        path: The file.
        version: The index's, before it is committed.
        before: What holds while the index has this version.
        after: What holds when it has another.
    """
    content = {"format": FORMAT, "version": version, "before": _plain(before), "after": _plain(after)}
    replace(path, dumps(content))


def replace(path: Path, text: str) -> None:
    """Replace a file by one with this text in one step, on disk when this returns."""
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def by_id(releases: Iterable[Release]) -> dict[tuple[str, str], Release]:
    """Releases by what makes them unique."""
    return {(release.source, release.id): release for release in releases}


def in_order(releases: Iterable[Release]) -> tuple[Release, ...]:
    """By source, then order of loading."""
    return tuple(sorted(releases, key=lambda release: (release.source, release.order, release.id)))


def _plain(manifest: Manifest) -> dict[str, Any]:
    """A manifest as JSON values."""
    return {
        "releases": [release.to_dict() for release in in_order(manifest.releases.values())],
        "wordless": list(manifest.wordless.values()),
    }


def _unreadable(path: Path, seen: str) -> StoreError:
    return StoreError(
        f"{path} is not a readable manifest: {seen}",
        f"a manifest of format {FORMAT}",
        f"remove the folder {path.parent} and load the literature again",
    )
