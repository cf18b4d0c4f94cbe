"""The pages of jobs: progress, results as they come, cancel and delete."""

import json
from collections.abc import Mapping
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.requests import Request

from truthhypo.faces.jobs import job_results
from truthhypo.faces.jobs.store import OPEN, unit_of
from truthhypo.faces.page.events import progress_events, progress_report
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.threads import in_thread

#: Number of results on one page.
_ROWS = 50


def job_pages(served: Served) -> APIRouter:
    """Return the routes of jobs.

    Args:
        served: Holds and runs the jobs.
    """
    routes = APIRouter(prefix="/jobs", include_in_schema=False)

    @routes.get("/{id}")
    async def job(request: Request, id: str, after: Annotated[int, Query(ge=0)] = 0) -> HTMLResponse:
        found = await in_thread(served.jobs.get, id)
        rows = await in_thread(_rows, served, id, after)
        shown: dict[str, Any] = {
            "job": found,
            "unit": unit_of(found.kind),
            "open": found.state in OPEN,
            "rows": rows[:_ROWS],
            "after": after,
            "step": _ROWS,
        }
        return render(request, "job.html", told=_progress(served, id), more=len(rows) > _ROWS, **shown)

    @routes.get("/{id}/events")
    async def events(id: str) -> StreamingResponse:
        await in_thread(served.jobs.get, id)
        return progress_events(lambda: _progress(served, id))

    @routes.get("/{id}/results.jsonl")
    async def results(id: str) -> Response:
        await in_thread(served.jobs.get, id)
        named = {"Content-Disposition": f'attachment; filename="truthhypo-{id[:8]}.jsonl"'}
        return StreamingResponse(job_results.results(served.jobs, id), 200, named, "application/x-ndjson")

    @routes.post("/{id}/cancel")
    async def cancel(request: Request, id: str) -> Response:
        await in_thread(served.runner.cancel, id)
        return RedirectResponse(f"{request.scope.get('root_path', '')}/jobs/{id}", 303)

    @routes.post("/{id}/delete")
    async def delete(request: Request, id: str) -> Response:
        await in_thread(served.jobs.get, id)
        await in_thread(served.runner.cancel, id)
        await in_thread(served.jobs.remove, id)
        return RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)

    return routes


def _rows(served: Served, id: str, after: int) -> list[Mapping[str, Any]]:
    """Return the results with a number above `after`: one page, and the first result of the next page, if any."""
    return [json.loads(line) for line in islice(job_results.results(served.jobs, id, after), _ROWS + 1)]


def _progress(served: Served, id: str) -> dict[str, Any]:
    """Return the progress of a job, counted in texts: how many are done, and how many there are."""
    job = served.jobs.get(id)
    return progress_report(job.state, job.done, job.total, served.runner.rate(id))
