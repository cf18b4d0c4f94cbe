"""What axe-core finds wrong with a page."""

from importlib.resources import files

from playwright.sync_api import Page

_AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def violations(page: Page, name: str) -> list[tuple[str, str, str, str]]:
    """(name of the page, rule, impact, first node) of each violation. The context of the page must bypass its CSP."""
    page.add_script_tag(content=_AXE)
    told = page.evaluate("axe.run(document, {resultTypes: ['violations']})")  # a rule that passes lists only one node
    assert len(told["passes"]) > 10
    return [(name, each["id"], each["impact"], each["nodes"][0]["html"]) for each in told["violations"]]
