"""The checks that every request must pass first: its host name, its token, and the size of its body."""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truthhypo.faces.rest.problem_response import problem_response
from truthhypo.faces.rest.tokens import Tokens
from truthhypo.service.problems import Problem

#: Paths that need no token, since the health checks of a container have none.
_OPEN = ("/health/live", "/health/ready")
#: Paths that need the scope `judge`. At /mcp, each tool has its own scope.
_JUDGING = ("/api/v1/ground", "/api/v1/risk", "/api/v1/hypothesize", "/api/v1/jobs")


class _TooLong(Exception):
    """Raised when a body exceeds the limit while it is being read."""


class Guard:
    """Refuses requests by host, token and size before the application sees them.

    Args:
        app: The application.
        hosts: Host names that a request may use, as a protection against DNS rebinding; if empty, any name.
        tokens: The valid tokens; None if no token is needed.
        body: The largest size of a body, in bytes.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], tokens: Tokens | None, body: int) -> None:
        self._app, self._hosts, self._tokens, self._body = app, hosts, tokens, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem:
            await problem_response(problem)(scope, receive, send)
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
                raise _TooLong  # the application took the exception of `measured` for a body that is not JSON
            begun = True
            await send(message)

        try:
            await self._app(scope, measured, told)
        except _TooLong:
            if begun:
                raise
            await problem_response(self._too_large())(scope, receive, send)

    def _problem(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        host = _host_name(f"//{headers.get('host', '')}")
        if self._hosts and host not in self._hosts:
            remedy = "use the address that the service was started with, or add the name to the setting serve_hosts"
            return Problem.told(400, f"the host {host!r}", f"one of {', '.join(sorted(self._hosts))}", remedy)
        origin = headers.get("origin")
        if origin is not None and _host_name(origin) not in (self._hosts or {host} - {""}):
            return Problem.told(403, f"a page of {origin}", "a page of this service", "ask from a program, not a page")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdecimal() or int(length) > self._body:
            return self._too_large()
        return self._unauthorized(scope, headers)

    def _unauthorized(self, scope: Scope, headers: Headers) -> Problem | None:
        """Return the problem of a request without sufficient rights. Note the token's scope for the application."""
        path = _path(scope)
        if self._tokens is None:
            scope["allowed"] = "judge"
            return None
        kind, _, token = headers.get("authorization", "").partition(" ")
        found = self._tokens.scope(token.strip()) if kind.lower() == "bearer" else None
        scope["allowed"] = found
        if path in _OPEN:
            return None
        wanted = "the header Authorization: Bearer TOKEN"
        if found is None:
            return Problem.told(401, "no known token", wanted, "make a token: truthhypo serve token NAME --scope read")
        if path.startswith(_JUDGING) and found != "judge":
            return Problem.told(
                403, "a token that may only read", "a token with the scope judge", "ask for such a token"
            )
        return None

    def _too_large(self) -> Problem:
        return Problem.told(
            413, "the body of the request", f"at most {self._body:,} bytes", "ask in parts, or raise serve_body"
        )


def _host_name(address: str) -> str:
    """Return the host name in an address, in lower case; empty if there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:  # brackets that hold no IPv6 address
        return ""


def _path(scope: Scope) -> str:
    """Return the path that the router will match: without the root path, if this is one of its parents."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(root) if path.startswith(f"{root}/") else path
