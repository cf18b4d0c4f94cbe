"""Records of downloaded files, and how they are stored beside the files."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self, TypeVar

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwork.manifest import replace
from groundwork.records import Record

#: Header values that can be sent back unchanged.
_PLAIN = re.compile(r"[ -~]{1,1000}")
_Header = Annotated[str, Field(pattern=f"^{_PLAIN.pattern}$")]  # in pydantic's regex $ is the very end
#: `bytes 0-99/200`
_RANGE = re.compile(r"bytes \d+-\d+/(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class FetchRecord(Record):
    """A file that is complete on the disk.

    Attributes:
        path: Absolute path.
        url: Where it came from.
        bytes: Its size.
        sha256: Hex digest.
        md5: Hex digest, compared with the source's; None if the source gives none.
        state: fetched | resumed (from several answers) | unchanged (it was already there).
        seconds: Time of the download.
        last_modified: The server's date of the file, unchanged; None if the server gives none.
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
        """Return the description in an answer's headers. The size is that of the whole file, even if a part is sent."""
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
        """Return a value for If-Range: a strong ETag, else the date (RFC 9110, 13.1.5); None if there is neither."""
        return self.etag if self.etag is not None and not self.etag.startswith("W/") else self.last_modified

    @property
    def tagged(self) -> bool:
        """Whether the server can be asked if this is still its version."""
        return self.etag is not None or self.last_modified is not None

    def same(self, other: "RemoteVersion") -> bool:
        """Return whether a later description is of the same version. Headers that one leaves out are not compared."""
        pairs = [(self.etag, other.etag), (self.last_modified, other.last_modified)]
        return (self.url, self.size) == (other.url, other.size) and all(a == b for a, b in pairs if a and b)


def _plain(header: str | None) -> str | None:
    """Return a header's value, or None if it could not be sent back."""
    return header if header is not None and _PLAIN.fullmatch(header) else None


class DownloadedFile(BaseModel):
    """The record of a file that was downloaded completely.

    Attributes:
        said: The server's description of it.
        bytes: Its size.
        sha256: Hex digest.
        md5: Hex digest; None if the source gives none.
        mtime_ns: Its modification time on this disk; while this and the size are the same, the content is not read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    said: RemoteVersion
    bytes: int
    sha256: str
    md5: str | None
    mtime_ns: int


Model = TypeVar("Model", bound=BaseModel)


def read_record(path: Path, kind: type[Model]) -> Model | None:
    """Return a record from its file; None if there is none, or it was not written by this version."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except (FileNotFoundError, IsADirectoryError, ValidationError):
        return None


def write_record(path: Path, record: BaseModel) -> None:
    """Write a record to its file atomically."""
    replace(path, f"{record.model_dump_json(indent=2)}\n")
