"""The pages of the benchmark reports: their list, each report, and its files."""

import re
from base64 import b64encode
from hashlib import sha256

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse
from starlette.requests import Request

from truthhypo.faces.page.rendering import HEADERS, render
from truthhypo.faces.page.served import Served
from truthhypo.faces.rest.threads import in_thread
from truthhypo.service.reports import report_file, reports


def report_pages(served: Served) -> APIRouter:
    """Return the routes of the benchmark reports.

    Args:
        served: Holds the settings.
    """
    routes = APIRouter(prefix="/reports", include_in_schema=False)
    settings = served.engine.settings

    @routes.get("")
    async def every(request: Request) -> HTMLResponse:
        return render(request, "reports.html", reports=await in_thread(reports, settings))

    @routes.get("/{name}")
    async def report(name: str) -> HTMLResponse:
        path = await in_thread(report_file, settings, name, "html")
        text = await in_thread(path.read_text, "utf-8")
        return HTMLResponse(text, headers={**HEADERS, "Content-Security-Policy": _policy(text)})

    @routes.get("/{name}/copy.{ending}")
    async def copy(name: str, ending: str) -> FileResponse:
        path = await in_thread(report_file, settings, name, ending)
        return FileResponse(path, filename=path.name, headers={"X-Content-Type-Options": "nosniff"})

    return routes


def _policy(page: str) -> str:
    """Return the content security policy of a report: no scripts, no other hosts, and only its own style sheets."""
    sheets = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    hashes = " ".join(f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in sheets)
    return f"default-src 'none'; style-src {hashes}; base-uri 'none'; frame-ancestors 'none'"
