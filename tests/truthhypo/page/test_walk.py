"""What a reviewer does in a browser on embedded stores, and what the page says when a file of them is gone."""

import json
import re
import shutil

import pytest
from playwright.sync_api import expect

from tests.truthhypo.page.conftest import TEXT
from tests.truthhypo.page.gallery import listened
from tests.truthhypo.serving import serving
from truthhypo.faces.cli.entry import run

CLAIM = "Ascorbic acid treats Parkinson disease."


@pytest.fixture
def home(sample_home, tmp_path):
    return shutil.copytree(sample_home, tmp_path / "home")


@pytest.fixture
def look(chrome):
    """Open a tab whose console must stay without errors."""
    contexts, trouble = [], []

    def opened(service, path="/"):
        contexts.append(chrome.new_context(base_url=service.address))
        page = contexts[-1].new_page()
        trouble.append(listened(page, service.address))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [each for told in trouble for each in told] == []


def judge(page, text):
    page.goto("/")
    page.get_by_label("Text to judge").fill(text)
    page.get_by_role("button", name="Judge", exact=True).click()


def test_a_reviewer_sees_why_and_a_colleague_sees_the_same(home, look):
    with serving(home) as service:
        page = look(service)
        judge(page, TEXT)
        page.wait_for_url("**/results/*")
        card = page.locator("#claim-2")
        expect(card.locator(".badge").first).to_have_text("contradicted")
        expect(card.locator("details.contradicts mark.deciding").first).to_be_visible()
        card.get_by_text("About one of the two").click()
        expect(card.locator("details.about_one blockquote").first).to_be_visible()
        first = page.url
        page.get_by_role("button", name="INS Gene|3630").click()
        page.wait_for_url(re.compile(f"/results/(?!{first.rpartition('/')[2]})"))
        expect(page.locator("#claim-3")).to_contain_text("Gene|3630")
        seen, path = page.locator("main").inner_text(), page.url.removeprefix(service.address)
    with serving(home) as service:
        assert look(service, path).locator("main").inner_text() == seen


def test_a_statement_is_watched_across_a_release(home, look, tmp_path):
    with serving(home) as service:
        page = look(service, "/watch")
        page.get_by_label("A statement to watch").fill(CLAIM)
        page.get_by_role("button", name="Watch", exact=True).click()
        page.get_by_role("button", name="Judge again").click()
        card = page.get_by_role("region", name=CLAIM)
        expect(card.locator(".badge").first).to_have_text("not enough evidence", timeout=60_000)
        page.get_by_role("button", name="Mark the changes as seen").click(timeout=60_000)
        (tmp_path / "new.jsonl").write_text(json.dumps({"PMID": 990000900, "title": CLAIM, "content": CLAIM}))
        assert run(["--home", str(home), "ingest", "pubmed", str(tmp_path / "new.jsonl")]) == 0
        expect(page.get_by_role("button", name="Judge again")).to_be_visible(timeout=60_000)
        page.get_by_role("button", name="Judge again").click()
        expect(card.get_by_text("changed", exact=True)).to_be_visible(timeout=60_000)
        expect(card.get_by_role("link", name="990000900")).to_be_visible()


def test_a_store_whose_file_is_gone_is_told_with_the_way_back(home, look):
    gone = next(path for path in sorted((home / "literature").rglob("*")) if path.is_file() and path.suffix != ".json")
    gone.unlink()
    with serving(home) as service:
        page = look(service)
        judge(page, CLAIM)
        told = page.get_by_role("alert")
        expect(told).to_contain_text(gone.name)
        expect(told).to_contain_text("What to do: ")
        expect(page.get_by_label("Text to judge")).to_have_value(CLAIM)
