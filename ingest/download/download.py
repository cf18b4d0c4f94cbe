"""Download release files from public servers: PubTator's files by name, PubMed's files as listed in their folders.

A folder's HTML index and its checksum files are untrusted text.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

from groundwork.errors import InputError, Refused, SourceUnreachable, StoreBusy
from groundwork.files import FULL, held
from groundwork.ports import Progress, Silent
from groundwork.records import Record
from groundwork.settings import Settings
from ingest.download.remote import Remote, folder, shown
from ingest.download.transfer import FetchRecord, Transfer
from ingest.pubmed.delivery import NUMBERED, file_number, md5_by_name

#: PubTator's bulk files, named without `2pubtator3.gz`. The file bioconcepts is the union of the files listed after it.
PUBTATOR = ("relation", "bioconcepts", "gene", "disease", "chemical", "species", "mutation", "cellline")

_PUBMED_OR_MD5 = re.compile(NUMBERED.pattern + r"(\.md5)?", re.ASCII)
#: Maximum numbers of bytes of an index and of a checksum file. An index of 3,000 files has about 600 kB.
_INDEX_LIMIT = 1 << 24
_CHECKSUM_LIMIT = 1 << 12


@dataclass(frozen=True, slots=True)
class DownloadReceipt(Record):
    """The result of a download.

    Attributes:
        files: The files, in the order in which they must be loaded.
        seconds: Time for all files.
    """

    files: tuple[FetchRecord, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file to download, and the address of its checksum if the source has one."""

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
    """Download PubTator's bulk files, e.g. relation2pubtator3.gz.

    Args:
        files: Names from `PUBTATOR`.
        settings: HOME, and the default address.
        remote: The connection to the server.
        address: The folder on the server; default: the setting `pubtator_files`.
        to: The local folder; default: HOME/downloads/pubtator3.
        progress: Receives the number of bytes as they arrive.

    Raises:
        InputError: If a name is unknown, the address is not valid, or the local folder cannot be written.
        SourceUnreachable: If a file cannot be downloaded; the files before it are complete.
        Refused: If the disk is full, or another program removed the record of a partly downloaded file.
        StoreBusy: If another download into the local folder is running.
    """
    unknown = sorted(set(files) - set(PUBTATOR))
    if unknown:
        raise InputError(
            f"PubTator has no file called {', '.join(map(repr, unknown))}",
            f"names from {', '.join(PUBTATOR)}",
            "correct the name; without a name, the relation file is downloaded",
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
    """Download PubMed's baseline and update files in the order of their numbers, and compare each with its MD5.

    Args:
        settings: HOME, and the default address.
        remote: The connection to the server.
        baseline: Whether to download the files of the yearly baseline.
        updates: Whether to download the daily update files.
        since: Name or number of a file: download only this file and later files.
        address: The folder on the server that contains baseline/ and updatefiles/; default: the setting `pubmed_files`.
        to: The local folder; default: HOME/downloads/pubmed.
        progress: Receives the number of bytes as they arrive.

    Raises:
        InputError: If `since` is neither the name nor the number of a PubMed file, the address is not valid, or the
            local folder cannot be written.
        SourceUnreachable: If the server lists no PubMed file; also as in `download_pubtator`.
        Refused: If a file does not match its checksum; also as in `download_pubtator`.
        StoreBusy: As in `download_pubtator`.
    """
    kept = _kept(since)
    folders = [name for name, asked in (("baseline/", baseline), ("updatefiles/", updates)) if asked]
    source = folder(settings.pubmed_files if address is None else address)

    def wanted() -> list[_Wanted]:
        listed = [file for place in folders for file in _listed(remote, source + place)]
        if not listed:  # one folder may be empty: after a new baseline there are no updates yet
            raise SourceUnreachable(
                f"{shown(source)} lists no PubMed file in {' or '.join(folders)}",
                "files such as pubmed26n0001.xml.gz",
                "check the address (--from); it must be the folder that contains baseline/ and updatefiles/",
            )
        return sorted((file for file in listed if kept(file.name)), key=lambda file: _order(file.name))

    return _fetch(wanted, to or settings.home / "downloads" / "pubmed", remote, progress or Silent())


def _kept(since: str | None) -> Callable[[str], bool]:
    """Return a function that says whether to download a file. Files older than `since` are left out.

    If `since` is None, no file is left out. If `since` is only a number, files of all years are compared by number.
    """
    if since is None:
        return lambda _: True
    name = Path(since).name.removesuffix(".md5")
    if file_number(name):
        return lambda file: _order(file) >= _order(name)
    if name.isascii() and name.isdigit() and len(name) < 10:
        return lambda file: _order(file)[1] >= int(name)
    raise InputError(
        f"{since!r} is not a PubMed file", "a name such as pubmed26n1335.xml.gz, or its number", "correct --since"
    )


def _order(name: str) -> tuple[int, int]:
    """Return (year, number), the order in which PubMed's files must be loaded."""
    return file_number(name) or (0, 0)


def _listed(remote: Remote, url: str) -> list[_Wanted]:
    found = names(remote, url, _PUBMED_OR_MD5)
    return [_Wanted(name, at, found.get(f"{name}.md5")) for name, at in found.items() if file_number(name)]


def _fetch(wanted: Callable[[], list[_Wanted]], target: Path, remote: Remote, progress: Progress) -> DownloadReceipt:
    """Download one file after the other while the folder is locked."""
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
    """Create and lock the folder, and turn errors of the disk into errors of this project."""
    busy = StoreBusy(
        f"another download into {target} is running", "one download per folder", "wait, or choose another --to"
    )
    try:
        target.mkdir(parents=True, exist_ok=True)
        with held(target / ".download.lock", busy):
            yield
    except BrokenPipeError:
        raise  # the reader of the progress output has ended
    except OSError as error:
        if error.errno in FULL:
            raise Refused(
                f"{target} cannot be written: {error.strerror}",
                "enough free space for the files on this disk",
                "make room on the disk, or choose another folder with --to; then run the same command again",
            ) from error
        raise InputError(
            f"{error.filename or target} cannot be written: {error.strerror or error}",
            "a folder that can be written",
            "choose another folder with --to",
        ) from error


def names(remote: Remote, url: str, pattern: re.Pattern[str]) -> dict[str, str]:
    """Return the names and addresses of those files in a folder whose names match a pattern.

    Links that lead out of the folder are ignored, so a name never contains a part of a path.

    Args:
        remote: The connection to the server.
        url: Address of the folder, with a slash at its end.
        pattern: Pattern of the whole name; it must not match a slash.

    Returns:
        The address of each file by its name, in the order of the index.

    Raises:
        SourceUnreachable: If the index cannot be read.
    """
    found_at, content = remote.read(url, _INDEX_LIMIT)
    home = urlsplit(found_at)
    inside = home.path[: home.path.rfind("/") + 1]
    found: dict[str, str] = {}
    for link in _links(content):
        try:
            target = urlsplit(urljoin(found_at, link))
        except ValueError:
            continue  # not an address, e.g. because of an unclosed bracket
        name = unquote(target.path[len(inside) :])
        here = (target.scheme, target.netloc) == (home.scheme, home.netloc) and target.path.startswith(inside)
        if here and not target.query and pattern.fullmatch(name):
            found.setdefault(name, urljoin(found_at, name))
    return found


def md5(remote: Remote, url: str, name: str) -> str:
    """Return the MD5 of a file, in lower case, from the checksum file beside it.

    Raises:
        SourceUnreachable: If the checksum file cannot be read, or does not contain this file's MD5.
    """
    _, content = remote.read(url, _CHECKSUM_LIMIT)
    said = md5_by_name(content.decode("ascii", "replace"))
    found = said.get(name) or said.get("")
    if found is None:
        raise SourceUnreachable(
            f"{shown(url)} contains no MD5 of {name}: {content[:80]!r}",
            f"MD5({name})= and 32 hexadecimal digits",
            "check the address (--from), or try again later",
        )
    return found


def _links(page: bytes) -> list[str]:
    """Return the addresses of all links of a page, even if the HTML is invalid."""
    parser = etree.HTMLParser(encoding="utf-8", no_network=True)
    try:
        root = etree.fromstring(page, parser)
    except etree.XMLSyntaxError:
        return []
    found = root.iter("a") if root is not None else ()
    return [link.strip() for element in found if (link := element.get("href"))]
