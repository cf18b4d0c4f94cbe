"""Prepare the files of a PubMed load before any is parsed: order them, compare checksums, and hash them.

So the release's ID is known before anything is written, and damaged files are reported at once. A load that continues
after a kill sees from the hashes whether the files are still the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5, sha256
from pathlib import Path

from groundwork import manifest
from groundwork.errors import InputError
from groundwork.manifest import Fault
from groundwork.ports import Progress
from ingest.receipt import FileRead, OlderFilesWarning
from ingest.release import SourceFile, SourceFiles

#: NLM's file names: pubmed26n0001.xml.gz. Update files continue the numbers of the baseline of their year.
NUMBERED = re.compile(r"pubmed(\d\d)n(\d{4,9})\.xml(?:\.gz)?", re.ASCII)

#: A line of a checksum file: NLM's `MD5(NAME)= HASH`, md5sum's `HASH  NAME`, or the hash alone.
_MD5 = re.compile(r"(?:MD5\s*\((?P<nlm>[^()]+)\)\s*=\s*)?(?P<md5>[0-9a-fA-F]{32})(?:[ \t]+\*?(?P<gnu>\S.*))?")
_FILE = "numbered.json"


def file_number(path: str) -> tuple[int, int] | None:
    """Return year and number of a file from its name, or None if the name does not have NLM's form."""
    match = NUMBERED.fullmatch(Path(path).name)
    return (int(match[1]), int(match[2])) if match else None


def md5_by_name(text: str) -> dict[str, str]:
    """Return the content of a checksum file: MD5 in lower case by file name. A hash without a name has the name ""."""
    matches = (_MD5.fullmatch(line.strip()) for line in text.splitlines())
    return {Path(match["nlm"] or match["gnu"] or "").name: match["md5"].lower() for match in matches if match}


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
        mine = {key: Path(path).name for path in paths if (key := file_number(path))}
        before = {key: name for names in self._files.values() for name in names if (key := file_number(name))}
        newer = sorted(key for key in before if mine and key > min(mine) and key not in mine)
        return OlderFilesWarning(mine[min(mine)], len(newer), before[newer[0]], before[newer[-1]]) if newer else None

    def add(self, release: str, paths: Iterable[str], *, fresh: bool) -> None:
        """Record the files of a release. Set `fresh` if the index contains no PubMed records of other releases."""
        kept = {} if fresh else self._files
        self._files = {**kept, release: [Path(path).name for path in paths if file_number(path)]}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        manifest.write(self._file, self._files)

    def _read(self) -> dict[str, list[str]]:
        try:
            return manifest.read(self._file)
        except (OSError, ValueError):  # the file is missing or damaged, but only a warning depends on it
            return {}


def numbered_faults(home: Path) -> Iterator[Fault]:
    """Yield a fault for each record under HOME/loads that cannot be read."""
    for path in sorted((home.absolute() / "loads").glob(f"*/{_FILE}")):
        try:
            manifest.read(path)
        except (OSError, ValueError) as error:
            remedy = f"remove {path}; then a load of older files gives no warning"
            yield Fault(path, f"cannot be read: {error}", "the names of the loaded files", remedy)


_SUFFIX = ".md5"

_LARGEST = 1 << 20  # maximum bytes of a checksum file


@dataclass(frozen=True, slots=True)
class Delivery:
    """Files to load, which were read once for their hashes.

    Attributes:
        files: The files in the order of loading, with their paths as the user gave them.
        places: For each file, the path to read from. Standard input and named pipes were copied to this path.
        sha256: Hash of all files in this order.
    """

    files: tuple[FileRead, ...]
    places: tuple[Path, ...]
    sha256: str

    def open(self, number: int) -> SourceFile:
        """Return one of the files, ready to be read."""
        return SourceFile(self.files[number].path, at=self.places[number])


def take_delivery(paths: Sequence[str | Path], folder: Path, progress: Progress) -> Delivery:
    """Order the files, check them and compute their hashes.

    Checksums are read from the given files that end in .md5, and from a file FILE.md5 beside a file FILE. A gzip file
    without a checksum is decompressed to check that it is complete.

    Args:
        paths: Files and checksum files in any order; `-`, standard input, at most once.
        folder: Folder for copies of standard input and of named pipes, which can be read only once.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If a file is missing or damaged, or does not match its checksum, or if a checksum file contains no
            checksum.
    """
    names = [str(path) for path in paths]
    sums: dict[str, str] = {}
    for name in names:
        if name.endswith(_SUFFIX):
            sums |= checksums(Path(name))
    ordered = in_order([name for name in names if not name.endswith(_SUFFIX)])
    SourceFiles(ordered)  # raises an error for no file, and for standard input given twice
    every, files, places = sha256(), [], []
    for name in ordered:
        given = SourceFile(name)
        # The hash must be known before the content is used, so a pipe is first copied to the disk.
        place = given.save(folder, progress) if given.piped else Path(name)
        wanted = sums.get(place.name) or _beside(place)
        seen = md5(usedforsecurity=False)
        file = SourceFile(name, every, seen, at=place)
        if wanted:
            file.skim(progress)
            _compare(file, seen.hexdigest(), wanted)
        else:
            for _ in file.chunks(progress):
                pass
        files.append(FileRead(file.path, file.bytes, file.sha256))
        places.append(place)
    return Delivery(tuple(files), tuple(places), every.hexdigest())


def in_order(names: Sequence[str]) -> list[str]:
    """Return the names with NLM's files sorted by year and number; all other names keep their positions."""
    keys = {name: key for name in names if (key := file_number(name))}
    numbered = iter(sorted((name for name in names if name in keys), key=lambda name: keys[name]))
    return [next(numbered) if name in keys else name for name in names]


def checksums(file: Path) -> Mapping[str, str]:
    """Return the content of a checksum file: MD5 in lower case by file name.

    Raises:
        InputError: If the file cannot be read, or contains no hash with a file name.
    """
    try:
        with file.open("rb") as source:
            found = md5_by_name(source.read(_LARGEST).decode("utf-8", "replace"))
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror or error}", "a checksum file", "check the path"
        ) from error
    found.pop("", None)  # a hash without the name of its file
    if not found:
        raise InputError(
            f"{file} contains no checksum",
            "a line such as MD5(pubmed26n0001.xml.gz)= 0123456789abcdef0123456789abcdef",
            "download the checksum file again, or remove it",
        )
    return found


def _beside(place: Path) -> str | None:
    """Return the checksum of a file from FILE.md5 beside it; None if FILE.md5 is missing or does not name the file."""
    file = place.with_name(place.name + _SUFFIX)
    return checksums(file).get(place.name) if file.is_file() else None


def _compare(file: SourceFile, seen: str, wanted: str) -> None:
    if seen != wanted:
        raise InputError(
            f"{file.path} has the MD5 {seen} ({file.bytes} bytes)",
            f"the MD5 {wanted}, as in its checksum file",
            "download the file and its .md5 again",
        )
