"""Show errors as pages if a browser asks for a page."""

from http import HTTPStatus

from fastapi.responses import HTMLResponse
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from truthhypo.faces.page.rendering import render
from truthhypo.service.problems import Problem

#: Paths that programs use. Their errors are JSON, not pages.
_PROGRAMS = ("/api/", "/mcp", "/health/", "/metrics", "/openapi.json")
_HEADINGS = {
    400: "This address cannot be used",
    403: "This is not allowed",
    404: "Nothing is here",
    405: "This cannot be sent here",
    413: "This is too large",
    422: "This cannot be answered as it is",
    429: "The service is busy",
    500: "Something in this program is wrong",
    503: "The service cannot answer now",
    504: "This took too long",
}
#: Remedies for readers of a page. The usual remedies of these errors are requests that only a program sends.
_REMEDIES = {
    "UnknownConcept": "choose one of the nearest concepts, or look for another name",
    "UnknownArticle": "search for the article by words of its title",
}


def wants_page(scope: Scope) -> bool:
    """Return whether a request comes from a browser that shows the answer as a page."""
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    return not path.startswith(_PROGRAMS) and "text/html" in Headers(scope=scope).get("accept", "")


def problem_page(scope: Scope, problem: Problem) -> HTMLResponse:
    """Return the page about a problem. If the request has no valid token, this page is the form to sign in."""
    request = Request(scope)
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    if problem.status == 401:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        onward = path if scope["method"] == "GET" else "/"
        return render(
            request, "sign_in.html", status=401, headers={"WWW-Authenticate": "Bearer"}, problem=None, next=onward
        )
    heading = _HEADINGS.get(problem.status, HTTPStatus(problem.status).phrase)
    remedy = _REMEDIES.get(problem.title, problem.remedy)
    if problem.title == "UnknownConcept" and not problem.nearest:
        remedy = "look for another name"
    problem = problem.model_copy(update={"remedy": remedy})
    return render(request, "problem.html", status=problem.status, headers=headers, heading=heading, problem=problem)
