"""The routes of jobs: add a job, get its progress and results, cancel or delete it."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Body, Header, Query
from fastapi.responses import JSONResponse, Response, StreamingResponse

from truthhypo.faces.jobs import job_results
from truthhypo.faces.jobs.job_runner import Runner
from truthhypo.faces.jobs.store import Job, JobStore, Kind, Row
from truthhypo.faces.many.sources import Source, read_citing
from truthhypo.faces.rest.api import PROBLEMS
from truthhypo.faces.rest.threads import in_thread, on_stores
from truthhypo.lookups import meanings
from truthhypo.service import limits
from truthhypo.service.engine import Engine
from truthhypo.service.requests import CiteJob, CiteRequest, JobRequest, Judged, RiskJob

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
    if isinstance(asked, CiteJob):
        source = await in_thread(read_citing, [(row.claim, row.pmids) for row in asked.rows], None)
        return await add_citing(jobs, runner, engine, source, asked, sent_as)
    await in_thread(limits.check, asked, engine.settings)
    return await _queue(jobs, runner, engine, asked.kind, asked.texts, asked, sent_as)


async def add_citing(
    jobs: JobStore, runner: Runner, engine: Engine, source: Source, asked: CiteJob | CiteRequest, sent_as: str | None
) -> Job:
    """Queue a job of the kind `cite` for rows that were read, with the options of a request.

    Raises:
        ProblemRaised: The job is refused; the problem says why.
    """
    rows: list[Row] = []
    for said in source.texts:
        if (row := source.refused.get(said.text)) is None:
            claim, pmids = source.calls[said.text]
            row = {"text": said.text, "claim": claim, "pmids": pmids}
        rows.append(dict(row))
    return await _queue(jobs, runner, engine, "cite", rows, asked, sent_as)


async def _queue(
    jobs: JobStore,
    runner: Runner,
    engine: Engine,
    kind: Kind,
    items: Sequence[str | Row],
    asked: Judged | RiskJob,
    sent_as: str | None,
) -> Job:
    """Check the options of a job, and queue it."""
    if isinstance(asked, Judged) and asked.judge is not None:
        await in_thread(limits.check_judge, asked.judge, engine.settings)
    options = asked.model_dump(exclude={"kind", "texts", "rows", "claim", "pmids", "evidence"})
    if options["concepts"]:
        await on_stores(
            engine, lambda world: meanings(world.of_species(asked.species).graph_store, options["concepts"])
        )
    job = await in_thread(jobs.add, kind, items, options, sent_as)
    runner.add(job.id)
    return job
