"""The page that says whether cited articles state a claim, for one claim or for the rows of a file."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from groundwork.errors import InputError
from truthhypo.faces.many.sources import Source, each_pmid, read_citing
from truthhypo.faces.page.asked import form_problem, listed, meant, read_upload
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.job_api import add_citing
from truthhypo.faces.rest.leaving import while_connected
from truthhypo.faces.rest.threads import in_thread
from truthhypo.lookups import cited_pmids
from truthhypo.service import limits
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import CiteRequest

#: Endings of the files that the form takes. A small .parquet file could fill the memory.
_ENDINGS = (".csv", ".jsonl")


def citing_pages(served: Served) -> APIRouter:
    """Return the routes to check citations.

    Args:
        served: Judges the citations.
    """
    routes = APIRouter(prefix="/cite", include_in_schema=False)
    settings = served.engine.settings

    def page(
        request: Request, given: dict[str, Any], answer: dict[str, Any] | None = None, problem: Problem | None = None
    ) -> HTMLResponse:
        status, after = (problem.status, problem.retry_after) if problem else (200, None)
        headers = {} if after is None else {"Retry-After": str(after)}
        shown = {"given": given, "answer": answer, "problem": problem, "judges": limits.offered_judges(settings)}
        return render(request, "cite.html", status=status, headers=headers, job=None, **shown)

    @routes.get("")
    async def form(request: Request) -> HTMLResponse:
        return page(request, _given(FormData()))

    @routes.post("")
    async def cite(request: Request) -> Response:
        async with request.form(max_files=1, max_part_size=int(settings.serve_body)) as sent:
            given = _given(sent)
            try:
                named = {name: given[name].strip() or None for name in ("judge", "species")}
                options: dict[str, Any] = {**named, "concepts": meant(sent)}
                file = sent.get("file")
                if isinstance(file, UploadFile) and file.filename:

                    def read(path: Path) -> Source:
                        return _rows(path, given["column"].strip() or None)

                    label = "Column with the PMIDs of a file"
                    rows = await in_thread(read_upload, file.filename, await file.read(), read, "pmid_column", label)
                    asked = CiteRequest(claim="", **options)
                    job = await add_citing(served.jobs, served.runner, served.engine, rows, asked, None)
                    return RedirectResponse(f"{request.scope.get('root_path', '')}/jobs/{job.id}", 303)
                pmids = list(cited_pmids(each_pmid(given["pmids"])))
                evidence = given["evidence"] if given["evidence"].strip() else None
                single = CiteRequest(claim=given["claim"], pmids=pmids, evidence=evidence, **options)
                answer = await while_connected(request, served.engine.answer("check_citation", single))
            except ProblemRaised as raised:
                return page(request, given, problem=raised.problem)
            except InputError as error:
                return page(request, given, problem=Problem.of(error))
            except ValidationError as error:
                return page(request, given, problem=form_problem(error))
        return page(request, given, answer)

    return routes


def _given(sent: FormData) -> dict[str, Any]:
    """Return the values that the form shows again. Line ends, which browsers send as CRLF, become LF."""
    words = {name: str(sent.get(name, "")) for name in ("claim", "pmids", "evidence", "judge", "species", "column")}
    words = {name: value.replace("\r\n", "\n") for name, value in words.items()}
    return {**words, "concepts": listed(sent, "concept")}


def _rows(path: Path, column: str | None) -> Source:
    """Return the rows of a file with claims and PMIDs.

    Raises:
        InputError: The file has another ending, no row, or lacks a column.
    """
    if path.suffix.lower() not in _ENDINGS:
        raise InputError(f"{path} ends in {path.suffix!r}", "a .csv or .jsonl file", "convert or rename the file")
    return read_citing(path, column)
