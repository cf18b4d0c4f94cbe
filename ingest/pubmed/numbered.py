"""NLM's numbered files: their names, order and checksum files, and a record under HOME of the files loaded.

A load replaces the records that earlier loads wrote for the same articles. So if a file is older than a file loaded
before, its old records replace newer ones. This may be intended, so it is reported but not refused.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from groundwork import manifest
from groundwork.manifest import Fault
from groundwork.records import Record

#: NLM's file names: pubmed26n0001.xml.gz. Update files continue the numbers of the baseline of their year.
NUMBERED = re.compile(r"pubmed(\d\d)n(\d{4,9})\.xml(?:\.gz)?", re.ASCII)

#: A line of a checksum file: NLM's `MD5(NAME)= HASH`, md5sum's `HASH  NAME`, or the hash alone.
_MD5 = re.compile(r"(?:MD5\s*\((?P<nlm>[^()]+)\)\s*=\s*)?(?P<md5>[0-9a-fA-F]{32})(?:[ \t]+\*?(?P<gnu>\S.*))?")
_FILE = "numbered.json"


def number(path: str) -> tuple[int, int] | None:
    """Return year and number of a file from its name, or None if the name does not have NLM's form."""
    match = NUMBERED.fullmatch(Path(path).name)
    return (int(match[1]), int(match[2])) if match else None


def md5_by_name(text: str) -> dict[str, str]:
    """Return the content of a checksum file: MD5 in lower case by file name. A hash without a name has the name ""."""
    matches = (_MD5.fullmatch(line.strip()) for line in text.splitlines())
    return {Path(match["nlm"] or match["gnu"] or "").name: match["md5"].lower() for match in matches if match}


@dataclass(frozen=True, slots=True)
class OlderFilesWarning(Record):
    """A warning that PubMed files are older than files loaded before, so their old records replaced newer ones.

    Attributes:
        file: The oldest file of this load.
        newer: Number of newer files that were loaded before and are not part of this load.
        first: The first of these newer files.
        last: The last of these newer files.
    """

    file: str
    newer: int
    first: str
    last: str

    @property
    def told(self) -> str:
        """The text of the warning: what was seen, and how to fix it."""
        others = self.first if self.newer == 1 else f"{self.newer} files from {self.first} to {self.last}"
        return (
            f"{self.file} is older than {others} loaded before. For articles that are in both, the old records are "
            "used now. To fix it, load the newer files again, all in one command"
        )


class LoadedFiles:
    """The numbered files from which an index was loaded, by release.

    Args:
        folder: The folder of the record.
        releases: IDs of the releases that the index knows; records of other releases, for example of a lost index, are
            ignored.
    """

    def __init__(self, folder: Path, releases: Iterable[str]) -> None:
        self._file = folder / _FILE
        known = set(releases)
        self._files = {release: names for release, names in self._read().items() if release in known}

    def older(self, paths: Iterable[str]) -> OlderFilesWarning | None:
        """Return a warning if earlier loads had files that are newer than the oldest of `paths` and not in `paths`."""
        mine = {key: Path(path).name for path in paths if (key := number(path))}
        before = {key: name for names in self._files.values() for name in names if (key := number(name))}
        newer = sorted(key for key in before if mine and key > min(mine) and key not in mine)
        return OlderFilesWarning(mine[min(mine)], len(newer), before[newer[0]], before[newer[-1]]) if newer else None

    def add(self, release: str, paths: Iterable[str], *, fresh: bool) -> None:
        """Record the files of a release. Set `fresh` if the index contains no PubMed records of other releases."""
        kept = {} if fresh else self._files
        self._files = {**kept, release: [Path(path).name for path in paths if number(path)]}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        manifest.write(self._file, self._files)

    def _read(self) -> dict[str, list[str]]:
        try:
            return manifest.read(self._file)
        except (OSError, ValueError):  # the file is missing or damaged, but only a warning depends on it
            return {}


def faults(home: Path) -> Iterator[Fault]:
    """Yield a fault for each record under HOME/loads that cannot be read."""
    for path in sorted((home.absolute() / "loads").glob(f"*/{_FILE}")):
        try:
            manifest.read(path)
        except (OSError, ValueError) as error:
            remedy = f"remove {path}; then a load of older files gives no warning"
            yield Fault(path, f"cannot be read: {error}", "the names of the loaded files", remedy)
