"""The routes of jobs: add a job, get its progress and results, cancel or delete it."""

from typing import Annotated

from fastapi import APIRouter, Body, Header, Query
from fastapi.responses import JSONResponse, Response, StreamingResponse

from truthhypo.faces.jobs import job_results
from truthhypo.faces.jobs.job_runner import Runner
from truthhypo.faces.jobs.store import Job, JobStore
from truthhypo.faces.rest.api import PROBLEMS
from truthhypo.faces.rest.threads import in_thread, on_stores
from truthhypo.lookups import meanings
from truthhypo.service import limits
from truthhypo.service.engine import Engine
from truthhypo.service.requests import GroundJob, JobRequest, JudgeJob

_NDJSON = "application/x-ndjson"


def job_router(jobs: JobStore, runner: Runner, engine: Engine) -> APIRouter:
    """Return the routes of jobs.

    Args:
        jobs: The store of jobs.
        runner: Runs the jobs.
        engine: Has the settings that limit a job, and the graph in which the concepts of a job are looked up.
    """
    routes = APIRouter(prefix="/api/v1/jobs", responses=PROBLEMS)

    @routes.post("", status_code=202, response_model=Job, operation_id="add_job")
    async def add(
        asked: Annotated[JobRequest, Body()],
        idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
    ) -> JSONResponse:
        """Queue a job. If it was sent before with the same Idempotency-Key, return the job that was queued then."""
        job = await add_job(jobs, runner, engine, asked, idempotency_key)
        return JSONResponse(job.to_dict(), 202, {"Location": f"/api/v1/jobs/{job.id}"})

    @routes.get("/{id}", response_model=Job, operation_id="get_job")
    async def get(id: str) -> JSONResponse:
        """The state of a job."""
        return JSONResponse((await in_thread(jobs.get, id)).to_dict())

    @routes.get(
        "/{id}/results",
        operation_id="get_results",
        response_class=Response,
        responses={200: {"description": "A result per line", "content": {_NDJSON: {"schema": {"type": "string"}}}}},
    )
    async def results(
        id: str, after: Annotated[int, Query(ge=0, description="Only results after this number.")] = 0
    ) -> StreamingResponse:
        """The results so far, in the order of the texts. To get later results, give the last number as `after`."""
        await in_thread(jobs.get, id)
        return StreamingResponse(job_results.results(jobs, id, after), media_type=_NDJSON)

    @routes.post("/{id}/cancel", response_model=Job, operation_id="cancel_job")
    async def cancel(id: str) -> JSONResponse:
        """Cancel a job. Its results so far are kept. A job that is over is not changed."""
        await in_thread(runner.cancel, id)
        return JSONResponse((await in_thread(jobs.get, id)).to_dict())

    @routes.delete("/{id}", status_code=204, operation_id="delete_job")
    async def delete(id: str) -> Response:
        """Remove a job with its texts and results. An open job is cancelled first."""
        await in_thread(jobs.get, id)
        await in_thread(runner.cancel, id)
        await in_thread(jobs.remove, id)
        return Response(status_code=204)

    return routes


async def add_job(jobs: JobStore, runner: Runner, engine: Engine, asked: JobRequest, sent_as: str | None) -> Job:
    """Check a job and queue it.

    Args:
        jobs: The store of jobs.
        runner: Runs the jobs.
        engine: Has the settings that limit a job, and the graph in which the concepts of a job are looked up.
        asked: The job.
        sent_as: The Idempotency-Key that the client sent, or None; see `JobStore.add`.

    Raises:
        ProblemRaised: The job is refused; the problem says why.
    """
    await in_thread(limits.check, asked, engine.settings)
    if isinstance(asked, GroundJob | JudgeJob) and asked.judge is not None:
        await in_thread(limits.check_judge, asked.judge, engine.settings)
    if asked.concepts:
        await on_stores(engine, lambda world: meanings(world.graph_store, asked.concepts))
    options = asked.model_dump(exclude={"kind", "texts"})
    job = await in_thread(jobs.add, asked.kind, asked.texts, options, sent_as)
    runner.add(job.id)
    return job
