"""NLM's numbered files: their order, and which of them an index was loaded from, which is kept under HOME.

Between loads the last one counts, so a file older than one that was loaded puts its old records back. That may be
wanted, so it is told and not refused.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from ingest.receipt import Older

#: NLM's names: pubmed26n0001.xml.gz. Updates are numbered on from the baseline of their year.
_NUMBERED = re.compile(r"pubmed(\d\d)n(\d{4,})\.xml(?:\.gz)?")


def number(path: str) -> tuple[int, int] | None:
    """Year and number of a file by its name, None for a name that is not NLM's."""
    match = _NUMBERED.fullmatch(Path(path).name)
    return (int(match[1]), int(match[2])) if match else None


class Loaded:
    """Which numbered files an index was loaded from, by the release that they made.

    Args:
        folder: Where it is kept.
        releases: IDs of the releases that the index knows; what is kept of others is passed over, as it is of an index
            that was lost.
    """

    def __init__(self, folder: Path, releases: Iterable[str]) -> None:
        self._file = folder / "numbered.json"
        known = set(releases)
        self._files = {release: names for release, names in self._read().items() if release in known}

    def older(self, paths: Iterable[str]) -> Older | None:
        """The oldest of these files, and the newer ones loaded before that are not among them; None if none is."""
        mine = {key: Path(path).name for path in paths if (key := number(path))}
        before = {key: name for names in self._files.values() for name in names if (key := number(name))}
        newer = sorted(key for key in before if mine and key > min(mine) and key not in mine)
        return Older(mine[min(mine)], len(newer), before[newer[0]], before[newer[-1]]) if newer else None

    def add(self, release: str, paths: Iterable[str], *, fresh: bool) -> None:
        """Note what a release was made of; with `fresh` the index holds the records of no other."""
        kept = {} if fresh else self._files
        self._files = {**kept, release: [Path(path).name for path in paths if number(path)]}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".new")
        part.write_text(json.dumps(self._files), "utf-8")
        part.replace(self._file)

    def _read(self) -> dict[str, list[str]]:
        try:
            found: dict[str, list[str]] = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):  # none yet, or harmed: only a warning depends on it
            return {}
        return found
