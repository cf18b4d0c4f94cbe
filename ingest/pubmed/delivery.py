"""The files of a PubMed load before any of them is parsed: in their order, held against their checksums, hashed.

So the release's ID is known before anything is written, a file that came over damaged is told at once, and a load that
goes on after a kill knows by its content whether the files are still the same.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5, sha256
from pathlib import Path

from groundwork.errors import InputError
from groundwork.ports import Progress
from ingest.pubmed.numbered import number
from ingest.receipt import FileRead
from ingest.release import SourceFile, SourceFiles

_SUFFIX = ".md5"

#: NLM's `MD5(pubmed26n0001.xml.gz)= 0123...` and md5sum's `0123...  pubmed26n0001.xml.gz`.
_NLM = re.compile(r"MD5\s*\((?P<name>[^()]+)\)\s*=\s*(?P<md5>[0-9a-fA-F]{32})")
_MD5SUM = re.compile(r"(?P<md5>[0-9a-fA-F]{32})[ \t]+\*?(?P<name>\S.*)")
_LARGEST = 1 << 20  # bytes of a checksum file


@dataclass(frozen=True, slots=True)
class Delivery:
    """Files that are to be loaded, read once for their hashes.

    Attributes:
        files: In the order of loading; paths as given.
        places: Where the bytes of each are.
        sha256: Of all files in this order.
    """

    files: tuple[FileRead, ...]
    places: tuple[Path, ...]
    sha256: str

    def open(self, number: int) -> SourceFile:
        """One of the files, to be read."""
        return SourceFile(self.files[number].path, at=self.places[number])


def take_delivery(paths: Sequence[str | Path], folder: Path, progress: Progress) -> Delivery:
    """Put files in order, check them and learn their hashes.

    A checksum is looked for in the files given that end in .md5, then beside each file. What has none and is gzip is
    inflated to see that it is whole.

    Args:
        paths: Files and checksum files in any order; `-`, standard input, at most once.
        folder: Takes copies of standard input and of named pipes, which can be read only once.
        progress: Is told the bytes read.

    Raises:
        InputError: A file that is missing or broken, or has another checksum; a checksum file that says nothing.
    """
    names = [str(path) for path in paths]
    sums: dict[str, str] = {}
    for name in names:
        if name.endswith(_SUFFIX):
            sums |= checksums(Path(name))
    ordered = in_order([name for name in names if not name.endswith(_SUFFIX)])
    SourceFiles(ordered)  # refuses none at all, and standard input twice
    every, files, places = sha256(), [], []
    for name in ordered:
        given = SourceFile(name)
        # The hash has to be known before the content is used, so that a pipe is read to the disk first.
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
    """NLM's files by year and number, in the places that they have among the others, which keep theirs."""
    keys = {name: key for name in names if (key := number(name))}
    numbered = iter(sorted((name for name in names if name in keys), key=lambda name: keys[name]))
    return [next(numbered) if name in keys else name for name in names]


def checksums(file: Path) -> Mapping[str, str]:
    """What a checksum file says: MD5 in lower case by file name.

    Raises:
        InputError: It cannot be read, or says nothing in one of the two forms.
    """
    try:
        with file.open("rb") as source:
            lines = source.read(_LARGEST).decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror or error}", "a checksum file", "check the path"
        ) from error
    matches = (_NLM.fullmatch(line.strip()) or _MD5SUM.fullmatch(line.strip()) for line in lines)
    found = {Path(match["name"]).name: match["md5"].lower() for match in matches if match}
    if not found:
        raise InputError(
            f"{file} holds no checksum",
            "a line such as MD5(pubmed26n0001.xml.gz)= 0123456789abcdef0123456789abcdef",
            "fetch the checksum file again, or remove it",
        )
    return found


def _beside(place: Path) -> str | None:
    """The checksum in FILE.md5, if there is such a file and it speaks of this one."""
    file = place.with_name(place.name + _SUFFIX)
    return checksums(file).get(place.name) if file.is_file() else None


def _compare(file: SourceFile, seen: str, wanted: str) -> None:
    if seen != wanted:
        raise InputError(
            f"{file.path} has the MD5 {seen} ({file.bytes} bytes)",
            f"{wanted}, as its checksum file says",
            "fetch the file and its .md5 again",
        )
