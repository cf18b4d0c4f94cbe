"""The page that shows how a kept judgement changed over the years."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.requests import Request

from truthhypo.faces.page.charts import timeline_chart
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.guard import scope_missing
from truthhypo.faces.rest.leaving import while_connected
from truthhypo.faces.rest.threads import in_thread
from truthhypo.service.problems import ProblemRaised
from truthhypo.service.requests import TimelineRequest


def timeline_pages(served: Served) -> APIRouter:
    """Return the route of the page that shows how a kept judgement changed over the years.

    Args:
        served: Holds the judgements, and traces their evidence.
    """
    routes = APIRouter(include_in_schema=False)

    @routes.get("/results/{id}/over-time")
    async def over_time(request: Request, id: str) -> HTMLResponse:
        if request.scope.get("allowed") != "judge":
            raise ProblemRaised(scope_missing())
        kept = await in_thread(served.results.get, id)
        names = ("exclude_retracted", "design", "organism", "judge", "species", "concepts")
        fields = {name: kept.options[name] for name in names if name in kept.options}
        sent = TimelineRequest(text=kept.answer["text"], **fields)
        found = await while_connected(request, served.engine.answer("trace_evidence", sent))
        charts = [timeline_chart(claim) for claim in found["claims"]]
        return render(request, "over_time.html", found=found, charts=charts, id=id)

    return routes
