"""The checks that every request must pass first, and its record: an id, a line in the log, and metrics.

The checks are of the host name, the token and the size of the body. Texts are not recorded by default.
"""

import logging
import re
from asyncio import CancelledError
from collections.abc import Collection
from http import HTTPMethod
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from groundwork.errors import StoreBusy
from groundwork.settings import Settings
from truthhypo.faces.judging_outcome import claims_of
from truthhypo.faces.page.rendering import problem_page, wants_page
from truthhypo.faces.rest.tokens import COOKIE, Tokens
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem

MEDIA_TYPE = "application/problem+json"


def problem_response(problem: Problem) -> JSONResponse:
    """Return the response for a problem. The response has the header Retry-After if a later try can succeed."""
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(problem.model_dump(), problem.status, headers, MEDIA_TYPE)


def response_to(scope: Scope, problem: Problem) -> Response:
    """Return a problem as a page if a browser wants to show it, and otherwise as JSON."""
    return problem_page(scope, problem) if wants_page(scope) else problem_response(problem)


#: Paths that need no token: the health checks of a container, and what a browser needs to sign in.
_OPEN = ("/health/live", "/health/ready", "/sign-in", "/static/")
#: Paths that need the scope `judge`. At /mcp, each tool has its own scope.
_JUDGING = (
    "/api/v1/ground",
    "/api/v1/cite",
    "/api/v1/risk",
    "/api/v1/timeline",
    "/api/v1/hypothesize",
    "/api/v1/jobs",
    "/api/v1/marks",
    "/judge",
    "/jobs",
)
#: Paths at which a token with the scope `read` allows reading, but no changes.
_KEPT = ("/api/v1/results", "/results", "/watch", "/cite")
#: The port of an address that names none, by scheme.
_PORTS = {"http": 80, "https": 443}
#: Methods that change nothing.
_SAFE = ("GET", "HEAD", "OPTIONS")


class _TooLong(Exception):
    """Raised when a body exceeds the limit while it is being read."""


class Guard:
    """Refuses requests by host, token and size before the application sees them.

    Args:
        app: The application.
        hosts: Host names that a request may use, as a protection against DNS rebinding; if empty, any name.
        tokens: The valid tokens; None if no token is needed.
        body: The largest size of a body, in bytes.
        public: Host names under which a proxy may publish the service.
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], tokens: Tokens | None, body: int, public: Collection[str]
    ) -> None:
        self._app, self._hosts, self._tokens, self._body, self._public = app, hosts, tokens, body, public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem:
            await response_to(scope, problem)(scope, receive, send)
            return
        left, begun = self._body, False

        async def measured() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise _TooLong
            return message

        async def told(message: Message) -> None:
            nonlocal begun
            if left < 0 and not begun:
                raise _TooLong  # otherwise the client would read that its body is not JSON
            begun = True
            await send(message)

        try:
            await self._app(scope, measured, told)
        except _TooLong:
            if begun:
                raise
            await response_to(scope, self._too_large())(scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        host = _address(f"//{headers.get('host', '')}").host
        if self._hosts and host not in self._hosts:
            remedy = "use the address that the service was started with, or add the name to the setting serve_hosts"
            return Problem.told(400, f"the host {host!r}", f"one of {', '.join(sorted(self._hosts))}", remedy)
        origin = headers.get("origin")
        if origin is not None and not self._own(origin, scope, headers):
            remedy = "ask from a program, not a page; a proxy must pass on Host and set X-Forwarded-Proto"
            return Problem.told(403, f"a page of {origin}", "a page of this service", remedy)
        if scope["method"] not in _SAFE and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return Problem.told(403, "a request from another site", "a page of this service", "send it from its page")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal() or int(length) > self._body:
            return self._too_large()
        return self._unauthorized(scope, headers)

    def _own(self, origin: str, scope: Scope, headers: Headers) -> bool:
        """Return whether a page belongs to this service: its scheme, host and port are those of the request.

        A proxy says in its headers what the browser asked for. A browser does not let a page of another origin set
        these headers. If a proxy does not say it, the page may have the usual port of a public host name.
        """
        scheme = _first(headers.get("x-forwarded-proto")) or str(scope.get("scheme", "http"))
        host = _first(headers.get("x-forwarded-host")) or headers.get("host", "")
        page, asked = _address(origin), _address(f"{scheme}://{host}")
        if page == asked and page.host:
            return True
        usual = page.scheme in ("https", scheme) and page.port == _PORTS.get(page.scheme)
        return usual and page.host in self._public and (page.host != asked.host or asked.port == _PORTS.get(scheme))

    def _unauthorized(self, scope: Scope, headers: Headers) -> Problem | None:
        """Return the problem of a request without sufficient rights. Store the token's scope for the application."""
        path = _path(scope)
        if self._tokens is None:
            scope["allowed"] = "judge"
            return None
        found = self._tokens.scope(_token(scope, headers))
        scope["allowed"] = found
        if path.startswith(_OPEN):
            return None
        wanted = "the header Authorization: Bearer TOKEN"
        if found is None:
            return Problem.told(401, "no known token", wanted, "make a token: truthhypo serve token NAME --scope read")
        judges = path.startswith(_JUDGING) or (scope["method"] not in _SAFE and path.startswith(_KEPT))
        if judges and found != "judge":
            return scope_missing()
        return None

    def _too_large(self) -> Problem:
        return Problem.told(
            413, "the body of the request", f"at most {self._body:,} bytes", "ask in parts, or raise serve_body"
        )


def public_hosts(settings: Settings) -> frozenset[str]:
    """Return the host names in the setting `serve_hosts`."""
    return frozenset(name.strip().lower() for name in settings.serve_hosts.split(",") if name.strip())


def scope_missing() -> Problem:
    """Return the problem of a request that judges and comes with a token that may only read."""
    return Problem.told(
        403,
        "a token that may only read",
        "a token with the scope judge",
        "ask the operator of the service for one (truthhypo serve token NAME --scope judge)",
    )


class _Address(NamedTuple):
    scheme: str
    host: str
    port: int | None


def _address(text: str) -> _Address:
    """Return scheme, host name in lower case, and port of an address; without a host if there is none."""
    try:
        parts = urlsplit(text)
        return _Address(parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme))
    except ValueError:  # such as brackets without an IPv6 address in them
        return _Address("", "", None)


def _first(values: str | None) -> str:
    """Return the first value of a header to which each proxy on the way may add one."""
    return (values or "").partition(",")[0].strip().lower()


def _path(scope: Scope) -> str:
    """Return the path that the router will match: without the root path, if the path begins with it."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(root) if path.startswith(f"{root}/") else path


def _token(scope: Scope, headers: Headers) -> str:
    """Return the token of a request: from its header, or else from its cookie.

    A browser sends the cookie with every request. So the cookie counts only if the request changes nothing, or if it
    comes from a page of this service, according to the browser.
    """
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.strip()
    own = headers.get("sec-fetch-site") in ("same-origin", "none") or "origin" in headers  # `_problem` checked it
    if scope["method"] not in _SAFE and not own:
        return ""
    scope["by_cookie"] = True
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


_log = logging.getLogger("truthhypo.serve")
_ID = re.compile(r"[\w.:-]{1,128}")


class Metrics:
    """The metrics of a service.

    Args:
        engine: The engine of the service. The metrics count the verdicts in its answers and the requests that failed
            because of a store. They also show how many of its judgements run or wait.
    """

    def __init__(self, engine: Engine) -> None:
        self.registry = CollectorRegistry()
        labels = ["method", "route"]
        held = self.registry
        self.requests = Counter("truthhypo_requests", "Requests answered.", [*labels, "status"], registry=held)
        self.seconds = Histogram("truthhypo_request_seconds", "Time from request to response.", labels, registry=held)
        self.verdicts = Counter(
            "truthhypo_verdicts", "Claims judged, by verdict on both sources.", ["verdict"], registry=held
        )
        self.store_errors = Counter(
            "truthhypo_store_errors", "Requests that failed because of a store.", ["error"], registry=held
        )
        judging = Gauge("truthhypo_judgements", "Judgements that run or wait.", registry=held)
        judging.set_function(lambda: engine.judging)
        engine.observers.append(self._count)

    def _count(self, outcome: dict[str, Any] | Problem) -> None:
        if isinstance(outcome, dict):
            for claim in claims_of(outcome):
                self.verdicts.labels(claim["verdicts"]["both"]).inc()
        elif outcome.status in (503, 504):
            self.store_errors.labels(outcome.title).inc()


class Journal:
    """Middleware that gives each request an id, logs and counts the request, and answers exceptions with a `Problem`.

    Args:
        app: The application.
        metrics: The metrics to update.
        texts: Whether to log the query string of each request too. Query strings may contain texts to judge.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, *, texts: bool) -> None:
        self._app, self._metrics, self._texts = app, metrics, texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, and record the outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        ident = given if _ID.fullmatch(given) else uuid4().hex
        status, begun = 499, perf_counter()

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = ident
            await send(message)

        try:
            await self._app(scope, receive, told)
        except CancelledError:  # the server stops, and the time for running requests is over
            if status == 499:
                stopping = StoreBusy("the service is stopping", "a running service", "ask again in a few seconds")
                await response_to(scope, Problem.of(stopping))(scope, receive, told)
        except Exception as error:
            _log.exception("request %s failed", ident)
            if status != 499:
                raise
            await response_to(scope, Problem.fault(error))(scope, receive, told)
        finally:
            self._note(scope, ident, status, perf_counter() - begun)

    def _note(self, scope: Scope, ident: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "/mcp" if scope["path"].startswith("/mcp") else "other")
        # A client can invent any number of methods, and the metrics keep each combination of labels for ever.
        method = scope["method"] if scope["method"] in HTTPMethod.__members__ else "other"
        self._metrics.requests.labels(method, route, status).inc()
        self._metrics.seconds.labels(method, route).observe(seconds)
        line = {"id": ident, "method": scope["method"], "route": route, "status": status, "seconds": round(seconds, 4)}
        if self._texts:
            line["query"] = scope["query_string"].decode("latin-1")
        _log.info("request", extra={"fields": line})
