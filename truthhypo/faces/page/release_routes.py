"""The pages of the releases: what is loaded, and the audit of a release with its differences from another one."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.requests import Request

from truthhypo.faces.page.asked import asked
from truthhypo.faces.page.audit_runs import AuditRuns
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.threads import on_stores
from truthhypo.service.auditing import auditable
from truthhypo.service.problems import ProblemRaised
from truthhypo.service.requests import AuditRequest, ReleasesRequest

#: Seconds after which the page says that the audit is still running.
PATIENCE = 10.0
_FIELDS = ("release", "against")


def release_pages(served: Served) -> APIRouter:
    """Return the routes of the releases.

    Args:
        served: Answers the requests.
    """
    routes = APIRouter(prefix="/releases", include_in_schema=False)
    engine = served.engine
    runs = AuditRuns(engine)

    @routes.get("")
    async def releases(request: Request) -> HTMLResponse:
        held = await engine.answer("describe_release", ReleasesRequest())
        every = await engine.answer("list_releases", ReleasesRequest())
        names = await on_stores(engine, auditable)
        return render(request, "releases.html", held=held, releases=every["releases"], auditable=names)

    @routes.get("/audit")
    async def audit(request: Request) -> HTMLResponse:
        sent = asked(AuditRequest, request.query_params, _FIELDS)
        try:
            found = await runs.audit(sent, PATIENCE)
        except ProblemRaised as raised:
            if raised.problem.status != 422:
                raise
            remedy = "choose one of the releases of relations under Releases"
            raise ProblemRaised(raised.problem.model_copy(update={"remedy": remedy})) from raised
        if found is None:
            return render(request, "audit_running.html", given=sent)
        names = await on_stores(engine, auditable)
        return render(request, "audit.html", found=found, audit=found["audit"], auditable=names, given=sent)

    @routes.post("/audit/cancel")
    async def cancel(request: Request) -> RedirectResponse:
        async with request.form() as form:
            runs.cancel(asked(AuditRequest, {name: str(value) for name, value in form.items()}, _FIELDS))
        return RedirectResponse(f"{request.scope.get('root_path', '')}/releases", 303)

    return routes
