"""The routes to list and to remove the marks of persons. `api` has the route that makes a mark."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from knowhd.marks import Marks
from truthhypo.faces.rest.api import PROBLEMS
from truthhypo.faces.rest.threads import in_thread
from truthhypo.service.marks import MarkList
from truthhypo.service.typed_answers import KeptMarks, MarkShape


def shown(marks: Marks) -> KeptMarks:
    """Return marks with their ids."""
    return KeptMarks(tuple(map(MarkShape.of, marks.values())))


def mark_router(marks: MarkList) -> APIRouter:
    """Return the routes of marks.

    Args:
        marks: The marks under HOME.
    """
    routes = APIRouter(prefix="/api/v1/marks", responses=PROBLEMS)

    @routes.get("", response_model=KeptMarks, operation_id="list_marks")
    async def listed() -> JSONResponse:
        """All marks, in the order of their times."""
        return JSONResponse(shown(await in_thread(marks.all)).to_dict())

    @routes.delete("/{id}", status_code=204, operation_id="remove_mark")
    async def delete(id: str) -> Response:
        """Remove a mark."""
        await in_thread(marks.remove, id)
        return Response(status_code=204)

    return routes
