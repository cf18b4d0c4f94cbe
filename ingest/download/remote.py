"""The client for a server of release files. It opens one connection at a time, and retries after temporary errors.

The proxies of the environment (HTTPS_PROXY, NO_PROXY) are used. TLS certificates are verified with the certificates of
the system.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from ssl import SSLCertVerificationError
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import httpx2

from groundwork.errors import InputError, SourceUnreachable
from groundwork.settings import Settings
from groundwork.threads import backoff, retry_after

Result = TypeVar("Result")

#: HTTP statuses of temporary errors.
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
#: HTTP statuses that callers handle; any other status is an error.
_UNDERSTOOD = frozenset({200, 206, 304, 416})
_REDIRECTS = 5
#: A server may be slow to answer, but it must accept a connection within this number of seconds.
_CONNECT_TIMEOUT = 20.0
#: Number of attempts for a server that has not answered once during this run.
_FIRST_CONTACT = 3
#: If a server asks to wait longer than this number of seconds, the download is given up.
_LONGEST_WAIT = 900.0


class Broken(Exception):
    """An attempt that ended early; another one may succeed.

    Args:
        why: What happened, for the user.
        wait: Number of seconds that the server asked to wait; None if it did not say.
    """

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class Remote:
    """The connection to a server of release files; use it in a `with` statement.

    Args:
        settings: The settings `download_...`: time limits, retries and pauses.
        tell: Receives one line of text about each interruption.
        sleep: Replaces time.sleep.

    Raises:
        InputError: If the proxies of the environment cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        tell: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings, self._tell, self._sleep = settings, tell, sleep
        self._answered = False
        try:
            self._client = httpx2.Client(
                # identity: a file is stored byte for byte as it is on the server
                headers={"User-Agent": f"truthhypo/{_version()}", "Accept": "*/*", "Accept-Encoding": "identity"},
                timeout=httpx2.Timeout(
                    settings.download_timeout, connect=min(settings.download_timeout, _CONNECT_TIMEOUT)
                ),
                limits=httpx2.Limits(max_connections=1),
            )
        except (ImportError, ValueError, httpx2.InvalidURL) as error:
            raise InputError(
                "the proxies in the environment cannot be used",
                "http:// or https:// addresses in HTTP_PROXY, HTTPS_PROXY and ALL_PROXY",
                "correct these variables, or unset those with other addresses (socks) for this command",
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def pause(self) -> None:
        """Wait before the next file, to limit the load on the server."""
        self._sleep(self._settings.download_pause)

    @contextmanager
    def answer(self, url: str, headers: dict[str, str] | None = None) -> Iterator[httpx2.Response]:
        """Send one GET request, follow redirects, and yield the answer (200, 206, 304 or 416) before its body is read.

        Raises:
            Broken: If the connection broke, even while the body was read, or the server is busy; a retry may succeed.
            SourceUnreachable: If the server refused the request, or a redirect is not followed; a retry is useless.
        """
        try:
            response = self._followed(self._client.build_request("GET", url, headers=headers))
            try:
                self._answered = True
                _understood(response)
                yield response
            finally:
                response.close()
        except UnicodeError as error:
            raise _refused(url, "its host name is not valid") from error
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            if isinstance(error, httpx2.UnsupportedProtocol) or _untrusted(error):
                raise _refused(url, str(error)) from error
            raise Broken(_reason(error)) from error

    def read(self, url: str, limit: int) -> tuple[str, bytes]:
        """Read a small resource, with retries.

        Args:
            url: Address of the resource.
            limit: Maximum number of bytes.

        Returns:
            The final address after redirects, and the content.

        Raises:
            SourceUnreachable: If the resource cannot be read, or is larger than `limit`.
        """

        def once() -> tuple[str, bytes]:
            content = bytearray()
            with self.answer(url) as response:
                if response.status_code != httpx2.codes.OK:
                    raise _refused(url, f"the server answers {response.status_code}")
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > limit:
                        raise _refused(url, f"it is larger than {limit:,} bytes")
                return str(response.url), bytes(content)

        return self.patiently(url, once)

    def patiently(self, url: str, once: Callable[[], Result], reached: Callable[[], Any] = lambda: 0) -> Result:
        """Call a function, and call it again after each `Broken` error, with increasing delays.

        Args:
            url: Address, for messages.
            once: The function: one attempt.
            reached: Returns the progress as a comparable value. An attempt that made progress resets the number of
                failed attempts.

        Raises:
            SourceUnreachable: If too many attempts in a row made no progress, or the server asks for a long wait.
        """
        best, failed = reached(), 0
        while True:
            try:
                return once()
            except Broken as broken:
                now = reached()
                best, failed = (now, 1) if now > best else (best, failed + 1)
                tries = self._settings.download_tries if self._answered else _FIRST_CONTACT
                wait = max(backoff(failed, self._settings.download_wait), broken.wait or 0.0)
                if failed >= tries or (broken.wait or 0.0) > _LONGEST_WAIT:
                    raise _refused(url, f"{broken} ({failed} attempts in a row)") from broken
                self._tell(f"{shown(url)}: {broken}; next attempt in {wait:g} s")
                self._sleep(wait)

    def _followed(self, request: httpx2.Request) -> httpx2.Response:
        """Return the first answer that is not a redirect."""
        for _ in range(_REDIRECTS + 1):
            response = self._client.send(request, stream=True, follow_redirects=False)
            onward = response.next_request
            if onward is None:
                return response
            response.close()
            if onward.url.scheme not in {"http", "https"} or (request.url.scheme, onward.url.scheme) == (
                "https",
                "http",
            ):
                raise _refused(str(request.url), f"it redirects from {request.url.scheme} to {onward.url.scheme}")
            request = onward
        raise _refused(str(request.url), f"it redirects more than {_REDIRECTS} times")


def shown(url: str) -> str:
    """Return an address as it may be shown: without user, password, query and fragment."""
    address = httpx2.URL(url)
    return str(address.copy_with(userinfo=b"", query=None, fragment=None))


def folder(address: str) -> str:
    """Return the checked address of a folder, with a slash at its end.

    Raises:
        InputError: If it is not an http(s) address, or contains more than host and path.
    """
    try:
        urlsplit(address)  # raises an error for an unclosed bracket
        url = httpx2.URL(address)
    except (ValueError, httpx2.InvalidURL):
        url = httpx2.URL("")
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query or url.fragment:
        raise InputError(
            "the address of the files is not valid" if "@" in address else f"{address!r} is not a valid address",
            "http:// or https://, a host and a folder, without user, password, ? or #",
            "correct --from, or the settings pubtator_files and pubmed_files",
        )
    return str(url).rstrip("/") + "/"


def _version() -> str:
    try:
        return version("truthhypo")
    except PackageNotFoundError:
        return "source"


def _understood(response: httpx2.Response) -> None:
    if response.status_code in _LATER:
        raise Broken(f"the server answers {response.status_code}", retry_after(response.headers))
    if response.status_code not in _UNDERSTOOD:
        answer = f"the server answers {response.status_code} {response.reason_phrase}"
        raise _refused(str(response.url), answer.rstrip())


def _untrusted(error: BaseException | None) -> bool:
    """Return whether an untrusted certificate caused the error; a retry would not help."""
    while error is not None:
        if isinstance(error, SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _reason(error: httpx2.RequestError) -> str:
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ConnectError):
        return f"no connection ({error or 'timed out'})"
    if isinstance(error, httpx2.TimeoutException):
        return "the server sent no data in time"
    return f"the connection broke ({error or type(error).__name__})"


def _refused(url: str, why: str) -> SourceUnreachable:
    return SourceUnreachable(
        f"{shown(url)} cannot be fetched: {why}",
        "a server that provides the file",
        "check the network, the proxies (HTTPS_PROXY, NO_PROXY) and the address (--from); "
        "then run the same command again: it continues where this one stopped",
    )
