"""Mount the page on the service."""

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from truthhypo.faces.page.citing_routes import citing_pages
from truthhypo.faces.page.explore_routes import explore_pages
from truthhypo.faces.page.job_routes import job_pages
from truthhypo.faces.page.judge_routes import judge_router
from truthhypo.faces.page.literature_routes import literature_pages
from truthhypo.faces.page.mark_routes import marking_pages
from truthhypo.faces.page.release_routes import release_pages
from truthhypo.faces.page.result_routes import result_pages
from truthhypo.faces.page.served import Served
from truthhypo.faces.page.sign_in import sign_in_router
from truthhypo.faces.page.timeline_routes import timeline_pages
from truthhypo.faces.page.watch_routes import watch_pages
from truthhypo.faces.rest.tokens import Tokens


def mount_page(app: FastAPI, served: Served, tokens: Tokens | None) -> None:
    """Add the routes of all pages, and their static files.

    Args:
        app: The service.
        served: The parts of the service that the pages use.
        tokens: The valid tokens; None if no token is needed.
    """
    pages = (
        *(judge_router, citing_pages, result_pages, marking_pages, timeline_pages, job_pages, explore_pages),
        *(literature_pages, release_pages, watch_pages),
    )
    for routes in (sign_in_router(tokens), *(make(served) for make in pages)):
        app.include_router(routes)
    app.mount("/static", StaticFiles(packages=[("truthhypo.faces.page", "static")]), name="static")
