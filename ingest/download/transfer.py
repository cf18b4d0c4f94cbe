"""One file fetched to its end, however often the way there breaks.

Beside the file NAME lies NAME.json: what was fetched, from where, and what the server said of it. It is written before
the file takes its place and not believed while it fits no file, so a kill between the two steps does no harm.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import httpx2

from groundwork.errors import InputError, Refused, SourceUnreachable
from groundwork.ports import Progress
from ingest.download.fetched import FetchRecord, Known, Said, read_record, write_record
from ingest.download.part import Part
from ingest.download.remote import Broken, Remote, shown

State = Literal["fetched", "resumed", "unchanged"]

_GZIP = b"\x1f\x8b"


class Transfer:
    """The way of one file from a server to the disk.

    Args:
        remote: The way to the server.
        url: The file's address.
        target: Where it shall lie; its folder is there and nobody else writes in it.
        checksum: Gives the file's MD5 as the source publishes it; called only when it is needed. None: it has none.
        progress: Is told the bytes as they come.
    """

    def __init__(
        self, remote: Remote, url: str, target: Path, checksum: Callable[[], str] | None, progress: Progress
    ) -> None:
        self._remote, self._url, self._target, self._checksum = remote, url, target, checksum
        self._progress = progress
        self._part = Part(target)
        self._record = target.with_name(target.name + ".json")
        self._joined = self._watched = False
        self._seen = ""  # MD5 of the last part that was whole
        self._wanted: str | None = None  # what its source said

    def run(self) -> FetchRecord:
        """Fetch the file, or find that it is there already.

        Raises:
            InputError: A folder has its name.
            SourceUnreachable: The server does not give it.
            Refused: What came is not what its checksum says, twice.
            OSError: The folder cannot be written, or its disk is too small.
        """
        begun = time.monotonic()
        if self._target.is_dir():
            raise InputError(f"{self._target} is a folder", "a place for a file", "move it, or choose another --to")
        known = self._whole()
        state: State = "unchanged"
        if known is None or known.said.tagged:
            state = self._remote.patiently(self._url, lambda: self._once(known), self._reached)
        if state == "unchanged" and known is not None:
            self._part.discard()
        else:
            known = self._checked() or self._again()
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

    def _whole(self) -> Known | None:
        """What is known of the file that is there; None if there is none, or it is not what was fetched."""
        if not self._target.is_file():
            return None
        known = read_record(self._record, Known)
        if known is not None and known.said.tagged and known.said.url == self._url and self._intact(known):
            return known
        if self._checksum is None:
            return None
        # Put here by hand, or from another address: its checksum alone says whether it is whole.
        sha256, seen = _digest(self._target)
        if seen != self._checksum():
            return None
        stat = self._target.stat()
        said = Said(url=self._url, etag=None, last_modified=None, size=stat.st_size)
        known = Known(said=said, bytes=stat.st_size, sha256=sha256, md5=seen, mtime_ns=stat.st_mtime_ns)
        write_record(self._record, known)
        return known

    def _intact(self, known: Known) -> bool:
        """Whether the file is as it was put there; it is read only if its time leaves a doubt."""
        stat = self._target.stat()
        return known.bytes == stat.st_size and (
            known.mtime_ns == stat.st_mtime_ns or known.sha256 == _digest(self._target)[0]
        )

    def _once(self, known: Known | None) -> State:
        """One request, and its body to the end."""
        part = self._part.continued(self._url)
        with self._remote.answer(self._url, _question(part, known.said if known else None)) as response:
            if response.status_code == httpx2.codes.NOT_MODIFIED and known is not None:
                return "unchanged"
            said = Said.of(self._url, response)
            if response.status_code == httpx2.codes.PARTIAL_CONTENT and part is not None:
                self._join(part, said, response)
            elif response.status_code == httpx2.codes.OK:
                if known is not None and known.said.same(said):
                    return "unchanged"
                self._begin(said, response)
            else:
                self._part.discard()
                raise Broken(f"the server answers {response.status_code} to what was asked")
            self._receive(response, said.size)
        return "fetched"

    def _join(self, part: tuple[Said, int], said: Said, response: httpx2.Response) -> None:
        """Make ready to go on with the part, if the answer continues it."""
        before, start = part
        size = before.size or 0
        ranged = response.headers.get("Content-Range", "").strip() == f"bytes {start}-{size - 1}/{size}"
        if not ranged or not before.same(said, ranged=True):
            self._part.discard()
            raise Broken("the server continues another version of the file")
        if not self._watched:
            self._progress.begin(f"fetching {self._target.name} from byte {start:,}", size - start, "bytes")
        self._watched = self._joined = True
        self._part.cut(start)

    def _begin(self, said: Said, response: httpx2.Response) -> None:
        """Start over with the version of this answer."""
        if said.size is None and "chunked" not in response.headers.get("Transfer-Encoding", "").lower():
            raise SourceUnreachable(
                f"{shown(self._url)} comes without its length: nobody could tell whether it came whole",
                "an answer with Content-Length",
                "fetch it from another address (--from)",
            )
        self._part.begin(said)
        self._joined, self._watched = False, True
        self._progress.begin(f"fetching {self._target.name}", said.size, "bytes")

    def _receive(self, response: httpx2.Response, size: int | None) -> None:
        """Add the body to the part, byte for byte as it is on the server."""
        since, came = time.monotonic(), 0
        with self._part.add() as file:
            for piece in response.iter_raw():
                file.write(piece)
                came += len(piece)
                self._progress.advance(len(piece))
                self._remote.pace(came, since)
        if size is not None and self._part.held != size:
            raise Broken(f"the body ended at byte {self._part.held:,} of {size:,}")

    def _reached(self) -> int:
        """Bytes held. A file that changes at each try gets no further, so that the tries come to an end."""
        return self._part.held

    def _checked(self) -> Known | None:
        """What is known of the part, which is whole; None, and it is gone, if its checksum says otherwise.

        Raises:
            SourceUnreachable: It is something else altogether.
        """
        said = self._part.said
        if said is None:
            raise Refused(f"{self._part.path} lost its note", "files that nobody else takes away", "run it again")
        with self._part.path.open("rb") as file:
            first = file.read(len(_GZIP))
        if self._target.name.endswith(".gz") and first != _GZIP:
            self._part.discard()
            raise SourceUnreachable(
                f"what {shown(self._url)} gives is no gzip file: it begins with {first!r}",
                "a gzip file",
                "look at the address with a browser: a proxy or a log-in page may have answered in its place",
            )
        sha256, self._seen = _digest(self._part.path)
        self._wanted = self._checksum() if self._checksum is not None else None
        if self._wanted not in {None, self._seen}:
            self._part.discard()
            return None
        stat = self._part.path.stat()
        return Known(said=said, bytes=stat.st_size, sha256=sha256, md5=self._wanted, mtime_ns=stat.st_mtime_ns)

    def _again(self) -> Known:
        """Fetch the file once more from its first byte, since its checksum did not agree."""
        self._remote.patiently(self._url, lambda: self._once(None), self._reached)
        known = self._checked()
        if known is None:
            raise Refused(
                f"{shown(self._url)} came twice and not as its source says: MD5 {self._seen}",
                f"MD5 {self._wanted}",
                "fetch it later, or from another address (--from); nothing of it was kept",
            )
        return known


def _question(part: tuple[Said, int] | None, known: Said | None) -> dict[str, str]:
    """The headers that ask for the rest of a part, or for another version than the known one."""
    if part is not None:
        said, start = part
        return {"Range": f"bytes={start}-", "If-Range": said.validator() or ""}
    asked = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified} if known is not None else {}
    return {name: value for name, value in asked.items() if value is not None}


def _digest(path: Path) -> tuple[str, str]:
    """SHA-256 and MD5 of a file, in hex; MD5 is what NLM publishes, against accidents and not against attackers."""
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            sha256.update(chunk)
            md5.update(chunk)
    return sha256.hexdigest(), md5.hexdigest()
