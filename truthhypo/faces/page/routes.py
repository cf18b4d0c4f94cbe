"""Mount the page on the service."""

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from truthhypo.faces.page.judge_routes import judge_router
from truthhypo.faces.page.sign_in import sign_in_router
from truthhypo.faces.rest.tokens import Tokens
from truthhypo.service.engine import Engine


def mount_page(app: FastAPI, engine: Engine, tokens: Tokens | None) -> None:
    """Add the routes of all pages, and their static files.

    Args:
        app: The service.
        engine: Answers the requests.
        tokens: The valid tokens; None if no token is needed.
    """
    for routes in (sign_in_router(tokens), judge_router(engine)):
        app.include_router(routes)
    app.mount("/static", StaticFiles(packages=[("truthhypo.faces.page", "static")]), name="static")
