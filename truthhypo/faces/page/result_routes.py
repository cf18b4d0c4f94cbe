"""The pages of judgements: kept judgements under /results, and judgements of jobs."""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import Request

from groundwork.pictures import picture
from knowhd.marks import Marks
from truthhypo.faces.jobs import job_results
from truthhypo.faces.judgement_tables import claims_csv
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.result_view import groups, names, parts, sentences, with_marks
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.threads import in_thread
from truthhypo.service.citations import bibtex, ris
from truthhypo.service.kept_results import UnknownResult
from truthhypo.service.marks import MarkList
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.typed_answers import ArticleNote

#: The file formats of copies of a judgement, with their media types.
_COPIES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "ris": "application/x-research-info-systems; charset=utf-8",
    "bib": "application/x-bibtex; charset=utf-8",
}


def result_pages(served: Served) -> APIRouter:
    """Return the routes of judgements.

    Args:
        served: Holds the judgements.
    """
    routes = APIRouter(include_in_schema=False)
    marks = MarkList(served.engine.settings.home)

    @routes.get("/results/{id}.{ending}")
    async def copy_of_result(id: str, ending: str) -> Response:
        return _copy((await in_thread(served.results.get, id)).to_dict(), ending, f"truthhypo-{id[:8]}")

    @routes.get("/results/{id}")
    async def result(request: Request, id: str) -> HTMLResponse:
        kept = await in_thread(served.results.get, id)
        shown = {"kept": kept, "options": kept.options, "job": None}
        return _page(request, kept.answer, await in_thread(marks.all), f"/results/{id}", **shown)

    @routes.post("/results/{id}/delete")
    async def delete(request: Request, id: str) -> Response:
        await in_thread(served.results.remove, id)
        return RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)

    @routes.get("/jobs/{id}/{number:int}.{ending}")
    async def copy_of_text(id: str, number: int, ending: str) -> Response:
        return _copy(await in_thread(of_job, served, id, number, "ground"), ending, f"truthhypo-{id[:8]}-{number}")

    @routes.get("/jobs/{id}/{number:int}")
    async def text(request: Request, id: str, number: int) -> HTMLResponse:
        answer = await in_thread(of_job, served, id, number, "ground", "citations")
        if "citations" in answer:
            return render(request, "cite.html", answer=answer, job=id)
        options, _ = await in_thread(served.jobs.asked, id)
        shown = {"kept": None, "options": options, "job": id}
        return _page(request, answer, await in_thread(marks.all), f"/jobs/{id}/{number}", **shown)

    return routes


def of_job(served: Served, id: str, number: int, *fields: str) -> dict[str, Any]:
    """Return the judgement of one text or row of a job.

    Raises:
        UnknownJob: No job has this id.
        UnknownResult: There is no result yet, or it has none of the fields. Results of the kind `judge` have the field
            `ground`, and those of the kind `cite` have `citations`.
    """
    line = next(job_results.results(served.jobs, id, number - 1), b"{}")
    found: dict[str, Any] = json.loads(line)
    if found.get("number") != number or not any(found.get(name) for name in fields):
        raise UnknownResult(f"{id}/{number}")
    return found


def _page(request: Request, answer: Mapping[str, Any], marks: Marks, address: str, **context: Any) -> HTMLResponse:
    """Return the page of a judgement with the marks of persons.

    The page links to copies of the judgement. Their addresses are `address` with an ending, such as .json.
    """
    ground, risk = with_marks(answer["ground"], marks), answer["risk"]
    return render(
        request,
        "result.html",
        answer=answer,
        ground=ground,
        risk=risk,
        address=address,
        parts_of_text=parts(ground),
        groups=[groups(claim) for claim in ground["claims"]],
        ambiguous=names(ground, risk),
        sentences=sentences(risk),
        pictures=[picture(sentence["paths"], answer["names"]) for sentence in risk["sentences"]],
        **context,
    )


def _copy(answer: Mapping[str, Any], ending: str, name: str) -> Response:
    """Return a copy of a judgement as a file.

    Raises:
        ProblemRaised: The file format `ending` is not supported.
    """
    if ending not in _COPIES:
        raise ProblemRaised(Problem.told(404, f"a copy as .{ending}", f"one of {', '.join(_COPIES)}", "choose one"))
    notes = {pmid: ArticleNote(**note) for pmid, note in answer["articles"].items()}
    content = {
        "json": lambda: json.dumps(answer, ensure_ascii=False, indent=1),
        "csv": lambda: claims_csv(answer["ground"]),
        "ris": lambda: ris(notes),
        "bib": lambda: bibtex(notes),
    }[ending]()
    headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"', "X-Content-Type-Options": "nosniff"}
    return Response(content, media_type=_COPIES[ending], headers=headers)
