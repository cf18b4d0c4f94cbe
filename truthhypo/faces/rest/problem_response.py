"""HTTP responses for errors (`truthhypo.service.problems.Problem`)."""

from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from truthhypo.faces.page.problem_page import problem_page, wants_page
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
