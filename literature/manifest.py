"""What an embedded index knows beside its documents: releases, and documents without any token.

A JSON file beside the index, replaced in one step. Documents without a token stand here since tantivy would count them
in N and avgdl, where Lucene does not.
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
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """One committed state.

    Attributes:
        releases: By (source, id).
        wordless: Stored fields by PMID.
    """

    releases: Mapping[tuple[str, str], Release] = field(default_factory=dict)
    wordless: Mapping[int, dict[str, Any]] = field(default_factory=dict)


def read(path: Path) -> Manifest:
    """The manifest at a path; an empty one where there is none.

    Raises:
        StoreError: It cannot be read, or is of another format.
    """
    try:
        found = loads(path.read_text("utf-8"))
        if found["format"] != FORMAT:
            raise _unreadable(path, f"format {found['format']}")
        releases = [Release(**release) for release in found["releases"]]
        return Manifest(by_id(releases), {document["pmid"]: document for document in found["wordless"]})
    except FileNotFoundError:
        return Manifest()
    except (JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise _unreadable(path, repr(error)) from error


def write(path: Path, manifest: Manifest) -> None:
    """Replace the manifest at a path in one step, on disk when this returns."""
    content = {
        "format": FORMAT,
        "releases": [release.to_dict() for release in in_order(manifest.releases.values())],
        "wordless": list(manifest.wordless.values()),
    }
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(dumps(content))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def by_id(releases: Iterable[Release]) -> dict[tuple[str, str], Release]:
    """Releases by what makes them unique."""
    return {(release.source, release.id): release for release in releases}


def in_order(releases: Iterable[Release]) -> tuple[Release, ...]:
    """By source, then order of loading."""
    return tuple(sorted(releases, key=lambda release: (release.source, release.order, release.id)))


def _unreadable(path: Path, seen: str) -> StoreError:
    return StoreError(
        f"{path} is not a readable manifest: {seen}",
        f"a manifest of format {FORMAT}",
        f"remove the folder {path.parent} and load the literature again",
    )
