"""NLM's numbered files: their order, and which of them an index was loaded from, which is kept under HOME.

Between loads the last one counts, so a file older than one that was loaded puts its old records back. That may be
wanted, so it is told and not refused.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from groundwork import manifest
from groundwork.manifest import Fault
from ingest.receipt import Older

#: NLM's names: pubmed26n0001.xml.gz. Updates are numbered on from the baseline of their year.
_NUMBERED = re.compile(r"pubmed(\d\d)n(\d{4,})\.xml(?:\.gz)?")


def number(path: str) -> tuple[int, int] | None:
    """Year and number of a file by its name, None for a name that is not NLM's."""
    match = _NUMBERED.fullmatch(Path(path).name)
    return (int(match[1]), int(match[2])) if match else None


_FILE = "numbered.json"


class LoadedFiles:
    """Which numbered files an index was loaded from, by the release that they made.

    Args:
        folder: Where it is kept.
        releases: IDs of the releases that the index knows; what is kept of others is passed over, as it is of an index
            that was lost.
    """

    def __init__(self, folder: Path, releases: Iterable[str]) -> None:
        self._file = folder / _FILE
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
        manifest.write(self._file, self._files)

    def _read(self) -> dict[str, list[str]]:
        try:
            return manifest.read(self._file)
        except (OSError, ValueError):  # none yet, or harmed: only a warning depends on it
            return {}


def faults(home: Path) -> Iterator[Fault]:
    """The files under HOME/loads that cannot be read."""
    for path in sorted((home.absolute() / "loads").glob(f"*/{_FILE}")):
        try:
            manifest.read(path)
        except (OSError, ValueError) as error:
            remedy = f"remove {path}; a load of older files is not warned of then"
            yield Fault(path, f"cannot be read: {error}", "the names of the files that were loaded", remedy)
