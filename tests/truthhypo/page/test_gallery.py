"""Every page and state has no accessibility violation, no console error, and is not wider than the screen."""

import pytest

from tests.truthhypo.page.accessibility import violations
from tests.truthhypo.page.gallery import DOCUMENTS, VIEWS, exhibition, illustrate, listened, visit


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    with exhibition(tmp_path_factory.mktemp("gallery")) as (service, shots):
        yield service, shots


def look(chrome, shown, view, only=None, folder=None):
    """Return the faults of the pages in one view, each with its page. With a folder, also write pictures into it."""
    service, shots = shown
    scheme, width = VIEWS[view]
    size = {"width": width, "height": 800}
    view_of = {"color_scheme": scheme, "viewport": size, "reduced_motion": "reduce"}
    context = chrome.new_context(base_url=service.address, bypass_csp=True, **view_of)
    page, found = context.new_page(), []
    console = listened(page, service.address)
    for shot in shots:
        if only and shot.name not in only:
            continue
        visit(page, shot)
        if folder:
            page.screenshot(path=folder / f"{shot.name}.{view}.png", full_page=True)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append((shot.name, "too wide"))
        if page.locator("main script, main b").count():
            found.append((shot.name, "HTML of others"))
        found += violations(page, shot.name)
    context.close()
    return found + [("console", each) for each in console]


def test_a_result_has_no_fault_on_a_small_dark_screen(chrome, shown, tmp_path):
    assert look(chrome, shown, "small-dark", {"result-opened", "article-retracted", "cited"}, tmp_path) == []
    assert len(list(tmp_path.glob("*.png"))) == 3


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_no_page_has_a_fault(chrome, shown, view):
    assert look(chrome, shown, view) == []


def test_the_pictures_in_docs_are_those_that_are_made_here(chrome, shown, tmp_path):
    illustrate(chrome, *shown, tmp_path)
    made = {path.name for path in tmp_path.glob("*.png")}
    kept = {path.name for path in DOCUMENTS.glob("*.png")}
    others = {name for name in kept if name == "notebook.png" or name.startswith("neo4j-")}  # made by other tests
    assert made == kept - others
    assert [name for name in made if (DOCUMENTS / name).stat().st_size > 150_000] == []
