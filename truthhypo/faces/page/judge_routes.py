"""The first page: judge a text, or the texts of a file."""

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from groundwork.errors import InputError
from groundwork.study import DESIGNS
from truthhypo.faces.page.asked import form_problem, listed, meant, read_upload
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.job_api import add_job
from truthhypo.faces.rest.leaving import while_connected
from truthhypo.faces.rest.threads import in_thread, on_stores
from truthhypo.faces.texts import read_texts
from truthhypo.service import limits
from truthhypo.service.answer_state import state_of
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import JudgeJob, JudgeRequest
from truthhypo.world import World

#: Examples with the concepts that they name. An example is offered if its concepts are loaded.
EXAMPLES = {
    "Simvastatin lowers cholesterol.": {"Chemical|MESH:D019821", "Chemical|MESH:D002784"},
    "Aspirin causes myocardial infarction.": {"Chemical|MESH:D001241", "Disease|MESH:D009203"},
    "Ascorbic acid treats Parkinson disease.": {"Chemical|MESH:D001205", "Disease|MESH:D010300"},
}
#: Maximum seconds that the form waits for the stores. Without an answer, the form shows no examples.
_PATIENCE = 1.0
#: Maximum digits of a PMID. Python refuses to convert a text of some thousand digits to a number.
_DIGITS = 18


def judge_router(served: Served) -> APIRouter:
    """Return the routes to judge a text.

    Args:
        served: Judges the text and keeps the result.
    """
    routes = APIRouter(include_in_schema=False)

    async def form_page(request: Request, given: dict[str, Any], problem: Problem | None) -> HTMLResponse:
        judges = limits.offered_judges(served.engine.settings)
        status, after = (problem.status, problem.retry_after) if problem else (200, None)
        headers = {} if after is None else {"Retry-After": str(after)}
        examples, empty = await _loaded(served)
        shown = {
            "problem": problem,
            "given": given,
            "judges": judges,
            "designs": DESIGNS,
            "examples": examples,
            "empty": empty,
        }
        return render(request, "judge.html", status=status, headers=headers, **shown)

    @routes.get("/")
    async def form(request: Request, text: str = "") -> HTMLResponse:
        return await form_page(request, _given(FormData({"text": text})), None)

    @routes.post("/judge")
    async def judge(request: Request) -> Response:
        root = request.scope.get("root_path", "")
        most = int(served.engine.settings.serve_body)
        async with request.form(max_files=1, max_part_size=most) as sent:
            given = _given(sent)
            try:
                options = _options(sent)
                file = sent.get("file")
                if isinstance(file, UploadFile) and file.filename:
                    column = given["column"].strip() or None

                    def read(path: Path, column: str | None = column) -> list[str]:
                        return [said.text for said in read_texts(path, column, most=most)]

                    label = "Column with the texts of a file"
                    texts = await in_thread(read_upload, file.filename, await file.read(), read, "column", label)
                    asked = JudgeJob(kind="judge", texts=texts, **options)
                    job = await add_job(served.jobs, served.runner, served.engine, asked, None)
                    return RedirectResponse(f"{root}/jobs/{job.id}", 303)
                single = JudgeRequest(text=given["text"], **options)
                answer = await while_connected(request, served.engine.answer("judge_statement", single))
                kept = await in_thread(served.results.add, options, answer)
            except ProblemRaised as raised:
                return await form_page(request, given, raised.problem)
            except InputError as error:
                return await form_page(request, given, Problem.of(error))
            except ValidationError as error:
                return await form_page(request, given, form_problem(error))
        return RedirectResponse(f"{root}/results/{kept.id}", 303)

    return routes


async def _loaded(served: Served) -> tuple[list[str], bool]:
    """Return the examples whose concepts are loaded, and whether nothing is loaded at all."""

    def look(world: World) -> tuple[list[str], bool]:
        held = world.graph_store.concepts(set().union(*EXAMPLES.values()))
        release, _ = state_of(world.graph_store, world.literature_store)
        return [text for text, keys in EXAMPLES.items() if keys <= held.keys()], not release

    try:
        async with asyncio.timeout(_PATIENCE):
            return await on_stores(served.engine, look)
    except (ProblemRaised, TimeoutError):
        return [], False


def _given(sent: FormData) -> dict[str, Any]:
    """Return the values that the form shows again after an error. Line ends, which browsers send as CRLF, become LF."""
    words = {name: str(sent.get(name, "")) for name in ("text", "before", "judge", "species", "column")}
    words["text"] = words["text"].replace("\r\n", "\n")
    several = {"concepts": "concept", "design": "design", "organism": "organism"}
    lists = {name: listed(sent, field) for name, field in several.items()}
    return {**words, **lists, "exclude_retracted": "exclude_retracted" in sent}


def _options(sent: FormData) -> dict[str, Any]:
    """Return the options that the form gives.

    Raises:
        InputError: A concept is not of the form NAME=KEY, or the PMID is no number.
    """
    before = str(sent.get("before", "")).strip()
    if before and not (before.isascii() and before.isdecimal() and len(before) <= _DIGITS):
        wanted = f"a whole number with at most {_DIGITS} digits, or nothing"
        raise InputError(f"the PMID {before[:60]!r}", wanted, "correct it, or leave the field empty")
    return {
        "before": int(before) if before else None,
        "exclude_retracted": "exclude_retracted" in sent,
        "design": listed(sent, "design"),
        "organism": listed(sent, "organism"),
        "judge": str(sent.get("judge", "")) or None,
        "species": str(sent.get("species", "")).strip() or None,
        "concepts": meant(sent),
    }
