"""Release files from their public servers: PubTator's by name, PubMed's by the listing of their folders."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path

from filelock import FileLock, Timeout

from groundwork.errors import InputError, Refused, SourceUnreachable, StoreBusy
from groundwork.ports import Progress, Silent
from groundwork.records import Record
from groundwork.settings import Settings
from ingest.download.fetched import FetchRecord
from ingest.download.listing import md5, names
from ingest.download.remote import Remote, folder, shown
from ingest.download.transfer import Transfer

#: PubTator's bulk files; bioconcepts is the union of those after it.
PUBTATOR = ("relation", "bioconcepts", "gene", "disease", "chemical", "species", "mutation", "cellline")

_PUBMED = re.compile(r"pubmed(\d\d)n(\d{4,9})\.xml\.gz", re.ASCII)
_PUBMED_OR_MD5 = re.compile(_PUBMED.pattern + r"(\.md5)?", re.ASCII)
_NO_ROOM = frozenset({ENOSPC, EDQUOT, EROFS, EFBIG})


@dataclass(frozen=True, slots=True)
class DownloadReceipt(Record):
    """What a download did.

    Attributes:
        files: In the order in which they have to be loaded.
        seconds: For all of them.
    """

    files: tuple[FetchRecord, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file to fetch, and the address of its checksum if the source has one."""

    name: str
    url: str
    checksum: str | None = None


def download_pubtator(
    files: Sequence[str],
    settings: Settings,
    remote: Remote,
    *,
    address: str | None = None,
    to: Path | None = None,
    progress: Progress | None = None,
) -> DownloadReceipt:
    """Fetch PubTator's bulk files, e.g. relation2pubtator3.gz.

    Args:
        files: Names out of `PUBTATOR`.
        settings: HOME and the address.
        remote: The way to the server.
        address: The folder they lie in; default: the setting `pubtator_files`.
        to: Where they shall lie; default: HOME/downloads/pubtator3.
        progress: Is told the bytes of each file.

    Raises:
        InputError: An unknown name, or a folder that cannot be written.
        SourceUnreachable: A file cannot be had; those before it are there.
        Refused: What came is not what the source says it is, or the disk is full.
        StoreBusy: Another download into the folder is under way.
    """
    unknown = sorted(set(files) - set(PUBTATOR))
    if unknown:
        raise InputError(
            f"PubTator has no file called {', '.join(map(repr, unknown))}",
            f"names out of {', '.join(PUBTATOR)}",
            "correct the name; without any, relation is fetched",
        )
    source = folder(settings.pubtator_files if address is None else address)
    wanted = [_Wanted(name, source + name) for name in (f"{file}2pubtator3.gz" for file in dict.fromkeys(files))]
    target = to or settings.home / "downloads" / "pubtator3"
    return _fetch(lambda: wanted, target, remote, progress or Silent())


def download_pubmed(
    settings: Settings,
    remote: Remote,
    *,
    baseline: bool = True,
    updates: bool = True,
    since: str | None = None,
    address: str | None = None,
    to: Path | None = None,
    progress: Progress | None = None,
) -> DownloadReceipt:
    """Fetch PubMed's baseline and update files in the order of their numbers, each held against its MD5.

    Args:
        settings: HOME and the address.
        remote: The way to the server.
        baseline: Fetch the files of the yearly baseline.
        updates: Fetch the daily update files.
        since: A file's name or number: only this one and those after it.
        address: The folder above both; default: the setting `pubmed_files`.
        to: Where they shall lie; default: HOME/downloads/pubmed.
        progress: Is told the bytes of each file.

    Raises:
        InputError: `since` is neither, or a folder cannot be written.
        SourceUnreachable, Refused, StoreBusy: As `download_pubtator`.
    """
    kept = _kept(since)
    folders = [name for name, asked in (("baseline/", baseline), ("updatefiles/", updates)) if asked]
    source = folder(settings.pubmed_files if address is None else address)

    def wanted() -> list[_Wanted]:
        listed = [file for place in folders for file in _listed(remote, source + place)]
        if not listed:  # one of them may be empty: there are no updates yet when a baseline is new
            raise SourceUnreachable(
                f"{shown(source)} lists no PubMed file in {' or '.join(folders)}",
                "files such as pubmed26n0001.xml.gz",
                "check the address (--from): it is the folder above baseline/ and updatefiles/",
            )
        return sorted((file for file in listed if kept(file.name)), key=lambda file: _order(file.name))

    return _fetch(wanted, to or settings.home / "downloads" / "pubmed", remote, progress or Silent())


def _kept(since: str | None) -> Callable[[str], bool]:
    """Whether a file is the given one or comes after it; a number alone holds for every year."""
    if since is None:
        return lambda _: True
    name = Path(since).name.removesuffix(".md5")
    if _PUBMED.fullmatch(name):
        return lambda file: _order(file) >= _order(name)
    if name.isascii() and name.isdigit() and len(name) < 10:
        return lambda file: _order(file)[1] >= int(name)
    raise InputError(
        f"{since!r} is no PubMed file", "a name such as pubmed26n1335.xml.gz, or its number", "correct --since"
    )


def _order(name: str) -> tuple[int, int]:
    """(year, number): the order in which PubMed's files have to be loaded."""
    parts = _PUBMED.fullmatch(name)
    return (int(parts[1]), int(parts[2])) if parts else (0, 0)


def _listed(remote: Remote, url: str) -> list[_Wanted]:
    found = names(remote, url, _PUBMED_OR_MD5)
    return [_Wanted(name, at, found.get(f"{name}.md5")) for name, at in found.items() if _PUBMED.fullmatch(name)]


def _fetch(wanted: Callable[[], list[_Wanted]], target: Path, remote: Remote, progress: Progress) -> DownloadReceipt:
    """One file after the other, nobody else in the folder."""
    begun = time.monotonic()
    fetched: list[FetchRecord] = []
    with _held(target):
        files = wanted()
        for position, file in enumerate(files):
            if position:
                remote.pause()
            fetched.append(_transfer(remote, file, target, progress).run())
    return DownloadReceipt(tuple(fetched), time.monotonic() - begun)


def _transfer(remote: Remote, file: _Wanted, target: Path, progress: Progress) -> Transfer:
    at = file.checksum
    checksum = (lambda: md5(remote, at, file.name)) if at is not None else None
    return Transfer(remote, file.url, target / file.name, checksum, progress)


@contextmanager
def _held(target: Path) -> Iterator[None]:
    """The folder, made and locked; what goes wrong with the disk is told as what it is.

    The lock is the operating system's and dies with its process.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
        with FileLock(target / ".download.lock", timeout=0):
            yield
    except Timeout as error:
        raise StoreBusy(
            f"another download into {target} is under way", "one at a time", "wait for it, or choose another --to"
        ) from error
    except BrokenPipeError:
        raise  # whoever watched our progress left
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise Refused(
                f"{target} cannot be written: {error.strerror}",
                "room for the files on its disk",
                "make room, or choose another folder with --to; then run the same command again",
            ) from error
        raise InputError(
            f"{error.filename or target} cannot be written: {error.strerror or error}",
            "a folder for the files",
            "choose another with --to",
        ) from error
