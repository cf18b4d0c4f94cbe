"""Prepare the files of a PubMed load before any is parsed: order them, compare checksums, and hash them.

So the release's ID is known before anything is written, and damaged files are reported at once. A load that continues
after a kill sees from the hashes whether the files are still the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5, sha256
from pathlib import Path

from groundwork.errors import InputError
from groundwork.ports import Progress
from ingest.pubmed.numbered import md5_by_name, number
from ingest.receipt import FileRead
from ingest.release import SourceFile, SourceFiles

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
    keys = {name: key for name in names if (key := number(name))}
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
