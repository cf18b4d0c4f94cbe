"""A server of release files: one connection, a polite pace, tries again when it breaks off.

The proxies of the environment (HTTPS_PROXY, NO_PROXY) are used and TLS is verified against the system's certificates.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from ssl import SSLCertVerificationError
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import httpx2

from groundwork.errors import InputError, SourceUnreachable
from groundwork.retry import backoff, retry_after
from groundwork.settings import Settings

Result = TypeVar("Result")

#: Answers that say "not now".
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
#: Answers that a caller understands; any other is a refusal.
_UNDERSTOOD = frozenset({200, 206, 304, 416})
_REDIRECTS = 5
#: A server may be slow to answer, but not to take a connection, s.
_CONNECT_TIMEOUT = 20.0
#: A server that never answered in this run is rather absent than busy: it is asked this often.
_FIRST_CONTACT = 3
#: The command stops if a server asks for a longer wait, s.
_LONGEST_WAIT = 900.0


class Broken(Exception):
    """A try that ended early; another one may succeed.

    Args:
        why: What happened, for people.
        wait: Seconds the server asked us to wait; None if it did not say.
    """

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class Remote:
    """The way to a server of release files; to be used in a `with`.

    Args:
        settings: Times, tries and pauses (`download_...`).
        rate: Bytes a second at most, more than 0; None: as fast as the line.
        tell: Is told each break in one line, for people.
        sleep: Stands in for time.sleep.

    Raises:
        InputError: The proxies of the environment cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        rate: float | None = None,
        tell: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings, self._rate, self._tell, self._sleep = settings, rate, tell, sleep
        self._answered = False
        try:
            self._client = httpx2.Client(
                # identity: a file is kept as it lies on the server, byte for byte
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
                "correct them, or unset those that are of another kind (socks) for this command",
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def pause(self) -> None:
        """Give the server a rest between two files."""
        self._sleep(self._settings.download_pause)

    def pace(self, amount: int, since: float) -> None:
        """Wait until `amount` bytes may have come since a time of time.monotonic, at the rate agreed on."""
        if self._rate is not None and (ahead := amount / self._rate - (time.monotonic() - since)) > 0:
            self._sleep(ahead)

    @contextmanager
    def answer(self, url: str, headers: dict[str, str] | None = None) -> Iterator[httpx2.Response]:
        """The answer to one GET: 200, 206, 304 or 416, its body not yet read; redirects are followed.

        Raises:
            Broken: It broke off, now or while the body was read, or the server is busy: worth another try.
            SourceUnreachable: It was refused, or redirected to what is not followed: not worth one.
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
            raise _refused(url, "its host has no possible name") from error
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            if isinstance(error, httpx2.UnsupportedProtocol) or _untrusted(error):
                raise _refused(url, str(error)) from error
            raise Broken(_reason(error)) from error

    def read(self, url: str, limit: int) -> tuple[str, bytes]:
        """A small resource, tried again where the connection breaks.

        Args:
            url: Where it is.
            limit: Bytes it may have at most.

        Returns:
            The address it was found under after redirects, and its content.

        Raises:
            SourceUnreachable: It cannot be had, or is larger.
        """

        def once() -> tuple[str, bytes]:
            content = bytearray()
            with self.answer(url) as response:
                if response.status_code != httpx2.codes.OK:
                    raise _refused(url, f"it answers {response.status_code}")
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > limit:
                        raise _refused(url, f"it is larger than {limit:,} bytes")
                return str(response.url), bytes(content)

        return self.patiently(url, once)

    def patiently(self, url: str, once: Callable[[], Result], reached: Callable[[], Any] = lambda: 0) -> Result:
        """Do something once more after each `Broken`, with growing waits.

        Args:
            url: What it is about.
            once: One try.
            reached: How far it has come, comparable; a try that got further than all before is no try in vain.

        Raises:
            SourceUnreachable: Too many tries in a row were in vain, or the server wants to be left alone for long.
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
                    raise _refused(url, f"{broken} ({failed} tries in a row)") from broken
                self._tell(f"{shown(url)}: {broken}; trying again in {wait:g} s")
                self._sleep(wait)

    def _followed(self, request: httpx2.Request) -> httpx2.Response:
        """The first answer that is no redirect."""
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
    """An address as it may be shown: without user, password, query or fragment."""
    address = httpx2.URL(url)
    return str(address.copy_with(userinfo=b"", query=None, fragment=None))


def folder(address: str) -> str:
    """The address of a folder, checked, with a slash at its end.

    Raises:
        InputError: No http(s) address, or one with more in it than host and path.
    """
    try:
        urlsplit(address)  # knows an unclosed bracket
        url = httpx2.URL(address)
    except (ValueError, httpx2.InvalidURL):
        url = httpx2.URL("")
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query or url.fragment:
        raise InputError(
            "the address of the files is not usable" if "@" in address else f"{address!r} is not usable as an address",
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
        raise _refused(str(response.url), f"it answers {response.status_code} {response.reason_phrase}".rstrip())


def _untrusted(error: BaseException | None) -> bool:
    """Whether a certificate is at the bottom of it; another try would not mend that."""
    while error is not None:
        if isinstance(error, SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _reason(error: httpx2.RequestError) -> str:
    if isinstance(error, httpx2.ConnectTimeout | httpx2.ConnectError):
        return f"no connection ({error or 'timed out'})"
    if isinstance(error, httpx2.TimeoutException):
        return "the server fell silent"
    return f"the connection broke ({error or type(error).__name__})"


def _refused(url: str, why: str) -> SourceUnreachable:
    return SourceUnreachable(
        f"{shown(url)} cannot be fetched: {why}",
        "a server that gives the file",
        "check the network, the proxies (HTTPS_PROXY, NO_PROXY) and the address (--from); "
        "the same command goes on where this one stopped",
    )
