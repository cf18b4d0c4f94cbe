"""The forms of the page: judge a text or the texts of a file, and check citations."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from groundwork.errors import InputError, TooLarge, fault_message
from groundwork.options import Entry, entries
from groundwork.study import DESIGNS
from knowhd.options import GroundOptions
from truthhypo.faces.many.sources import Source, each_pmid, read_citing, read_texts
from truthhypo.faces.page.rendering import redirect, render
from truthhypo.faces.rest.api import add_citing, add_job
from truthhypo.faces.rest.serving import Served, in_thread, on_stores, while_connected
from truthhypo.lookups import cited_pmids
from truthhypo.service.operations import state_of
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import JUDGED, CiteRequest, JudgeJob, JudgeRequest, offered_judges
from truthhypo.world import World

Asked = TypeVar("Asked", bound=BaseModel)
Content = TypeVar("Content")


def form_request(kind: type[Asked], fields: Mapping[str, Any], names: Iterable[str]) -> Asked:
    """Return the request that a form asks for. An empty field has its default value.

    Args:
        kind: The type of the request.
        fields: The fields of the form.
        names: Names of the fields to read. Other fields are ignored.

    Raises:
        ProblemRaised: A field has an unusable value.
    """
    given = {name: value for name in names if (value := fields.get(name)) not in (None, "")}
    try:
        return kind.model_validate(given, strict=False)
    except ValidationError as error:
        raise ProblemRaised(form_problem(error)) from error


def form_problem(error: ValidationError) -> Problem:
    """Return the problem of a form with an unusable field."""
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return Problem.told(422, where or "the form", fault_message(first), "correct the field")


def listed(sent: FormData, field: str) -> list[str]:
    """Return the values of a field that may occur several times, without those that are empty."""
    return [str(each).strip() for each in sent.getlist(field) if str(each).strip()]


def meant(sent: FormData) -> dict[str, str]:
    """Return what names mean: the key of a concept by each name, from the fields `concept`.

    A name may occur twice in the form: first with the concept of the judgement on the page, then with the concept that
    the user clicked. The last one counts.

    Raises:
        InputError: A concept is not of the form NAME=KEY.
    """
    concepts = {}
    for pair in listed(sent, "concept"):
        name, _, key = (part.strip() for part in pair.partition("="))
        if not name or not key:
            raise InputError(f"the concept {pair!r}", "NAME=KEY", "write it as PSA=Gene|354")
        concepts[name] = key
    return concepts


def read_upload(name: str, content: bytes, read: Callable[[Path], Content], argument: str, label: str) -> Content:
    """Return what a function reads from an uploaded file.

    Args:
        name: The name of the file in the browser.
        content: The content of the file.
        read: Function that reads a file.
        argument: The argument of the Python interface that messages of `read` name.
        label: The field of the form that stands for this argument.

    Raises:
        TooLarge: The file is small only because its texts are compressed.
        InputError: The file cannot be read.
    """
    with TemporaryDirectory() as folder:
        # A browser may send any name. This one can be written: it is short, and it is not `..`.
        path = Path(folder, "_" + Path(name.replace("\\", "/")).name.replace("\0", "")[-60:])
        path.write_bytes(content)
        try:
            return read(path)
        except TooLarge:
            raise
        except InputError as error:
            remedy = error.remedy.replace(f"the argument `{argument}`", f"the option “{label}”")
            raise InputError(error.seen.replace(f"{folder}/_", ""), error.wanted, remedy) from None


#: Examples with the concepts that they name. An example is offered if its concepts are loaded.
EXAMPLES = {
    "Simvastatin lowers cholesterol.": {"Chemical|MESH:D019821", "Chemical|MESH:D002784"},
    "Aspirin causes myocardial infarction.": {"Chemical|MESH:D001241", "Disease|MESH:D009203"},
    "Ascorbic acid treats Parkinson disease.": {"Chemical|MESH:D001205", "Disease|MESH:D010300"},
}
#: Maximum seconds that the form waits for the stores. Without an answer, the form shows no examples.
_PATIENCE = 1.0
#: The options that the form offers.
_OFFERED = tuple(each for each in entries(GroundOptions) if each.name in JUDGED)
#: Maximum digits of a PMID. Python refuses to convert a text of some thousand digits to a number.
_DIGITS = 18


def judge_router(served: Served) -> APIRouter:
    """Return the routes to judge a text."""
    routes = APIRouter(include_in_schema=False)

    async def form_page(request: Request, given: dict[str, Any], problem: Problem | None) -> HTMLResponse:
        judges = offered_judges(served.engine.settings)
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
        return await form_page(request, _judge_values(FormData({"text": text})), None)

    @routes.post("/judge")
    async def judge(request: Request) -> Response:
        most = int(served.engine.settings.serve_body)
        async with request.form(max_files=1, max_part_size=most) as sent:
            given = _judge_values(sent)
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
                    job = await add_job(served, asked, None)
                    return redirect(request, f"/jobs/{job.id}")
                single = JudgeRequest(text=given["text"], **options)
                answer = await while_connected(request, served.engine.answer("judge_statement", single))
                kept = await in_thread(served.results.add, options, answer)
            except ProblemRaised as raised:
                return await form_page(request, given, raised.problem)
            except InputError as error:
                return await form_page(request, given, Problem.of(error))
            except ValidationError as error:
                return await form_page(request, given, form_problem(error))
        return redirect(request, f"/results/{kept.id}")

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


def _given(sent: FormData, entry: Entry) -> Any:
    """Return what a form gives for an option, as the form shows it again."""
    if entry.names or entry.many:
        return listed(sent, _field(entry))
    return entry.name in sent if entry.type is bool else str(sent.get(entry.name, ""))


def _field(entry: Entry) -> str:
    """Return the field of an option in a form. A field that gives one of several names has a name in the singular."""
    return entry.option.flags[0].lstrip("-") if entry.names else entry.name


def _judge_values(sent: FormData) -> dict[str, Any]:
    """Return the values that the form shows again after an error. Line ends, which browsers send as CRLF, become LF."""
    words = {name: str(sent.get(name, "")) for name in ("text", "judge", "species", "column")}
    words["text"] = words["text"].replace("\r\n", "\n")
    return {**words, **{each.name: _given(sent, each) for each in _OFFERED}}


def _options(sent: FormData) -> dict[str, Any]:
    """Return the options that the form gives."""
    found: dict[str, Any] = {name: str(sent.get(name, "")).strip() or None for name in ("judge", "species")}
    for each in _OFFERED:
        value = meant(sent) if each.names else _given(sent, each)
        found[each.name] = _pmid(value.strip()) if isinstance(value, str) else value
    return found


def _pmid(given: str) -> int | None:
    if given and not (given.isascii() and given.isdecimal() and len(given) <= _DIGITS):
        wanted = f"a whole number with at most {_DIGITS} digits, or nothing"
        raise InputError(f"the PMID {given[:60]!r}", wanted, "correct it, or leave the field empty")
    return int(given) if given else None


def hidden_fields(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields of a form that give the options of a judgement again."""
    found: list[tuple[str, str]] = []
    for entry in _OFFERED:
        value = options.get(entry.name)
        several = [f"{name}={key}" for name, key in value.items()] if isinstance(value, Mapping) else value
        found += [(_field(entry), str(each)) for each in (several if isinstance(several, list) else [several]) if each]
    return found + [(name, str(options[name])) for name in ("judge", "species") if options.get(name)]


#: Endings of the files that the form takes. A small .parquet file could fill the memory.
_ENDINGS = (".csv", ".jsonl")


def citing_pages(served: Served) -> APIRouter:
    """Return the routes to check citations."""
    routes = APIRouter(prefix="/cite", include_in_schema=False)
    settings = served.engine.settings

    def page(
        request: Request, given: dict[str, Any], answer: dict[str, Any] | None = None, problem: Problem | None = None
    ) -> HTMLResponse:
        status, after = (problem.status, problem.retry_after) if problem else (200, None)
        headers = {} if after is None else {"Retry-After": str(after)}
        shown = {"given": given, "answer": answer, "problem": problem, "judges": offered_judges(settings)}
        return render(request, "cite.html", status=status, headers=headers, job=None, **shown)

    @routes.get("")
    async def form(request: Request) -> HTMLResponse:
        return page(request, _cite_values(FormData()))

    @routes.post("")
    async def cite(request: Request) -> Response:
        async with request.form(max_files=1, max_part_size=int(settings.serve_body)) as sent:
            given = _cite_values(sent)
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
                    job = await add_citing(served, rows, asked, None)
                    return redirect(request, f"/jobs/{job.id}")
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


def _cite_values(sent: FormData) -> dict[str, Any]:
    """Return the values that the form shows again. Line ends, which browsers send as CRLF, become LF."""
    words = {name: str(sent.get(name, "")) for name in ("claim", "pmids", "evidence", "judge", "species", "column")}
    words = {name: value.replace("\r\n", "\n") for name, value in words.items()}
    return {**words, "concepts": listed(sent, "concept")}


def _rows(path: Path, column: str | None) -> Source:
    """Return the rows of a file with claims and PMIDs."""
    if path.suffix.lower() not in _ENDINGS:
        raise InputError(f"{path} ends in {path.suffix!r}", "a .csv or .jsonl file", "convert or rename the file")
    return read_citing(path, column)
