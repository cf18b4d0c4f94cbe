"""The page of the releases: what is loaded."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.requests import Request

from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.service.requests import ReleasesRequest


def release_pages(served: Served) -> APIRouter:
    """Return the route of the releases.

    Args:
        served: Answers the requests.
    """
    routes = APIRouter(include_in_schema=False)
    engine = served.engine

    @routes.get("/releases")
    async def releases(request: Request) -> HTMLResponse:
        held = await engine.answer("describe_release", ReleasesRequest())
        every = await engine.answer("list_releases", ReleasesRequest())
        return render(request, "releases.html", held=held, releases=every["releases"])

    return routes
