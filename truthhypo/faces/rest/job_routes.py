"""The routes of jobs: add a job, get its progress and results, cancel or delete it."""

from collections.abc import Callable
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Body, Header, Query
from fastapi.responses import JSONResponse, Response, StreamingResponse

from groundwork.errors import TruthHypoError
from truthhypo.faces.jobs.results import lines
from truthhypo.faces.jobs.runner import Runner
from truthhypo.faces.jobs.store import Job, JobStore
from truthhypo.faces.rest.routes import PROBLEMS
from truthhypo.lookups import meanings
from truthhypo.service import limits
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import GroundJob, JobRequest
from truthhypo.world import World

_NDJSON = "application/x-ndjson"


def job_router(jobs: JobStore, runner: Runner, engine: Engine) -> APIRouter:
    """Return the routes of jobs.

    Args:
        jobs: The store of jobs.
        runner: Runs the jobs.
        engine: Holds the limits of a job, and the graph in which its concepts are looked up.
    """
    routes = APIRouter(prefix="/api/v1/jobs", responses=PROBLEMS)

    @routes.post("", status_code=202, response_model=Job, operation_id="add_job")
    async def add(
        asked: Annotated[JobRequest, Body()],
        idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
    ) -> JSONResponse:
        """Queue a job; the same job sent again with the same Idempotency-Key is one job."""
        await _told(limits.check, asked, engine.settings)
        if isinstance(asked, GroundJob) and asked.judge is not None:
            await _told(limits.check_judge, asked.judge, engine.settings)
        if asked.concepts:
            await _looked(engine, lambda world: meanings(world.graph_store, asked.concepts))
        options = asked.model_dump(exclude={"kind", "texts"})
        job = await _told(jobs.add, asked.kind, asked.texts, options, idempotency_key)
        runner.add(job.id)
        return JSONResponse(job.to_dict(), 202, {"Location": f"/api/v1/jobs/{job.id}"})

    @routes.get("/{id}", response_model=Job, operation_id="get_job")
    async def get(id: str) -> JSONResponse:
        """How far a job is."""
        return JSONResponse((await _told(jobs.get, id)).to_dict())

    @routes.get(
        "/{id}/results",
        operation_id="get_results",
        response_class=Response,
        responses={200: {"description": "A result per line", "content": {_NDJSON: {"schema": {"type": "string"}}}}},
    )
    async def results(
        id: str, after: Annotated[int, Query(ge=0, description="Only results behind this number.")] = 0
    ) -> StreamingResponse:
        """The results so far, in the order of the texts; ask again `after` the last number for those that follow."""
        await _told(jobs.get, id)
        return StreamingResponse(lines(jobs.results(id), after), media_type=_NDJSON)

    @routes.post("/{id}/cancel", response_model=Job, operation_id="cancel_job")
    async def cancel(id: str) -> JSONResponse:
        """Cancel a job; its results so far stay. A job that is over stays as it is."""
        await _told(runner.cancel, id)
        return JSONResponse((await _told(jobs.get, id)).to_dict())

    @routes.delete("/{id}", status_code=204, operation_id="delete_job")
    async def delete(id: str) -> Response:
        """Remove a job with its texts and results; one that is not over is cancelled."""
        await _told(jobs.get, id)
        await _told(runner.cancel, id)
        await _told(jobs.remove, id)
        return Response(status_code=204)

    return routes


async def _looked(engine: Engine, call: Callable[[World], Any]) -> Any:
    """Run a function on the open stores and return its result. Raise its errors as problems."""
    try:
        return await engine.look(call)
    except TruthHypoError as error:
        raise ProblemRaised(Problem.of(error)) from error


async def _told(call: Any, *arguments: Any) -> Any:
    """Run a function in a thread and return its result. Raise its errors as problems."""
    try:
        return await to_thread.run_sync(call, *arguments)
    except TruthHypoError as error:
        raise ProblemRaised(Problem.of(error)) from error
