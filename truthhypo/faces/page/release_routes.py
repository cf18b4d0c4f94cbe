"""The pages of the releases: what is loaded, and the audit of a release with its differences from another one."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.requests import Request

from truthhypo.faces.page.asked import asked
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.leaving import while_connected
from truthhypo.faces.rest.threads import on_stores
from truthhypo.service.auditing import auditable
from truthhypo.service.requests import AuditRequest, ReleasesRequest


def release_pages(served: Served) -> APIRouter:
    """Return the routes of the releases.

    Args:
        served: Answers the requests.
    """
    routes = APIRouter(prefix="/releases", include_in_schema=False)
    engine = served.engine

    @routes.get("")
    async def releases(request: Request) -> HTMLResponse:
        held = await engine.answer("describe_release", ReleasesRequest())
        every = await engine.answer("list_releases", ReleasesRequest())
        names = await on_stores(engine, auditable)
        return render(request, "releases.html", held=held, releases=every["releases"], auditable=names)

    @routes.get("/audit")
    async def audit(request: Request) -> HTMLResponse:
        sent = asked(AuditRequest, request.query_params, ("release", "against"))
        found = await while_connected(request, engine.answer("audit_release", sent))
        names = await on_stores(engine, auditable)
        return render(request, "audit.html", found=found, audit=found["audit"], auditable=names, given=sent)

    return routes
