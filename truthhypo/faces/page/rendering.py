"""Render the templates of the pages into responses with security headers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from gzip import compress
from hashlib import sha256
from importlib.resources import files
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import Match

from groundwork import inventory
from truthhypo.faces.page.filters import FILTERS, segment

#: The content security policy: scripts and styles come only from files of this service, nothing comes from another
#: host, and no other page may show these pages in a frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: With `no-referrer`, browsers would send forms without their origin, which the guard checks.
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-cache",
}
#: Level of gzip. It reduces a result with much evidence to a tenth of its size within some milliseconds.
_LEVEL = 5


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page, as the navigation lists it.

    Attributes:
        name: Its name for people.
        path: The path of its first page.
    """

    name: str
    path: str


SECTIONS = (
    Section("Judge", "/"),
    Section("Citations", "/cite"),
    Section("Explore", "/explore"),
    Section("Literature", "/literature"),
    Section("Releases", "/releases"),
    Section("Watch", "/watch"),
)


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any
) -> HTMLResponse:
    """Return a page.

    Args:
        request: The request that the page answers. The template gets `url(path)`, which puts the root path of the
            service before a path of this service, `concept_address(key)`, the page of a concept, and `labels(names)`,
            which gives each release `SOURCE:ID` with the names of its files.
        template: The name of the template.
        status: The HTTP status.
        headers: More headers.
        context: The values that the template shows.
    """
    root = request.scope.get("root_path", "")
    page = _environment().get_template(template)
    text = page.render(
        url=lambda path: f"{root}{path}",
        concept_address=lambda key: f"{root}/concepts/{segment(key)}",
        labels=lambda names: inventory.labels(request.app.state.home, names),
        static=lambda name: f"{root}/static/{name}?v={_digest(name)}",
        sections=_sections(request),
        path=request.scope["path"].removeprefix(root),
        signed_in=request.scope.get("by_cookie", False),
        may_judge=request.scope.get("allowed") == "judge",
        **context,
    )
    answer = HTMLResponse(text, status, {**_HEADERS, **(headers or {}), "Vary": "Accept-Encoding"})
    if "gzip" in Headers(scope=request.scope).get("accept-encoding", ""):
        answer.body = compress(answer.body, _LEVEL, mtime=0)
        answer.headers["Content-Encoding"] = "gzip"
        answer.headers["Content-Length"] = str(len(answer.body))
    return answer


def _sections(request: Request) -> list[Section]:
    """Return the sections that this service has routes for."""
    app = request.scope.get("app")
    return [each for each in SECTIONS if app is None or _served(app, each.path)]


def _served(app: Any, path: str) -> bool:
    scope = {"type": "http", "method": "GET", "path": path, "root_path": "", "headers": []}
    return any(route.matches(scope)[0] is Match.FULL for route in app.routes)


@cache
def _digest(name: str) -> str:
    """Return a short digest of a static file. The address contains the digest, so a browser shows no outdated file."""
    return sha256(files("truthhypo.faces.page").joinpath("static", name).read_bytes()).hexdigest()[:12]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("truthhypo.faces.page"), PackageLoader("groundwork")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment
