"""Download one file completely, however often the connection breaks.

The bytes are collected in NAME.part, the part of the file that has been downloaded so far. Beside the file NAME,
NAME.json records what was downloaded, from where, and how the server described the file.
NAME.json is written before the file is moved to its place, and it is ignored if it does not match the file. So a kill
between these two steps does no harm.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import httpx2

from groundwork.errors import InputError, Refused, SourceUnreachable
from groundwork.ports import Progress
from ingest.download.fetched import DownloadedFile, FetchRecord, RemoteVersion, read_record, write_record
from ingest.download.part import Part
from ingest.download.remote import Broken, Remote, shown

State = Literal["fetched", "resumed", "unchanged"]

_GZIP = b"\x1f\x8b"


class Transfer:
    """The download of one file from a server to the disk.

    Args:
        remote: The connection to the server.
        url: Address of the file.
        target: Local path; its folder exists, and no other process writes in this folder.
        checksum: Returns the MD5 that the source publishes; called only if needed. None if the source publishes none.
        progress: Receives the number of bytes as they arrive.
    """

    def __init__(
        self, remote: Remote, url: str, target: Path, checksum: Callable[[], str] | None, progress: Progress
    ) -> None:
        self._remote, self._url, self._target, self._checksum = remote, url, target, checksum
        self._progress = progress
        self._part = Part(target)
        self._record = target.with_name(target.name + ".json")
        self._joined = self._watched = False

    def run(self) -> FetchRecord:
        """Download the file, or find that it is already there.

        Raises:
            InputError: If a folder has the file's name.
            SourceUnreachable: If the server does not provide the file.
            Refused: If the file does not match its checksum, or the record of the part is missing.
            OSError: If the folder cannot be written, or its disk is too small.
        """
        begun = time.monotonic()
        if self._target.is_dir():
            raise InputError(f"{self._target} is a folder", "the path of a file", "move it, or choose another --to")
        known = self._whole()
        state: State = "unchanged"
        if known is None or known.said.tagged:
            state = self._remote.patiently(self._url, lambda: self._once(known), self._reached)
        if state == "unchanged" and known is not None:
            self._part.discard()
        else:
            known = self._checked()
            write_record(self._record, known)
            self._part.settle()
            state = "resumed" if self._joined else "fetched"
        return FetchRecord(
            path=str(self._target.absolute()),
            url=shown(self._url),
            bytes=known.bytes,
            sha256=known.sha256,
            md5=known.md5,
            state=state,
            seconds=time.monotonic() - begun,
            last_modified=known.said.last_modified,
        )

    def _whole(self) -> DownloadedFile | None:
        """Return the record of the file on the disk; None if there is no file, or it is not known to be complete."""
        if not self._target.is_file():
            return None
        known = read_record(self._record, DownloadedFile)
        if known is not None and known.said.tagged and known.said.url == self._url and self._intact(known):
            return known
        if self._checksum is None:
            return None
        # The file was copied here, or comes from another address: only its checksum shows whether it is complete.
        sha256, seen = _digest(self._target)
        if seen != self._checksum():
            return None
        stat = self._target.stat()
        said = RemoteVersion(url=self._url, etag=None, last_modified=None, size=stat.st_size)
        known = DownloadedFile(said=said, bytes=stat.st_size, sha256=sha256, md5=seen, mtime_ns=stat.st_mtime_ns)
        write_record(self._record, known)
        return known

    def _intact(self, known: DownloadedFile) -> bool:
        """Return whether the file is unchanged. The content is compared only if the modification time differs."""
        stat = self._target.stat()
        return known.bytes == stat.st_size and (
            known.mtime_ns == stat.st_mtime_ns or known.sha256 == _digest(self._target)[0]
        )

    def _once(self, known: DownloadedFile | None) -> State:
        """Send one request, and read the answer to its end; return `fetched` or `unchanged`."""
        part = self._part.continued(self._url)
        with self._remote.answer(self._url, _question(part, known.said if known else None)) as response:
            if response.status_code == httpx2.codes.NOT_MODIFIED and known is not None:
                return "unchanged"
            said = RemoteVersion.of(self._url, response)
            if response.status_code == httpx2.codes.PARTIAL_CONTENT and part is not None:
                self._join(part, said, response)
            elif response.status_code == httpx2.codes.OK:
                self._begin(said, response)
            else:
                self._part.discard()
                raise Broken(f"the server answers {response.status_code} to this request")
            self._receive(response, said.size)
        return "fetched"

    def _join(self, part: tuple[RemoteVersion, int], said: RemoteVersion, response: httpx2.Response) -> None:
        """Prepare to append the answer to the partly downloaded file (NAME.part).

        Raises:
            Broken: If the answer is not the requested rest of the file, or belongs to another version of the file.
        """
        before, start = part
        size = before.size or 0
        ranged = response.headers.get("Content-Range", "").strip() == f"bytes {start}-{size - 1}/{size}"
        if not ranged or not before.same(said):
            self._part.discard()
            raise Broken("the server sent a part of another version of the file")
        if not self._watched:
            self._progress.begin(f"downloading {self._target.name} from byte {start:,}", size - start, "bytes")
        self._watched = self._joined = True
        self._part.cut(start)

    def _begin(self, said: RemoteVersion, response: httpx2.Response) -> None:
        """Start the download from the beginning, with the version of the file that this answer describes."""
        if said.size is None and "chunked" not in response.headers.get("Transfer-Encoding", "").lower():
            raise SourceUnreachable(
                f"{shown(self._url)} comes without its length, so it is not possible to check that it is complete",
                "an answer with Content-Length",
                "download the file from another address (--from)",
            )
        self._part.begin(said)
        self._joined, self._watched = False, True
        self._progress.begin(f"downloading {self._target.name}", said.size, "bytes")

    def _receive(self, response: httpx2.Response, size: int | None) -> None:
        """Append the body of the answer, without decompressing it, to the partly downloaded file (NAME.part)."""
        with self._part.add() as file:
            for piece in response.iter_raw():
                file.write(piece)
                self._progress.advance(len(piece))
        if size is not None and self._part.held != size:
            raise Broken(f"the body ended at byte {self._part.held:,} of {size:,}")

    def _reached(self) -> int:
        """Return the number of downloaded bytes on the disk.

        If the file on the server has changed, the download starts again from the beginning, so this number drops.
        """
        return self._part.held

    def _checked(self) -> DownloadedFile:
        """Return the record of the part, which is complete. A part that is not the wanted file is deleted.

        Raises:
            SourceUnreachable: If the name ends in .gz, but the content is not gzip (a login page, for example).
            Refused: If the checksum differs, or the record of the part is missing.
        """
        said = self._part.said
        if said is None:
            seen = f"the record of {self._part.path} is missing"
            raise Refused(seen, "files that only this program removes", "run the same command again")
        with self._part.path.open("rb") as file:
            first = file.read(len(_GZIP))
        if self._target.name.endswith(".gz") and first != _GZIP:
            self._part.discard()
            raise SourceUnreachable(
                f"{shown(self._url)} is not a gzip file: it begins with {first!r}",
                "a gzip file",
                "open the address in a browser: a proxy or a login page may have answered instead of the server",
            )
        sha256, seen = _digest(self._part.path)
        wanted = self._checksum() if self._checksum is not None else None
        if wanted not in {None, seen}:
            self._part.discard()
            raise Refused(
                f"{shown(self._url)} was downloaded and has the MD5 {seen}",
                f"the MD5 {wanted}, as its source says",
                "run the same command again, or use another address (--from); nothing of the file was kept",
            )
        stat = self._part.path.stat()
        return DownloadedFile(said=said, bytes=stat.st_size, sha256=sha256, md5=wanted, mtime_ns=stat.st_mtime_ns)


def _question(part: tuple[RemoteVersion, int] | None, known: RemoteVersion | None) -> dict[str, str]:
    """Return the headers of a request for a file.

    With a part (its version, and the byte from which to continue), the rest of the file is requested. Without a part,
    the whole file is requested, unless the server still has the version `known` (if given).
    """
    if part is not None:
        said, start = part
        return {"Range": f"bytes={start}-", "If-Range": said.validator() or ""}
    asked = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified} if known is not None else {}
    return {name: value for name, value in asked.items() if value is not None}


def _digest(path: Path) -> tuple[str, str]:
    """Return SHA-256 and MD5 of a file in hexadecimal. NLM publishes MD5, which detects accidents, not attacks."""
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            sha256.update(chunk)
            md5.update(chunk)
    return sha256.hexdigest(), md5.hexdigest()
