"""The pages to judge a text."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.requests import Request

from truthhypo.faces.page.rendering import render
from truthhypo.service import limits
from truthhypo.service.engine import Engine


def judge_router(engine: Engine) -> APIRouter:
    """Return the routes to judge a text.

    Args:
        engine: Judges the texts.
    """
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def form(request: Request) -> HTMLResponse:
        return render(request, "judge.html", problem=None, text="", judges=limits.offered_judges(engine.settings))

    return routes
