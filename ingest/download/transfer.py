"""Download one file completely, however often the connection breaks.

The bytes are collected in NAME.part, the part of the file that has been downloaded so far. NAME.part.json records the
version of the remote file that the part belongs to. Beside the complete file NAME, NAME.json records what was
downloaded, from where, and how the server described the file.
NAME.json is written before the file is moved to its place, and it is ignored if it does not match the file. So a kill
between these two steps does no harm.
"""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path
from typing import Annotated, BinaryIO, Literal, Self, TypeVar

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwork.errors import InputError, Refused, SourceUnreachable
from groundwork.manifest import replace
from groundwork.ports import Progress
from groundwork.records import Record
from ingest.download.remote import Broken, Remote, shown

#: Header values that can be sent unchanged in a later request.
_PLAIN = re.compile(r"[ -~]{1,1000}")
_Header = Annotated[str, Field(pattern=f"^{_PLAIN.pattern}$")]  # in pydantic, $ matches only the very end
#: The header Content-Range, for example `bytes 0-99/200`.
_RANGE = re.compile(r"bytes \d+-\d+/(\d{1,18})", re.ASCII)
_State = Literal["fetched", "resumed", "unchanged"]
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class FetchRecord(Record):
    """A file that is complete on the disk.

    Attributes:
        path: Absolute path.
        url: Address from which the file was downloaded.
        bytes: Size of the file.
        sha256: Hex digest.
        md5: Hex digest, which equals the MD5 that the source publishes; None if the source publishes none.
        state: fetched, resumed (joined from several answers) or unchanged (it was already there).
        seconds: Time of the download.
        last_modified: The server's header Last-Modified for the file, as it was sent; None if it was not sent.
    """

    path: str
    url: str
    bytes: int
    sha256: str
    md5: str | None
    state: str
    seconds: float
    last_modified: str | None


class _RemoteVersion(BaseModel):
    """The server's description of one version of a file: address, ETag, Last-Modified, size in bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    url: str
    etag: _Header | None
    last_modified: _Header | None
    size: int | None

    @classmethod
    def of(cls, url: str, response: httpx2.Response) -> Self:
        """Return the description in an answer's headers. The size is that of the whole file, not of a part."""
        headers = response.headers
        length: str | None = headers.get("Content-Length")
        if response.status_code == httpx2.codes.PARTIAL_CONTENT:
            ranged = _RANGE.fullmatch(headers.get("Content-Range", "").strip())
            length = ranged[1] if ranged else None
        return cls(
            url=url,
            etag=_plain(headers.get("ETag")),
            last_modified=_plain(headers.get("Last-Modified")),
            size=int(length) if length is not None and length.isascii() and length.isdigit() else None,
        )

    def validator(self) -> str | None:
        """Return a value for If-Range (RFC 9110, 13.1.5): a strong ETag, else Last-Modified, else None."""
        return self.etag if self.etag is not None and not self.etag.startswith("W/") else self.last_modified

    @property
    def tagged(self) -> bool:
        """Whether the server can be asked if the file still has this version."""
        return self.etag is not None or self.last_modified is not None

    def same(self, other: "_RemoteVersion") -> bool:
        """Return whether two descriptions are of the same version. A header that is missing in one is not compared."""
        pairs = [(self.etag, other.etag), (self.last_modified, other.last_modified)]
        return (self.url, self.size) == (other.url, other.size) and all(a == b for a, b in pairs if a and b)


def _plain(header: str | None) -> str | None:
    """Return a header's value, or None if it is missing or cannot be sent unchanged in a later request."""
    return header if header is not None and _PLAIN.fullmatch(header) else None


class _DownloadedFile(BaseModel):
    """The record of a file that was downloaded completely.

    Attributes:
        said: The server's description of the file.
        bytes: Size of the file.
        sha256: Hex digest.
        md5: Hex digest; None if the source publishes none.
        mtime_ns: Modification time of the file on this disk, in ns. While time and size are the same, the content is
            not read again to check it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    said: _RemoteVersion
    bytes: int
    sha256: str
    md5: str | None
    mtime_ns: int


_Model = TypeVar("_Model", bound=BaseModel)


def _read_record(path: Path, kind: type[_Model]) -> _Model | None:
    """Return a record from its file; None if there is no file, or it does not contain a valid record of this class."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError, ValidationError):
        return None


def _write_record(path: Path, record: BaseModel) -> None:
    """Write a record to its file atomically."""
    replace(path, f"{record.model_dump_json(indent=2)}\n")


class _Part:
    """The downloaded part of one file. All bytes belong to the version that the record NAME.part.json describes.

    Args:
        target: Path of the complete file; the part is stored beside it.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(target.name + ".part")
        self._target = target
        self._note = target.with_name(target.name + ".part.json")
        if self.path.is_symlink():
            self.path.unlink()  # a link of another user must not redirect the download

    @property
    def said(self) -> _RemoteVersion | None:
        """The server's description of the file version that the part belongs to; None if there is no part."""
        return _read_record(self._note, _RemoteVersion)

    @property
    def held(self) -> int:
        """Number of bytes stored."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def continued(self, url: str) -> tuple[_RemoteVersion, int] | None:
        """Return the version of the part and the byte from which to continue; None if the download must start again.

        If the part is complete, its last byte is requested again, so that the server confirms the version.
        """
        said, held = self.said, self.held
        if not held or said is None or said.url != url or said.size is None or held > said.size:
            return None
        return (said, min(held, said.size - 1)) if said.validator() else None

    def cut(self, length: int) -> None:
        """Keep only the first `length` bytes."""
        with self.path.open("r+b") as file:
            file.truncate(length)

    def begin(self, said: _RemoteVersion) -> None:
        """Discard the part, and record the version of the remote file whose download starts now.

        Raises:
            OSError: If the disk has not enough space.
        """
        self.discard()
        if said.size is not None and said.size > (free := shutil.disk_usage(self.path.parent).free):
            raise OSError(ENOSPC, f"{said.size:,} bytes needed, {free:,} free", str(self.path))
        _write_record(self._note, said)

    def add(self) -> BinaryIO:
        """Return the part, opened for appending."""
        return self.path.open("ab")

    def discard(self) -> None:
        """Delete the part and its record."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def settle(self) -> None:
        """Move the part, which is now complete, to the path `target` atomically, and delete its record."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
        self.path.replace(self._target)
        self._note.unlink(missing_ok=True)


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
        self._part = _Part(target)
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
        state: _State = "unchanged"
        if known is None or known.said.tagged:
            state = self._remote.patiently(self._url, lambda: self._once(known), self._reached)
        if state == "unchanged" and known is not None:
            self._part.discard()
        else:
            known = self._checked()
            _write_record(self._record, known)
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

    def _whole(self) -> _DownloadedFile | None:
        """Return the record of the file on the disk; None if there is no file, or it is not known to be complete."""
        if not self._target.is_file():
            return None
        known = _read_record(self._record, _DownloadedFile)
        if known is not None and known.said.tagged and known.said.url == self._url and self._intact(known):
            return known
        if self._checksum is None:
            return None
        # The file was copied here, or comes from another address: only its checksum shows whether it is complete.
        sha256, seen = _digest(self._target)
        if seen != self._checksum():
            return None
        stat = self._target.stat()
        said = _RemoteVersion(url=self._url, etag=None, last_modified=None, size=stat.st_size)
        known = _DownloadedFile(said=said, bytes=stat.st_size, sha256=sha256, md5=seen, mtime_ns=stat.st_mtime_ns)
        _write_record(self._record, known)
        return known

    def _intact(self, known: _DownloadedFile) -> bool:
        """Return whether the file is unchanged. The content is compared only if the modification time differs."""
        stat = self._target.stat()
        return known.bytes == stat.st_size and (
            known.mtime_ns == stat.st_mtime_ns or known.sha256 == _digest(self._target)[0]
        )

    def _once(self, known: _DownloadedFile | None) -> _State:
        """Send one request, and read the answer to its end; return `fetched` or `unchanged`."""
        part = self._part.continued(self._url)
        with self._remote.answer(self._url, _question(part, known.said if known else None)) as response:
            if response.status_code == httpx2.codes.NOT_MODIFIED and known is not None:
                return "unchanged"
            said = _RemoteVersion.of(self._url, response)
            if response.status_code == httpx2.codes.PARTIAL_CONTENT and part is not None:
                self._join(part, said, response)
            elif response.status_code == httpx2.codes.OK:
                self._begin(said, response)
            else:
                self._part.discard()
                raise Broken(f"the server answers {response.status_code} to this request")
            self._receive(response, said.size)
        return "fetched"

    def _join(self, part: tuple[_RemoteVersion, int], said: _RemoteVersion, response: httpx2.Response) -> None:
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

    def _begin(self, said: _RemoteVersion, response: httpx2.Response) -> None:
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

    def _checked(self) -> _DownloadedFile:
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
        return _DownloadedFile(said=said, bytes=stat.st_size, sha256=sha256, md5=wanted, mtime_ns=stat.st_mtime_ns)


def _question(part: tuple[_RemoteVersion, int] | None, known: _RemoteVersion | None) -> dict[str, str]:
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
