"""Mount the page on the service, and sign in with a browser: a form stores the token in a cookie."""

from typing import Annotated

from fastapi import APIRouter, FastAPI, Form, Request, Response
from fastapi.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from truthhypo.faces.page.background import job_pages, watch_pages
from truthhypo.faces.page.explore import explore_pages, literature_pages
from truthhypo.faces.page.forms import citing_pages, judge_router
from truthhypo.faces.page.rendering import redirect, render
from truthhypo.faces.page.results import marking_pages, result_pages, timeline_pages
from truthhypo.faces.rest.serving import Served
from truthhypo.faces.rest.tokens import COOKIE, Tokens
from truthhypo.service.problems import Problem


def sign_in_router(tokens: Tokens | None) -> APIRouter:
    """Return the routes to sign in and out."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/sign-in")
    async def form(request: Request) -> HTMLResponse:
        return render(request, "sign_in.html", problem=None, next="/")

    @routes.post("/sign-in")
    async def sign_in(
        request: Request,
        token: Annotated[str, Form()] = "",
        next: Annotated[str, Form()] = "/",
    ) -> Response:
        token, onward = token.strip(), _own(next)
        if tokens is not None and tokens.scope(token) is None:
            problem = Problem.told(401, "an unknown token", "a token of this service", "ask its operator for one")
            return render(request, "sign_in.html", status=401, problem=problem, next=onward)
        root = request.scope.get("root_path", "")
        response = redirect(request, f"{onward}")
        if tokens is None:  # the text that was sent may be any text, and a cookie cannot hold every text
            return response
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, token, path=root or "/", secure=secure, httponly=True, samesite="strict")
        return response

    @routes.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        root = request.scope.get("root_path", "")
        response = redirect(request, "/sign-in")
        response.delete_cookie(COOKIE, path=root or "/")
        return response

    return routes


def _own(path: str) -> str:
    """Return the path if it belongs to this service, otherwise `/`, so that nobody is sent to another host."""
    own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if own else "/"


def mount_page(app: FastAPI, served: Served, tokens: Tokens | None) -> None:
    """Add the routes of all pages, and their static files.

    Args:
        app: The service.
        served: The parts of the service that the pages use.
        tokens: The valid tokens; None if no token is needed.
    """
    pages = (
        *(judge_router, citing_pages, result_pages, marking_pages, timeline_pages, job_pages, explore_pages),
        *(literature_pages, watch_pages),
    )
    for routes in (sign_in_router(tokens), *(make(served) for make in pages)):
        app.include_router(routes)
    app.mount("/static", StaticFiles(packages=[("truthhypo.faces.page", "static")]), name="static")
