"""A load of the embedded store on its way: a spool in a folder, which outlives its process up to its last `keep`.

The folder holds `changes` (the spool's), `places` (where they lie in it) and `draft.json`. The last says how much of
the others counts, and is replaced in one step.
"""

import os
import shutil
from array import array
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Any, Self

from groundwork.manifest import replace
from groundwork.records import Abstract, Release
from literature import manifest
from literature.spool import Spool


@dataclass
class Draft:
    """What a load has changed so far.

    Attributes:
        folder: Where it lies.
        base: Version of the index that it began with.
        spool: Changes of documents.
        fresh: It leaves nothing of what there was before.
        releases: New and changed ones, by (source, id).
        reached: The note of the last `keep`; "" without one.
    """

    folder: Path
    base: int
    spool: Spool
    fresh: bool
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)
    reached: str = ""
    _kept: int = 0  # changes that `places` holds

    @classmethod
    @contextmanager
    def open(cls, folder: Path, base: int, resume: Collection[str], fresh: bool) -> Iterator[Self]:
        """The draft in a folder, if it was kept under one of these notes and the index is as it was; else a new one.

        It is removed when the block is left, unless by an error after a `keep`.
        """
        known = _read(folder)
        if known.get("note") not in resume or known.get("base") != base or not _whole(folder, known["places"]):
            shutil.rmtree(folder, ignore_errors=True)
            known = {"note": "", "places": 0, "releases": []}
        folder.mkdir(parents=True, exist_ok=True)
        places = array("Q")
        if known["places"]:
            places.frombytes((folder / "places").read_bytes()[: 16 * known["places"]])
        releases = manifest.by_id(Release(**release) for release in known["releases"])
        with Spool((folder / "changes").open("r+b" if places else "w+b"), places) as spool:
            draft = cls(folder, base, spool, fresh, releases, known["note"], known["places"])
            try:
                yield draft
                draft.reached = ""
            finally:
                if not draft.reached:
                    shutil.rmtree(folder, ignore_errors=True)

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """See `LiteratureWriter.put`."""
        self.spool.put(abstracts)

    def drop(self, pmids: Iterable[int]) -> None:
        """See `LiteratureWriter.drop`."""
        self.spool.drop(pmids)

    def put_release(self, release: Release) -> None:
        """See `LiteratureWriter.put_release`."""
        self.releases[release.source, release.id] = release

    def keep(self, note: str) -> None:
        """See `LiteratureWriter.keep`: on the disk when this returns."""
        self.spool.sync()
        with (self.folder / "places").open("r+b" if self._kept else "w+b") as file:
            file.seek(16 * self._kept)
            file.write(self.spool.places(self._kept))
            file.flush()
            os.fsync(file.fileno())
        releases = [release.to_dict() for release in self.releases.values()]
        shape = {"note": note, "base": self.base, "places": len(self.spool), "releases": releases}
        replace(self.folder / "draft.json", dumps(shape))
        self._kept, self.reached = len(self.spool), note


def _whole(folder: Path, places: int) -> bool:
    """Whether the files hold as much as they did at the last `keep`: else the load begins anew."""
    try:
        with (folder / "places").open("rb") as file:
            file.seek(max(0, 16 * places - 8))
            end = array("Q", file.read(8) if places else b"")
        return len(end) == bool(places) and (folder / "changes").stat().st_size >= sum(end)
    except (FileNotFoundError, ValueError):
        return False


def _read(folder: Path) -> dict[str, Any]:
    """What `draft.json` says; nothing where there is none that can be read."""
    try:
        known: dict[str, Any] = loads((folder / "draft.json").read_text("utf-8"))
    except (FileNotFoundError, JSONDecodeError, UnicodeDecodeError):
        return {}
    return known
