"""Render the templates of the pages into responses with security headers: filters, flags, pages and errors as pages."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from gzip import compress
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from groundwork import inventory, organisms
from groundwork.records import Concept
from groundwork.records.release import label
from groundwork.study import kind_of_study
from groundwork.vocabulary import RELATIONS
from truthhypo.manuscripts.check import WORDS
from truthhypo.service.problems import Problem

FLAGS: Mapping[str, str] = {
    "unlinked": "The claim names fewer than two concepts of the graph.",
    "negated": "The claim denies the relation.",
    "hedged": "The claim only says that the relation may hold.",
    "crowded": "The claim names so many things that some pairs were not compared.",
    "mixed": "There is evidence on both sides.",
    "inferred": "Only chains of relations support or contradict the claim. Perhaps no article states it.",
    "undirected": "The edges that decide do not show which of the two acts on the other.",
    "retracted": "An article behind the verdict was retracted.",
    "unanswered": "The judge got no reply. Judging again may succeed.",
    "unread": "The judge reads no relation in the claim, so it was not judged.",
    "partly": "The evidence states the relation, but not everything that the claim says.",
    "pronoun_unresolved": "The claim refers to something outside its sentence.",
    "ambiguous": "A name in the claim may mean another concept.",
    "cut": "The claim comes from a part of a very long sentence.",
    "conditional": "The claim holds under a condition that it states.",
    "untraced": "The model named no sentence for the claim, or most of the claim's long words are not in the text.",
    "added": "The claim has a concept or a number that the text does not contain.",
    "unconditional": "The claim lost a condition of its sentence.",
    "turned": "The claim denies what its sentence states, or states what its sentence denies.",
    "undivided": "The language model failed to split the text into claims.",
    "thin": "There is little evidence for or against the claim. Read the risk with care.",
    "paths_disagree": "The risk says the opposite of the direct edges or of the verdict.",
    "opposite_names": "A similarity on a path joins concepts with opposite names.",
    "ambiguous_subject": "The subject may mean another concept.",
    "ambiguous_object": "The object may mean another concept.",
    "failed": "The judge gave no usable reply about a claim, so that it was not judged.",
    "negation_ignored": "The inverted contradiction ignores the negation of the claim.",
}


def flag(name: str) -> str:
    """Return a flag as a sentence. An unknown flag is returned as its words."""
    return FLAGS.get(name, name.replace("_", " "))


_VERDICTS = {**WORDS, "not_enough": "not enough evidence", "failed": "not judged"}
#: Three patterns. The first finds a list of PMIDs in a reason, such as `PMID 12 [retracted], 345, and 3 more`; in older
#: results, the list is written as `PMID 12, retracted, 345`. The second finds one PMID, and the third the name of a
#: relation that has several words.
_PMIDS = re.compile(r"(PMID \d+(?: \[retracted\]|, (?:\d+|retracted)\b)*)")
_PMID = re.compile(r"\d+")
_RELATION = re.compile("|".join(relation for relation in RELATIONS if "_" in relation))


def count(value: float) -> Markup:
    """Return a whole number as HTML. The script of the page rewrites it in the format of the browser's language."""
    return Markup('<data value="{}">{}</data>').format(value, f"{value:,.0f}")


def decimal(value: float | None, digits: int = 3) -> Markup:
    """Return a number with a fixed number of decimals; `none` for None."""
    if value is None:
        return Markup("none")
    return Markup('<data value="{}" data-digits="{}">{}</data>').format(value, digits, f"{value:z.{digits}f}")


def moment(value: datetime) -> Markup:
    """Return a time as HTML, in UTC. The script of the page rewrites it in the browser's language and time zone."""
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), f"{value:%d %b %Y, %H:%M} UTC")


def words(value: str) -> str:
    """Return an identifier as words: `negative_correlate` becomes `negative correlate`."""
    return value.replace("_", " ")


def verdict(value: str) -> str:
    """Return a verdict as words."""
    return _VERDICTS[value]


def pubmed(pmid: int, title: str = "") -> Markup:
    """Return a link to an article in PubMed, with its title, or without one with its PMID."""
    return Markup('<a href="https://pubmed.ncbi.nlm.nih.gov/{}/" rel="noreferrer">{}</a>').format(pmid, title or pmid)


def linked(reason: str) -> Markup:
    """Return the reason of a verdict with its PMIDs as links, and its relations as words."""
    told = _RELATION.sub(lambda found: words(found[0]), reason)
    parts = [
        _PMID.sub(lambda found: pubmed(int(found[0])), str(escape(part))) if part.startswith("PMID ") else escape(part)
        for part in _PMIDS.split(told)
    ]
    return Markup("").join(map(Markup, parts))


def described(concept: Mapping[str, Any]) -> str:
    """Return the name of a concept, for a gene with its organism and its description, as far as they are known."""
    known = (concept.get(each, "") for each in ("organism", "description"))
    return organisms.described(Concept(concept["key"], concept["name"], (), (), *known))


def study(piece: Mapping[str, Any]) -> str:
    """Return the design and the organism of an article, a hit or a sentence; empty if they are not known."""
    return kind_of_study(piece.get("design"), piece.get("organism"))  # results of earlier versions lack them


def segment(value: str) -> str:
    """Return text as one segment of a path: `Gene|7157` becomes `Gene%7C7157`."""
    return quote(value, safe="")


def highlighted(sentence: str, places: Mapping[str, Sequence[Sequence[int]]] | None) -> Markup:
    """Return a sentence as HTML, in which the two concepts of the claim and the deciding words are marked.

    Args:
        sentence: The sentence as text.
        places: Spans (start, end) in the sentence: `ends` for the concepts, and `words` for the deciding words. None if
            they are unknown.
    """
    held = places or {}
    ends, words = held.get("ends", ()), held.get("words", ())
    bounds = sorted({0, len(sentence), *(bound for span in (*ends, *words) for bound in span)})
    found = Markup()
    for start, end in pairwise(bounds):
        text = escape(sentence[start:end])
        if _covered(start, words):
            text = Markup('<mark class="deciding">{}</mark>').format(text)
        elif _covered(start, ends):
            text = Markup('<mark class="end">{}</mark>').format(text)
        found += text
    return found


def _covered(place: int, spans: Sequence[Sequence[int]]) -> bool:
    return any(start <= place < end for start, end in spans)


FILTERS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        count,
        decimal,
        moment,
        words,
        verdict,
        pubmed,
        linked,
        described,
        study,
        segment,
        flag,
        highlighted,
        label,
    )
}


#: The content security policy: scripts and styles come only from files of this service, nothing comes from another
#: host, and no other page may show these pages in a frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: With `no-referrer`, browsers would send forms without their origin, which the guard checks.
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-cache",
}
#: Level of gzip. It reduces a result with much evidence to a tenth of its size within some milliseconds.
_LEVEL = 5


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page, as the navigation lists it.

    Attributes:
        name: Its name for people.
        path: The path of its first page.
    """

    name: str
    path: str


SECTIONS = (
    Section("Judge", "/"),
    Section("Citations", "/cite"),
    Section("Explore", "/explore"),
    Section("Literature", "/literature"),
    Section("Releases", "/releases"),
    Section("Watch", "/watch"),
)


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any
) -> HTMLResponse:
    """Return a page.

    Args:
        request: The request that the page answers. The template gets `url(path)`, which puts the root path of the
            service before a path of this service, `concept_address(key)`, the page of a concept, and `labels(names)`,
            which gives each release `SOURCE:ID` with the names of its files.
        template: The name of the template.
        status: The HTTP status.
        headers: More headers.
        context: The values that the template shows.
    """
    root = request.scope.get("root_path", "")
    page = _environment().get_template(template)
    text = page.render(
        url=lambda path: f"{root}{path}",
        concept_address=lambda key: f"{root}/concepts/{segment(key)}",
        labels=lambda names: inventory.labels(request.app.state.home, names),
        static=lambda name: f"{root}/static/{name}?v={_digest(name)}",
        sections=SECTIONS,
        path=request.scope["path"].removeprefix(root),
        signed_in=request.scope.get("by_cookie", False),
        may_judge=request.scope.get("allowed") == "judge",
        **context,
    )
    answer = HTMLResponse(text, status, {**_HEADERS, **(headers or {}), "Vary": "Accept-Encoding"})
    if "gzip" in Headers(scope=request.scope).get("accept-encoding", ""):
        answer.body = compress(answer.body, _LEVEL, mtime=0)
        answer.headers["Content-Encoding"] = "gzip"
        answer.headers["Content-Length"] = str(len(answer.body))
    return answer


def redirect(request: Request, path: str) -> RedirectResponse:
    """Return an answer that sends the browser to a page of this service."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)


@cache
def _digest(name: str) -> str:
    """Return a short digest of a static file. The address contains the digest, so a browser shows no outdated file."""
    return sha256(files("truthhypo.faces.page").joinpath("static", name).read_bytes()).hexdigest()[:12]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("truthhypo.faces.page"), PackageLoader("groundwork")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


#: Paths that programs use. Their errors are JSON, not pages.
_PROGRAMS = ("/api/", "/mcp", "/health/", "/metrics", "/openapi.json")
_HEADINGS = {
    400: "This address cannot be used",
    403: "This is not allowed",
    404: "Nothing is here",
    405: "This cannot be sent here",
    413: "This is too large",
    422: "This cannot be answered as it is",
    429: "The service is busy",
    500: "Something in this program is wrong",
    503: "The service cannot answer now",
    504: "This took too long",
}
#: Remedies for readers of a page. The usual remedies of these errors are requests that only a program sends.
_REMEDIES = {
    "UnknownConcept": "choose one of the nearest concepts, or look for another name",
    "UnknownArticle": "search for the article by words of its title",
}


def wants_page(scope: Scope) -> bool:
    """Return whether a request comes from a browser that shows the answer as a page."""
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    return not path.startswith(_PROGRAMS) and "text/html" in Headers(scope=scope).get("accept", "")


def problem_page(scope: Scope, problem: Problem) -> HTMLResponse:
    """Return the page about a problem. If the request has no valid token, this page is the form to sign in."""
    request = Request(scope)
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    if problem.status == 401:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        onward = path if scope["method"] == "GET" else "/"
        return render(
            request, "sign_in.html", status=401, headers={"WWW-Authenticate": "Bearer"}, problem=None, next=onward
        )
    heading = _HEADINGS.get(problem.status, HTTPStatus(problem.status).phrase)
    remedy = _REMEDIES.get(problem.title, problem.remedy)
    if problem.title == "UnknownConcept" and not problem.nearest:
        remedy = "look for another name"
    problem = problem.model_copy(update={"remedy": remedy})
    return render(request, "problem.html", status=problem.status, headers=headers, heading=heading, problem=problem)
