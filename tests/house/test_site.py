"""The documentation site: warnings fail the build, the reference is generated from the code, and no network is needed
to read it."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from inspect import cleandoc
from pathlib import Path

import pytest

import truthhypo
from fuzzygraph.risk_report import SentenceRisk, Words
from groundwork.settings import Settings
from knowhd.claims import Claim
from knowhd.ground_report import ClaimReport
from knowhd.judge import Judgement
from tests.truthhypo.bench.browser import started
from truthhypo.faces.cli.entry import COMMANDS

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site. A warning, such as a link to a missing anchor, fails the build."""
    folder = tmp_path_factory.mktemp("site")
    told = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-f", "docs/site/mkdocs.yml", "-d", str(folder)],
        cwd=REPOSITORY,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return folder


class Loaded(HTMLParser):
    """The addresses that a page loads by itself, without the links that a reader may follow."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "link" and given.get("rel") in ("canonical", "next", "prev"):
            return
        names = {"link": ("href",), "a": ()}.get(tag, ("src", "srcset", "data", "poster"))
        self.addresses += [given[name] for name in names if given.get(name)]
        self.addresses += re.findall(r"url\(['\"]?([^)'\"]+)", given.get("style") or "")


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        loaded = Loaded()
        loaded.feed(page.read_text("utf-8"))
        assert loaded.addresses
        assert [each for each in loaded.addresses if re.match(r"(\w+:)?//", each)] == [], page
        assert 'class="mermaid"' not in page.read_text("utf-8"), (
            f"{page}: its diagram would be drawn by a script of a CDN"
        )
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text("utf-8")), sheet


@pytest.mark.slow
def test_every_command_setting_and_public_name_is_in_the_reference(site):
    text = {
        name: (site / f"reference/{name}.html").read_text("utf-8")
        for name in ("commands", "settings", "python", "records")
    }
    assert [name for name in COMMANDS if f'id="truthhypo-{name}"' not in text["commands"]] == []
    assert [name for name in Settings.model_fields if f"<code>{name}</code>" not in text["settings"]] == []
    missing = [name for name in truthhypo.__all__ if name != "__version__" and f'.{name}"' not in text["python"]]
    assert missing == []
    assert 'World.ground"' in text["python"] and 'World.risk"' in text["python"]
    assert "<code>groundedness</code>" in text["records"]
    assert not any("<!-- generated" in page.read_text("utf-8") for page in site.rglob("*.html"))


def test_every_flag_is_explained():
    text = (REPOSITORY / "docs/scores/flags.md").read_text("utf-8")
    records = (ClaimReport, Claim, Judgement, SentenceRisk, Words)
    told = [re.search(r"^    flags: (.*(?:\n+     .*)*)", cleandoc(each.__doc__), re.MULTILINE)[1] for each in records]
    flags = {flag for each in told for flag in re.findall(r"`(\w+)`", each)} - {"inverted"}
    assert len(flags) > 30
    assert [flag for flag in sorted(flags) if not re.search(rf"^\|.*`{flag}`.*\|", text, re.MULTILINE)] == []


@pytest.mark.slow
def test_the_search_works_from_files_without_a_network(site):
    from playwright.sync_api import sync_playwright

    outside = []
    with sync_playwright() as playwright:
        browser = started(playwright)
        page = browser.new_page()
        page.on("request", lambda request: outside.append(request.url) if request.url.startswith("http") else None)
        page.goto((site / "index.html").as_uri())
        page.locator("[data-md-component=search-query]").fill("groundedness")
        page.locator(".md-search-result__item a").first.click(timeout=20_000)
        page.wait_for_function("document.body.innerText.toLowerCase().includes('groundedness')")
        browser.close()
    assert outside == []
