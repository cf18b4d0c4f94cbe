"""Sign in with a browser if the service uses tokens: a form stores the token in a cookie."""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from truthhypo.faces.page.rendering import render
from truthhypo.faces.rest.tokens import COOKIE, Tokens
from truthhypo.service.problems import Problem


def sign_in_router(tokens: Tokens | None) -> APIRouter:
    """Return the routes to sign in and out.

    Args:
        tokens: The valid tokens; None if no token is needed.
    """
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
        response = RedirectResponse(f"{root}{onward}", 303)
        if tokens is None:  # the text that was sent may be any text, and a cookie cannot hold every text
            return response
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, token, path=root or "/", secure=secure, httponly=True, samesite="strict")
        return response

    @routes.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        root = request.scope.get("root_path", "")
        response = RedirectResponse(f"{root}/sign-in", 303)
        response.delete_cookie(COOKIE, path=root or "/")
        return response

    return routes


def _own(path: str) -> str:
    """Return the path if it belongs to this service, otherwise `/`, so that nobody is sent to another host."""
    own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if own else "/"
