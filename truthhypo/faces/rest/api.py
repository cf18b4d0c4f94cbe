"""The routes under /api/v1: look-ups and judgements, jobs, marks and kept results."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from truthhypo.faces.jobs import Job, Kind, Row, result_lines
from truthhypo.faces.many.sources import Source, read_citing
from truthhypo.faces.rest.middleware import MEDIA_TYPE
from truthhypo.faces.rest.serving import Served, in_thread, on_stores, while_connected
from truthhypo.lookups import meanings
from truthhypo.service.engine import Engine
from truthhypo.service.marks import MarkList
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.requests import (
    ArticleRequest,
    CiteJob,
    CiteRequest,
    ConceptRequest,
    JobRequest,
    Judged,
    RiskJob,
    Species,
    check_judge,
    check_request,
)
from truthhypo.service.typed_answers import KeptMarks, KeptResult, MarkShape

_PROBLEM = {"content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
#: The error responses of every route.
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The host or the request is malformed", **_PROBLEM},
    401: {"description": "No or wrong token", **_PROBLEM},
    403: {"description": "The token's scope does not suffice", **_PROBLEM},
    404: {"description": "Unknown concept, article or job", **_PROBLEM},
    413: {"description": "Too large", **_PROBLEM},
    422: {"description": "Bad input", **_PROBLEM},
    429: {"description": "Too many judgements", **_PROBLEM},
    500: {"description": "An internal error", **_PROBLEM},
    503: {"description": "A store or model fails, or data is loaded", **_PROBLEM},
    504: {"description": "A time limit", **_PROBLEM},
}

_NDJSON = "application/x-ndjson"
#: Path, HTTP method and operation of each route without a parameter in its path.
_ROUTES: tuple[tuple[str, Literal["GET", "POST"], str], ...] = (
    ("/concepts", "GET", "find_concepts"),
    ("/edges", "GET", "get_edges"),
    ("/chains", "GET", "find_chains"),
    ("/literature", "GET", "search_literature"),
    ("/releases", "GET", "list_releases"),
    ("/stats", "GET", "count_stats"),
    ("/cypher", "POST", "query_graph"),
    ("/ground", "POST", "ground_statement"),
    ("/cite", "POST", "check_citation"),
    ("/marks", "POST", "mark_evidence"),
    ("/timeline", "POST", "trace_evidence"),
    ("/risk", "POST", "assess_risk"),
    ("/hypothesize", "POST", "propose_relation"),
)


def operation_routes(engine: Engine) -> APIRouter:
    """Return the routes of look-ups and judgements, which an engine answers."""
    routes = APIRouter(prefix="/api/v1", responses=PROBLEMS)

    async def answered(request: Request, name: str, asked: Any) -> JSONResponse:
        return JSONResponse(await while_connected(request, engine.answer(name, asked)))

    def add(path: str, method: str, name: str, endpoint: Callable[..., Awaitable[JSONResponse]]) -> None:
        operation = OPERATIONS[name]
        routes.add_api_route(
            path,
            endpoint,
            methods=[method],
            operation_id=name,
            summary=operation.summary,
            response_model=operation.answer,
        )

    def endpoint_for(name: str, method: str) -> Callable[..., Awaitable[JSONResponse]]:
        async def endpoint(request: Request, asked: Any) -> JSONResponse:
            return await answered(request, name, asked)

        where = Query() if method == "GET" else Body()
        endpoint.__annotations__ = {"request": Request, "asked": Annotated[OPERATIONS[name].asked, where]}
        return endpoint

    for path, method, name in _ROUTES:
        add(path, method, name, endpoint_for(name, method))

    async def concept(
        request: Request, key: Annotated[str, Path(min_length=1)], species: Annotated[Species, Query()] = None
    ) -> JSONResponse:
        return await answered(request, "describe_concept", ConceptRequest(key=key, species=species))

    async def article(request: Request, pmid: Annotated[int, Path(ge=1)]) -> JSONResponse:
        return await answered(request, "get_article", ArticleRequest(pmid=pmid))

    add("/concepts/{key:path}", "GET", "describe_concept", concept)
    add("/articles/{pmid}", "GET", "get_article", article)
    return routes


def kept_routes(served: Served) -> APIRouter:
    """Return the routes of what the service keeps under HOME: jobs, marks, and judgements of the page."""
    routes = APIRouter(prefix="/api/v1", responses=PROBLEMS)
    jobs, runner, results, marks = served.jobs, served.runner, served.results, MarkList(served.engine.settings.home)

    @routes.post("/jobs", status_code=202, response_model=Job, operation_id="add_job")
    async def add(
        asked: Annotated[JobRequest, Body()],
        idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
    ) -> JSONResponse:
        """Queue a job. If it was sent before with the same Idempotency-Key, return the job that was queued then."""
        job = await add_job(served, asked, idempotency_key)
        return JSONResponse(job.to_dict(), 202, {"Location": f"/api/v1/jobs/{job.id}"})

    @routes.get("/jobs/{id}", response_model=Job, operation_id="get_job")
    async def get_job(id: str) -> JSONResponse:
        """The state of a job."""
        return JSONResponse((await in_thread(jobs.get, id)).to_dict())

    @routes.get(
        "/jobs/{id}/results",
        operation_id="get_results",
        response_class=Response,
        responses={200: {"description": "A result per line", "content": {_NDJSON: {"schema": {"type": "string"}}}}},
    )
    async def get_results(
        id: str, after: Annotated[int, Query(ge=0, description="Only results after this number.")] = 0
    ) -> StreamingResponse:
        """The results so far, in the order of the texts. To get later results, give the last number as `after`."""
        await in_thread(jobs.get, id)
        return StreamingResponse(result_lines(jobs, id, after), media_type=_NDJSON)

    @routes.post("/jobs/{id}/cancel", response_model=Job, operation_id="cancel_job")
    async def cancel_job(id: str) -> JSONResponse:
        """Cancel a job. Its results so far are kept. A job that is over is not changed."""
        await in_thread(runner.cancel, id)
        return JSONResponse((await in_thread(jobs.get, id)).to_dict())

    @routes.delete("/jobs/{id}", status_code=204, operation_id="delete_job")
    async def delete_job(id: str) -> Response:
        """Remove a job with its texts and results. An open job is cancelled first."""
        await in_thread(runner.remove, id)
        return Response(status_code=204)

    @routes.get("/marks", response_model=KeptMarks, operation_id="list_marks")
    async def list_marks() -> JSONResponse:
        """All marks, in the order of their times."""
        held = await in_thread(marks.all)
        return JSONResponse(KeptMarks(tuple(map(MarkShape.of, held.values()))).to_dict())

    @routes.delete("/marks/{id}", status_code=204, operation_id="remove_mark")
    async def remove_mark(id: str) -> Response:
        """Remove a mark."""
        await in_thread(marks.remove, id)
        return Response(status_code=204)

    @routes.get("/results/{id}", response_model=KeptResult, operation_id="get_result")
    async def get_result(id: str) -> JSONResponse:
        """A judgement that was made on the page, with the live releases from which the judgement was made."""
        return JSONResponse((await in_thread(results.get, id)).to_dict())

    @routes.delete("/results/{id}", status_code=204, operation_id="delete_result")
    async def delete_result(id: str) -> Response:
        """Remove a judgement that was made on the page."""
        await in_thread(results.remove, id)
        return Response(status_code=204)

    return routes


async def add_job(served: Served, asked: JobRequest, sent_as: str | None) -> Job:
    """Check a job and queue it.

    Args:
        served: The parts of the service.
        asked: The job.
        sent_as: The Idempotency-Key that the client sent, or None; see `JobStore.add`.

    Raises:
        ProblemRaised: The job is refused; the problem says why.
    """
    if isinstance(asked, CiteJob):
        source = await in_thread(read_citing, [(row.claim, row.pmids) for row in asked.rows], None)
        return await add_citing(served, source, asked, sent_as)
    await in_thread(check_request, asked, served.engine.settings)
    return await _queue(served, asked.kind, asked.texts, asked, sent_as)


async def add_citing(served: Served, source: Source, asked: CiteJob | CiteRequest, sent_as: str | None) -> Job:
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
    return await _queue(served, "cite", rows, asked, sent_as)


async def _queue(
    served: Served, kind: Kind, items: Sequence[str | Row], asked: Judged | RiskJob, sent_as: str | None
) -> Job:
    if isinstance(asked, Judged) and asked.judge is not None:
        await in_thread(check_judge, asked.judge, served.engine.settings)
    options = asked.model_dump(exclude={"kind", "texts", "rows", "claim", "pmids", "evidence"})
    if named := options["concepts"]:
        await on_stores(served.engine, lambda world: meanings(world.of_species(asked.species).graph_store, named))
    job = await in_thread(served.jobs.add, kind, items, options, sent_as)
    served.runner.add(job.id)
    return job
