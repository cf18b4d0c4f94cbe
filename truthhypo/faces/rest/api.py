"""The routes of look-ups and judgements under /api/v1: each path with the operation that answers it."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import JSONResponse

from truthhypo.faces.rest.leaving import while_connected
from truthhypo.faces.rest.problem_response import MEDIA_TYPE
from truthhypo.service.engine import Engine
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.requests import ArticleRequest, ConceptRequest, Species

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


def router(engine: Engine) -> APIRouter:
    """Return the routes of look-ups and judgements.

    Args:
        engine: The engine that answers the requests.
    """
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
