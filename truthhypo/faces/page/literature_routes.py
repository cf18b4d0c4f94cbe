"""The pages of the literature: a search, and an article."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.requests import Request

from groundwork.study import DESIGNS
from truthhypo.faces.page.asked import asked
from truthhypo.faces.page.rendering import render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.threads import on_stores
from truthhypo.service.exploring import names
from truthhypo.service.requests import ArticleRequest, SearchRequest

_SEARCH_FIELDS = ("q", "k", "before", "exclude_retracted", "design", "organism")


def literature_pages(served: Served) -> APIRouter:
    """Return the routes of the literature.

    Args:
        served: Answers the requests.
    """
    routes = APIRouter(include_in_schema=False)
    engine = served.engine

    @routes.get("/literature")
    async def search(request: Request) -> HTMLResponse:
        given, found = request.query_params, None
        lists = {name: [each for each in given.getlist(name) if each.strip()] for name in ("design", "organism")}
        if given.get("q", "").strip():
            found = await engine.answer("search_literature", asked(SearchRequest, {**given, **lists}, _SEARCH_FIELDS))
        shown = {name: given.get(name, "") for name in _SEARCH_FIELDS} | lists
        return render(request, "literature.html", given=shown, found=found, designs=DESIGNS)

    @routes.get("/articles/{pmid}")
    async def article(request: Request, pmid: str) -> HTMLResponse:
        found = await engine.answer("get_article", asked(ArticleRequest, {"pmid": pmid}, ("pmid",)))
        named = await on_stores(engine, lambda world: names(world.graph_store, found["concepts"]))
        return render(request, "article.html", article=found, names=named)

    return routes
