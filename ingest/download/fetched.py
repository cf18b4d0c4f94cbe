"""Records of downloaded files, and how they are stored beside the files."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self, TypeVar

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwork.manifest import replace
from groundwork.records import Record

#: Header values that can be sent unchanged in a later request.
_PLAIN = re.compile(r"[ -~]{1,1000}")
_Header = Annotated[str, Field(pattern=f"^{_PLAIN.pattern}$")]  # in pydantic, $ matches only the very end
#: The header Content-Range, for example `bytes 0-99/200`.
_RANGE = re.compile(r"bytes \d+-\d+/(\d{1,18})", re.ASCII)


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


class RemoteVersion(BaseModel):
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

    def same(self, other: "RemoteVersion") -> bool:
        """Return whether two descriptions are of the same version. A header that is missing in one is not compared."""
        pairs = [(self.etag, other.etag), (self.last_modified, other.last_modified)]
        return (self.url, self.size) == (other.url, other.size) and all(a == b for a, b in pairs if a and b)


def _plain(header: str | None) -> str | None:
    """Return a header's value, or None if it is missing or cannot be sent unchanged in a later request."""
    return header if header is not None and _PLAIN.fullmatch(header) else None


class DownloadedFile(BaseModel):
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

    said: RemoteVersion
    bytes: int
    sha256: str
    md5: str | None
    mtime_ns: int


Model = TypeVar("Model", bound=BaseModel)


def read_record(path: Path, kind: type[Model]) -> Model | None:
    """Return a record from its file; None if there is no file, or it does not contain a valid record of this class."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError, ValidationError):
        return None


def write_record(path: Path, record: BaseModel) -> None:
    """Write a record to its file atomically."""
    replace(path, f"{record.model_dump_json(indent=2)}\n")
