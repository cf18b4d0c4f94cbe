"""The pages for browsing: concepts, the chains between two concepts, the literature and the releases."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response
from starlette.requests import Request

from groundwork.pictures import picture
from groundwork.study import DESIGNS
from truthhypo.faces.page.charts import articles_chart
from truthhypo.faces.page.forms import form_request
from truthhypo.faces.page.rendering import redirect, render, segment
from truthhypo.faces.rest.serving import Served, on_stores, while_connected
from truthhypo.hypotheses.hypothesis import outcome
from truthhypo.hypotheses.options import PROPOSABLE, has_task
from truthhypo.service.exploring import names, neighbourhood
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import (
    ArticleRequest,
    ChainsRequest,
    ConceptRequest,
    FindRequest,
    HypothesizeRequest,
    ReleasesRequest,
    SearchRequest,
)

#: Maximum number of concepts that a search lists, and of chains that a page shows.
_FOUND, _CHAINS = 30, 32
_CHAIN_FIELDS = ("head", "tail", "hops", "before", "rank", "similar")
_SEARCH_FIELDS = ("q", "k", "before", "exclude_retracted", "design", "organism")


def explore_pages(served: Served) -> APIRouter:
    """Return the routes of the pages that show the graph."""
    routes, engine = APIRouter(include_in_schema=False), served.engine

    @routes.get("/explore")
    async def find(request: Request) -> Response:
        given, found = request.query_params, None
        if given.get("q", "").strip():
            sent = form_request(FindRequest, {**given, "limit": _FOUND}, ("q", "type", "limit"))
            found = await engine.answer("find_concepts", sent)
            exact = [each for each in found["concepts"] if each["score"] == 1.0]
            if len(exact) == 1 and not found["ambiguous"]:
                return redirect(request, f"/concepts/{segment(exact[0]['key'])}")
        counts = await engine.answer("describe_release", ReleasesRequest())
        return render(request, "explore.html", found=found, q=given.get("q", ""), held=counts, pair=_given({}))

    @routes.get("/concepts/{key:path}")
    async def concept(request: Request, key: str) -> HTMLResponse:
        described = await engine.answer("describe_concept", form_request(ConceptRequest, {"key": key}, ("key",)))
        around = await on_stores(engine, lambda world: neighbourhood(world, key))
        chart = articles_chart(described["articles_by_year"])
        return render(request, "concept.html", concept=described, around=around, chart=chart)

    @routes.get("/chains")
    async def chains(request: Request) -> HTMLResponse:
        given = request.query_params
        if not (given.get("head", "").strip() and given.get("tail", "").strip()):
            return render(request, "pair.html", given=_given(given), found=None, problem=None)
        return await pair_page(request, given, None, None)

    @routes.get("/judge/pair")
    async def hypothesize(request: Request) -> HTMLResponse:
        """Ask for a hypothesis. The path is below /judge, which needs a token with the scope `judge`."""
        given = request.query_params
        _check_page(request)
        try:
            sent = form_request(HypothesizeRequest, given, ("head", "tail", "hops", "before"))
            found = await while_connected(request, engine.answer("propose_relation", sent))
        except ProblemRaised as raised:
            return await pair_page(request, given, None, raised.problem)
        return await pair_page(request, given, found, None)

    async def pair_page(
        request: Request, given: Mapping[str, Any], hypothesis: Mapping[str, Any] | None, problem: Problem | None
    ) -> HTMLResponse:
        """Return the page of two concepts."""
        sent = form_request(ChainsRequest, {**given, "limit": _CHAINS}, (*_CHAIN_FIELDS, "limit"))
        found = await engine.answer("find_chains", sent)
        keys = {found["head"], found["tail"]} | {hop["tail"] for each in found["chains"] for hop in each["hops"]}
        named = await on_stores(engine, lambda world: names(world.graph_store, keys))
        return render(
            request,
            "pair.html",
            status=problem.status if problem else 200,
            given=_given(given),
            found=found,
            names=named,
            drawn=picture([_path(chain) for chain in found["chains"]], named),
            hypothesis=hypothesis,
            outcome=outcome(hypothesis["relation"], hypothesis["model"]) if hypothesis else None,
            problem=problem,
            proposable=has_task(found["head"], found["tail"]),
            tasks=[name for name, *_ in PROPOSABLE.values()],
        )

    return routes


def literature_pages(served: Served) -> APIRouter:
    """Return the routes of the pages of the literature and of the releases."""
    routes, engine = APIRouter(include_in_schema=False), served.engine

    @routes.get("/literature")
    async def search(request: Request) -> HTMLResponse:
        given, found = request.query_params, None
        lists = {name: [each for each in given.getlist(name) if each.strip()] for name in ("design", "organism")}
        if given.get("q", "").strip():
            found = await engine.answer(
                "search_literature", form_request(SearchRequest, {**given, **lists}, _SEARCH_FIELDS)
            )
        shown = {name: given.get(name, "") for name in _SEARCH_FIELDS} | lists
        return render(request, "literature.html", given=shown, found=found, designs=DESIGNS)

    @routes.get("/articles/{pmid}")
    async def article(request: Request, pmid: str) -> HTMLResponse:
        found = await engine.answer("get_article", form_request(ArticleRequest, {"pmid": pmid}, ("pmid",)))
        named = await on_stores(engine, lambda world: names(world.graph_store, found["concepts"]))
        return render(request, "article.html", article=found, names=named)

    @routes.get("/releases")
    async def releases(request: Request) -> HTMLResponse:
        held = await engine.answer("describe_release", ReleasesRequest())
        every = await engine.answer("list_releases", ReleasesRequest())
        return render(request, "releases.html", held=held, releases=every["releases"])

    return routes


def _check_page(request: Request) -> None:
    """Refuse requests for a part of a page, so that an image on another site cannot ask for hypotheses."""
    if request.headers.get("sec-fetch-dest", "document") != "document":
        raise ProblemRaised(
            Problem.told(
                403,
                "a request from within another page",
                "a page that is opened directly",
                "open the address in the browser",
            )
        )


def _given(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the values that the user gave for two concepts, so that the form shows them again."""
    return {name: str(fields.get(name, "")) for name in _CHAIN_FIELDS}


def _path(chain: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a chain to the form of a path in a risk report."""
    hops = chain["hops"]
    probability = 1.0
    for hop in hops:
        probability *= hop["belief"]
    keys = [hops[0]["head"], *(hop["tail"] for hop in hops)]
    return {"keys": keys, "kinds": [hop["relation"] for hop in hops], "probability": probability}
