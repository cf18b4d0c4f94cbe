"""The pages of judgements: kept judgements under /results, judgements of jobs, their marks and their years."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from groundwork.pictures import picture
from groundwork.readable import readable
from knowhd.marks import Marks, key_of
from truthhypo.faces.jobs import result_lines
from truthhypo.faces.many.report import claims_csv
from truthhypo.faces.page.charts import timeline_chart
from truthhypo.faces.page.forms import form_problem, hidden_fields
from truthhypo.faces.page.rendering import redirect, render
from truthhypo.faces.rest.middleware import scope_missing
from truthhypo.faces.rest.serving import Served, in_thread, while_connected
from truthhypo.service.database import UnknownResult
from truthhypo.service.marks import MarkList
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import MarkRequest, TimelineRequest
from truthhypo.service.typed_answers import ArticleNote

_PUBMED = "https://pubmed.ncbi.nlm.nih.gov/{}/"
#: Characters with a special meaning in TeX, with their escapes.
_TEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "#$%&_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
_RETRACTED = "Retracted article"


def ris(articles: Mapping[str, ArticleNote]) -> str:
    """Return articles in RIS, in the order given.

    Args:
        articles: The articles, by PMID.
    """
    return "".join(_ris(pmid, note) for pmid, note in articles.items())


def bibtex(articles: Mapping[str, ArticleNote]) -> str:
    """Return articles in BibTeX, in the order given. Keys have the form `pmid1928887`.

    Args:
        articles: The articles, by PMID.
    """
    return "\n".join(_bibtex(pmid, note) for pmid, note in articles.items())


def _ris(pmid: str, note: ArticleNote) -> str:
    fields = (
        ("TY", "JOUR"),
        ("TI", note.title),
        ("JO", note.journal),
        ("PY", note.year),
        ("AN", pmid),
        ("DB", "PubMed"),
        ("UR", _PUBMED.format(pmid)),
        ("N1", _RETRACTED if note.retracted else None),
    )
    return "".join(f"{tag}  - {_line(value)}\n" for tag, value in fields if value is not None) + "ER  - \n\n"


def _bibtex(pmid: str, note: ArticleNote) -> str:
    fields = (
        ("title", f"{{{_tex(note.title)}}}"),
        ("journal", None if note.journal is None else _tex(note.journal)),
        ("year", note.year),
        ("url", _PUBMED.format(pmid)),
        ("note", f"PMID: {pmid}{f'. {_RETRACTED}' if note.retracted else ''}"),
    )
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields if value is not None)
    return f"@article{{pmid{pmid},\n{lines}}}\n"


def _line(value: object) -> str:
    """Return a value on one line, because a line break would end the field."""
    return re.sub(r"\s+", " ", str(value)).strip()


def _tex(text: str) -> str:
    return _line(text).translate(_TEX)


#: Stances in the order of the page, with their headings. None: the judge gives a piece of evidence no stance.
STANCES: tuple[tuple[str | None, str], ...] = (
    ("supports", "Supports the claim"),
    ("contradicts", "Contradicts the claim"),
    ("about_both", "About both, takes no side"),
    ("about_one", "About one of the two"),
    (None, "Found, but not weighed"),
)
#: The stances that take a side.
SIDES = ("supports", "contradicts")
#: Maximum number of other meanings that are offered for a name.
_MEANINGS = 8


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the judged text.

    Attributes:
        text: The text of this part.
        claims: Numbers of the claims that this part makes; empty between sentences.
        verdict: Verdict of these claims by both sources together; `mixed` if their verdicts differ, empty without
            claims.
    """

    text: str
    claims: tuple[int, ...] = ()
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The pieces of evidence on a claim that have the same stance.

    Attributes:
        stance: The stance; None if the judge gives none.
        heading: The stance as words.
        sentences: Sentences of articles.
        edges: Edges of the graph.
        chains: Chains of edges.
    """

    stance: str | None
    heading: str
    sentences: tuple[Mapping[str, Any], ...]
    edges: tuple[Mapping[str, Any], ...]
    chains: tuple[Mapping[str, Any], ...]

    @property
    def articles(self) -> tuple[tuple[int, tuple[Mapping[str, Any], ...]], ...]:
        """The articles by PMID with their sentences, in the order of their first sentences."""
        found: dict[int, tuple[Mapping[str, Any], ...]] = {}
        for sentence in self.sentences:
            found[sentence["pmid"]] = (*found.get(sentence["pmid"], ()), sentence)
        return tuple(found.items())

    @property
    def size(self) -> int:
        """The number of pieces of evidence."""
        return len(self.sentences) + len(self.edges) + len(self.chains)


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the text that may mean several concepts.

    Attributes:
        text: The name.
        key: The concept that was chosen for the name; None if no concept was certain enough.
        ambiguous: Whether the name may well mean another concept.
        others: The other candidates, best first.
    """

    text: str
    key: str | None
    ambiguous: bool
    others: tuple[Mapping[str, Any], ...]


def parts(report: Mapping[str, Any]) -> tuple[Part, ...]:
    """Return the text in parts: the sentences that make claims, and the text between them."""
    text: str = report["text"]
    by_span: dict[tuple[int, int], list[int]] = {}
    for number, claim in enumerate(report["claims"], 1):
        by_span.setdefault(tuple(claim["span"]), []).append(number)
    found: list[Part] = []
    at = 0
    for (start, end), numbers in sorted(by_span.items()):
        if start < at:  # this span is inside another one, which is already shown
            continue
        verdicts = {report["claims"][number - 1]["verdicts"]["both"] for number in numbers}
        found += [Part(text[at:start])] if start > at else []
        found.append(Part(text[start:end], tuple(numbers), verdicts.pop() if len(verdicts) == 1 else "mixed"))
        at = end
    return (*found, Part(text[at:])) if at < len(text) else tuple(found)


def groups(claim: Mapping[str, Any]) -> tuple[Group, ...]:
    """Return the evidence for a claim by stance. Stances without evidence are left out."""
    kinds = [claim["evidence"].get(kind, ()) for kind in ("literature", "graph", "chains")]
    held = [
        Group(stance, heading, *(tuple(piece for piece in pieces if piece["stance"] == stance) for pieces in kinds))
        for stance, heading in STANCES
    ]
    return tuple(group for group in held if group.size)


def with_marks(ground: Mapping[str, Any], marks: Marks) -> dict[str, Any]:
    """Return a groundedness report with the marks that persons have set since, each with `later` true.

    The verdicts of a kept report stay as they are; a mark that they obey is not later. As elsewhere, the mark of a
    sentence holds only for this sentence.
    """

    def shown(claim: Mapping[str, Any], piece: Mapping[str, Any]) -> dict[str, Any]:
        old, mark = piece.get("marked"), marks.get(key_of(claim["text"], piece["id"]))
        if mark is None or mark.text != piece.get("sentence", ""):
            return {**piece, "marked": old and {**old, "later": False}}
        new = {"by": mark.by, "said": mark.said, "note": mark.note}
        program = old["program"] if old else piece["stance"] if piece["stance"] in SIDES else None
        return {**piece, "marked": {**new, "program": program, "later": not old or new.items() - old.items() != set()}}

    def marked(claim: Mapping[str, Any]) -> dict[str, Any]:
        found = {kind: [shown(claim, piece) for piece in pieces] for kind, pieces in claim["evidence"].items()}
        return {**claim, "evidence": found}

    return {**ground, "claims": [marked(claim) for claim in ground["claims"]]}


def sentences(risk: Mapping[str, Any]) -> tuple[tuple[str, tuple[tuple[int, Mapping[str, Any]], ...]], ...]:
    """Return each sentence as it is in the text, with its claims in the risk report and the numbers of these claims."""
    text: str = risk["text"]
    plain, found = readable(text), []
    for said, claims in groupby(enumerate(risk["sentences"], 1), key=lambda each: each[1]["text"]):
        at = plain.find(said)  # offsets in `plain` and `text` are the same
        found.append((text[at : at + len(said)] if at >= 0 else said, tuple(claims)))
    return tuple(found)


def names(ground: Mapping[str, Any], risk: Mapping[str, Any]) -> tuple[Name, ...]:
    """Return each name of the text that may mean other concepts.

    First come the names in claims of the groundedness report, then subjects and objects of claims of the risk report.
    """
    found: dict[str, Name] = {}
    mentions = [mention for claim in ground["claims"] for mention in claim["mentions"]]
    for sentence in risk["sentences"]:
        if sentence["triple"]:
            mentions += [
                {**sentence[end], "text": sentence["triple"][end], "ambiguous": f"ambiguous_{end}" in sentence["flags"]}
                for end in ("subject", "object")
            ]
    for mention in mentions:
        others = tuple(each for each in mention["alternatives"] if each["key"] != mention["key"])
        if others:
            name = Name(mention["text"], mention["key"], mention["ambiguous"], others[:_MEANINGS])
            found.setdefault(mention["text"].casefold(), name)
    return tuple(found.values())


#: The file formats of copies of a judgement, with their media types.
_COPIES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "ris": "application/x-research-info-systems; charset=utf-8",
    "bib": "application/x-bibtex; charset=utf-8",
}


def result_pages(served: Served) -> APIRouter:
    """Return the routes of judgements."""
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
        return redirect(request, "/")

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
    line = next(result_lines(served.jobs, id, number - 1), b"{}")
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
        asked=hidden_fields(context["options"]),
        parts_of_text=parts(ground),
        groups=[groups(claim) for claim in ground["claims"]],
        ambiguous=names(ground, risk),
        sentences=sentences(risk),
        pictures=[picture(sentence["paths"], answer["names"]) for sentence in risk["sentences"]],
        **context,
    )


def _copy(answer: Mapping[str, Any], ending: str, name: str) -> Response:
    """Return a copy of a judgement as a file."""
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


class _Said(BaseModel):
    """A person's word on a piece of evidence, as the form beside it sends it; `claim` is the number of the claim."""

    claim: int
    piece: str
    said: str
    note: str = ""


def marking_pages(served: Served) -> APIRouter:
    """Return the routes that keep a person's word on a piece of evidence."""
    routes = APIRouter(include_in_schema=False)

    async def marked(
        request: Request, answer: Mapping[str, Any], options: Mapping[str, Any], address: str, sent: _Said
    ) -> Response:
        """Keep a person's word on a piece of evidence of a judgement, and return to the claim."""
        claims = answer["ground"]["claims"]
        if not 1 <= sent.claim <= len(claims):
            raise ProblemRaised(Problem.told(422, f"claim {sent.claim}", f"1 to {len(claims)}", "use the page's form"))
        form_request = {**sent.model_dump(), "claim": claims[sent.claim - 1]["text"]}
        try:
            named = MarkRequest(**form_request, judge=options.get("judge"), species=options.get("species"))
        except ValidationError as error:
            raise ProblemRaised(form_problem(error)) from error
        await while_connected(request, served.engine.answer("mark_evidence", named))
        return redirect(request, f"{address}#claim-{sent.claim}")

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


def timeline_pages(served: Served) -> APIRouter:
    """Return the route of the page that shows a kept judgement over the years."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/results/{id}/over-time")
    async def over_time(request: Request, id: str) -> HTMLResponse:
        if request.scope.get("allowed") != "judge":
            raise ProblemRaised(scope_missing())
        kept = await in_thread(served.results.get, id)
        fields = {name: kept.options[name] for name in TimelineRequest.model_fields if name in kept.options}
        sent = TimelineRequest(text=kept.answer["text"], **fields)
        found = await while_connected(request, served.engine.answer("trace_evidence", sent))
        charts = [timeline_chart(claim) for claim in found["claims"]]
        return render(request, "over_time.html", found=found, charts=charts, id=id)

    return routes
