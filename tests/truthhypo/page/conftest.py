"""A running service with a HOME of its own, and a browser that looks at its pages."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

from tests.truthhypo.bench.browser import started
from tests.truthhypo.serving import serving

#: Three claims with three verdicts, a name with two meanings, and HTML.
TEXT = "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction. Insulin raises glucose & <b>x</b>."


@pytest.fixture(scope="session")
def page_home(sample_home, tmp_path_factory):
    """A separate HOME, because results and jobs are kept in HOME."""
    return shutil.copytree(sample_home, tmp_path_factory.mktemp("page") / "home")


@pytest.fixture(scope="session")
def service(page_home):
    with serving(page_home, serve_texts=500, serve_text=5000) as running:
        yield running


@pytest.fixture(scope="session")
def judged(service):
    """The path of a kept result on TEXT."""
    answer = service.client.post("/judge", data={"text": TEXT})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


@pytest.fixture(
    scope="package"
)  # Playwright keeps an event loop in this thread, in which no other test can run its own
def chrome():
    with sync_playwright() as playwright:
        browser = started(playwright)
        yield browser
        browser.close()


@pytest.fixture
def tab(chrome):
    """Open tabs, and fail if one of them wrote an error or a warning to its console, or asked another host."""
    contexts, trouble = [], []

    def opened(address, **options):
        context = chrome.new_context(base_url=address, **options)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console", lambda message: trouble.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(address) else trouble.append(request.url))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert trouble == []
