"""The page of the watched statements."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.requests import Request

from truthhypo.faces.page.events import progress_events, progress_report
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.threads import in_thread
from truthhypo.faces.watch_runner import WatchRunner
from truthhypo.service import limits
from truthhypo.service.watching import reported
from truthhypo.service.watchlist import WatchList


def watch_pages(served: Served) -> APIRouter:
    """Return the routes of the watched statements.

    Args:
        served: Judges the statements.
    """
    routes = APIRouter(prefix="/watch", include_in_schema=False)
    watchlist = WatchList(served.engine.settings)
    runner = WatchRunner(watchlist, served.engine)

    def progress() -> dict[str, Any]:
        run = runner.state
        return progress_report(run.phase, run.done, run.total, run.rate)

    def back(request: Request) -> RedirectResponse:
        return RedirectResponse(f"{request.scope.get('root_path', '')}/watch", 303)

    @routes.get("")
    async def statements(request: Request) -> HTMLResponse:
        report = await in_thread(reported, watchlist)
        return render(request, "watch.html", report=report, run=runner.state, told=progress())

    @routes.get("/events")
    async def events() -> StreamingResponse:
        return progress_events(progress)

    @routes.post("/add")
    async def add(request: Request, text: Annotated[str, Form()] = "") -> RedirectResponse:
        await in_thread(limits.check_text, text, served.engine.settings)
        await in_thread(watchlist.add, text)
        return back(request)

    @routes.post("/remove")
    async def remove(request: Request, id: Annotated[str, Form()] = "") -> RedirectResponse:
        await in_thread(watchlist.remove, id)
        return back(request)

    @routes.post("/run")
    async def run(request: Request) -> RedirectResponse:
        runner.start(asyncio.get_running_loop())
        return back(request)

    @routes.post("/cancel")
    async def cancel(request: Request) -> RedirectResponse:
        runner.cancel()
        return back(request)

    @routes.post("/seen")
    async def seen(request: Request) -> RedirectResponse:
        await in_thread(lambda: watchlist.settle(each.id for each in watchlist.all()))
        return back(request)

    return routes
