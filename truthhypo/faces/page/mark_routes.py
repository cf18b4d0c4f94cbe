"""The forms beside the evidence of a judgement: a person says whether the stance of a piece is right."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from truthhypo.faces.page.asked import form_problem
from truthhypo.faces.page.result_routes import of_job
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.leaving import while_connected
from truthhypo.faces.rest.threads import in_thread
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import MarkRequest


class _Said(BaseModel):
    """A person's word on a piece of evidence, as the form beside it sends it; `claim` is the number of the claim."""

    claim: int
    piece: str
    said: str
    note: str = ""


def marking_pages(served: Served) -> APIRouter:
    """Return the routes that keep a person's word on a piece of evidence.

    Args:
        served: Holds the judgements, and judges the pieces.
    """
    routes = APIRouter(include_in_schema=False)

    async def marked(
        request: Request, answer: Mapping[str, Any], options: Mapping[str, Any], address: str, sent: _Said
    ) -> Response:
        """Keep a person's word on a piece of evidence of a judgement, and return to the claim."""
        claims = answer["ground"]["claims"]
        if not 1 <= sent.claim <= len(claims):
            raise ProblemRaised(Problem.told(422, f"claim {sent.claim}", f"1 to {len(claims)}", "use the page's form"))
        asked = {**sent.model_dump(), "claim": claims[sent.claim - 1]["text"]}
        try:
            named = MarkRequest(**asked, judge=options.get("judge"), species=options.get("species"))
        except ValidationError as error:
            raise ProblemRaised(form_problem(error)) from error
        await while_connected(request, served.engine.answer("mark_evidence", named))
        return RedirectResponse(f"{request.scope.get('root_path', '')}{address}#claim-{sent.claim}", 303)

    @routes.post("/results/{id}/marks")
    async def mark(request: Request, id: str, sent: Annotated[_Said, Form()]) -> Response:
        kept = await in_thread(served.results.get, id)
        return await marked(request, kept.answer, kept.options, f"/results/{id}", sent)

    @routes.post("/jobs/{id}/{number:int}/marks")
    async def mark_of_text(request: Request, id: str, number: int, sent: Annotated[_Said, Form()]) -> Response:
        answer = await in_thread(of_job, served, id, number, "ground")
        options, _ = await in_thread(served.jobs.asked, id)
        return await marked(request, answer, options, f"/jobs/{id}/{number}", sent)

    return routes
