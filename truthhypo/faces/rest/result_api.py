"""The routes to get and to delete a kept result: a judgement that was made on the page."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from truthhypo.faces.rest.api import PROBLEMS
from truthhypo.faces.rest.threads import in_thread
from truthhypo.service.kept_results import ResultStore
from truthhypo.service.typed_answers import KeptResult


def result_router(results: ResultStore) -> APIRouter:
    """Return the routes of kept results.

    Args:
        results: The store of results.
    """
    routes = APIRouter(prefix="/api/v1/results", responses=PROBLEMS)

    @routes.get("/{id}", response_model=KeptResult, operation_id="get_result")
    async def get(id: str) -> JSONResponse:
        """A judgement that was made on the page, with the live releases from which the judgement was made."""
        return JSONResponse((await in_thread(results.get, id)).to_dict())

    @routes.delete("/{id}", status_code=204, operation_id="delete_result")
    async def delete(id: str) -> Response:
        """Remove a judgement that was made on the page."""
        await in_thread(results.remove, id)
        return Response(status_code=204)

    return routes
