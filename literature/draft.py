"""An unfinished load of the embedded store: a folder with the changes of the load.

A later process can resume the load from what the last call of `keep` saved. The folder holds `changes` (the file of a
`Spool`), `places` (where the changes lie in that file) and `draft.json`. `draft.json` says how much of the other two
files is valid, and is replaced in one step.
"""

import os
import shutil
from array import array
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Any, Self

from groundwork.manifest import replace
from groundwork.records import Release
from literature import manifest
from literature.spool import Spool, SpooledLoad


@dataclass
class Draft(SpooledLoad):
    """The changes of a load so far.

    Attributes:
        folder: The folder of the draft.
        base: The version of the index when the load began.
        spool: The changed documents.
        fresh: Whether the load replaces the whole index.
        releases: New and changed releases, by (source, id).
        reached: The note given to the last `keep`, which says how far the load had come; "" if there was none.
    """

    folder: Path
    base: int
    spool: Spool
    fresh: bool
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)
    reached: str = ""
    _kept: int = 0  # number of changes that `places` holds

    @classmethod
    @contextmanager
    def open(cls, folder: Path, base: int, resume: Collection[str], fresh: bool) -> Iterator[Self]:
        """Open the draft of a folder, or begin a new one.

        The draft in the folder is resumed if `resume` contains the note of its last `keep`, and if the index has not
        changed since the draft began. The folder is removed at the end of the block, unless the block fails and the
        draft holds changes that `keep` has saved.
        """
        known = _read(folder)
        if known.get("note") not in resume or known.get("base") != base or not _is_complete(folder, known["places"]):
            shutil.rmtree(folder, ignore_errors=True)
            known = {"note": "", "places": 0, "releases": []}
        folder.mkdir(parents=True, exist_ok=True)
        places = array("Q")
        if known["places"]:
            places.frombytes((folder / "places").read_bytes()[: 16 * known["places"]])
        releases = manifest.by_id(Release.of(release) for release in known["releases"])
        with Spool((folder / "changes").open("r+b" if places else "w+b"), places) as spool:
            draft = cls(folder, base, spool, fresh, releases, known["note"], known["places"])
            try:
                yield draft
                draft.reached = ""
            finally:
                if not draft.reached:
                    shutil.rmtree(folder, ignore_errors=True)

    def keep(self, note: str) -> None:
        """See `LiteratureWriter.keep`. The changes are on the disk when this method returns."""
        self.spool.sync()
        with (self.folder / "places").open("r+b" if self._kept else "w+b") as file:
            file.seek(16 * self._kept)
            file.write(self.spool.places(self._kept))
            file.flush()
            os.fsync(file.fileno())
        releases = [release.flat for release in self.releases.values()]
        shape = {"note": note, "base": self.base, "places": len(self.spool), "releases": releases}
        replace(self.folder / "draft.json", dumps(shape))
        self._kept, self.reached = len(self.spool), note


def _is_complete(folder: Path, places: int) -> bool:
    """Return whether the files hold all that the last `keep` wrote. If not, the load starts from the beginning."""
    try:
        with (folder / "places").open("rb") as file:
            file.seek(max(0, 16 * places - 8))
            end = array("Q", file.read(8) if places else b"")
        return len(end) == bool(places) and (folder / "changes").stat().st_size >= sum(end)
    except (FileNotFoundError, ValueError):
        return False


def _read(folder: Path) -> dict[str, Any]:
    """Return the content of `draft.json`; empty if there is no readable file."""
    try:
        known: dict[str, Any] = loads((folder / "draft.json").read_text("utf-8"))
    except (FileNotFoundError, JSONDecodeError, UnicodeDecodeError):
        return {}
    return known
