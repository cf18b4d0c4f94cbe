"""The steps of a reviewer in a browser, on embedded stores and on real servers, and the page's message if a server has
stopped."""

import json
import re
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from neo4j import GraphDatabase
from playwright.sync_api import expect

from groundwork.settings import Settings
from literature import manifest
from tests.servers.errors import UnavailableError
from tests.servers.fixtures import NEO4J
from tests.truthhypo.page.conftest import TEXT
from tests.truthhypo.page.gallery import LINES, listened
from tests.truthhypo.serving import serving
from tests.truthhypo.test_serve_trouble import hanging
from truthhypo.faces.cli.entry import run
from truthhypo.faces.demo import load_sample
from truthhypo.world import World

CLAIM = "Ascorbic acid treats Parkinson disease."


@dataclass(frozen=True)
class Stores:
    """A HOME with the sample release, and the settings that lead to its stores."""

    home: Path
    settings: dict[str, str]


@pytest.fixture(params=["embedded", pytest.param("servers", marks=[pytest.mark.servers, pytest.mark.slow])])
def stores(request, sample_home, tmp_path):
    if request.param == "embedded":
        return Stores(shutil.copytree(sample_home, tmp_path / "home"), {})
    graph = request.getfixturevalue("neo4j_address")
    with GraphDatabase.driver(graph) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    return loaded(tmp_path / "home", graph, request.getfixturevalue("elasticsearch_address"))


def loaded(home, graph, literature):
    """Load the sample release into servers, with an index of its own."""
    settings = {"graph": graph, "literature": literature, "literature_index": f"page-{uuid4().hex[:8]}"}
    with World(Settings(home=home, **settings), read_only=False) as world:
        load_sample(world)
    return Stores(home, settings)


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


def judge(page, text, *, wait=True):
    page.goto("/")
    page.get_by_label("Text to judge").fill(text)
    page.get_by_role("button", name="Judge", exact=True).click(no_wait_after=not wait)


def test_a_reviewer_sees_why_and_a_colleague_sees_the_same(stores, look):
    with serving(stores.home, **stores.settings) as service:
        page = look(service)
        judge(page, TEXT)
        page.wait_for_url("**/results/*")
        card = page.locator("#claim-2")
        expect(card.locator(".badge").first).to_have_text("contradicted")
        expect(card.locator("details.contradicts mark.deciding").first).to_be_visible()
        card.get_by_text("About one of the two").click()
        expect(card.locator("details.about_one blockquote").first).to_be_visible()
        first = page.url
        page.get_by_role("button", name="INS (human, insulin) Gene|3630").click()
        page.wait_for_url(re.compile(f"/results/(?!{first.rpartition('/')[2]})"))
        expect(page.locator("#claim-3")).to_contain_text("Gene|3630")
        seen, path = page.locator("main").inner_text(), page.url.removeprefix(service.address)
    with serving(stores.home, **stores.settings) as service:
        assert look(service, path).locator("main").inner_text() == seen


def test_a_reviewer_compares_two_concepts_and_cancels_a_job(stores, look, tmp_path):
    with serving(stores.home, **stores.settings) as service:
        page = look(service, "/explore")
        page.get_by_label("From", exact=True).fill("simvastatin")
        page.get_by_label("To", exact=True).fill("cholesterol")
        page.get_by_role("button", name="Show the chains").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Simvastatin and cholesterol")
        expect(page.locator(".paths svg .node")).not_to_have_count(0)
        expect(page.get_by_role("region", name="Chains").locator("tbody tr")).not_to_have_count(0)
        (tmp_path / "texts.txt").write_text(LINES * 100)
        page.goto("/")
        page.get_by_label("Or a file").set_input_files(tmp_path / "texts.txt")
        page.get_by_role("button", name="Judge", exact=True).click()
        expect(page.locator("td .badge").first).to_have_text("supported", timeout=60_000)
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".state")).to_have_text("cancelled", timeout=30_000)


def test_a_statement_is_watched_across_a_release(stores, look, tmp_path, monkeypatch):
    for name, value in stores.settings.items():
        monkeypatch.setenv(f"TRUTHHYPO_{name.upper()}", value)
    with serving(stores.home, **stores.settings) as service:
        page = look(service, "/watch")
        page.get_by_label("A statement to watch").fill(CLAIM)
        page.get_by_role("button", name="Watch", exact=True).click()
        page.get_by_role("button", name="Judge again").click()
        card = page.get_by_role("region", name=CLAIM)
        expect(card.locator(".badge").first).to_have_text("not enough evidence", timeout=60_000)
        page.get_by_role("button", name="Mark the changes as seen").click(timeout=60_000)
        (tmp_path / "new.jsonl").write_text(json.dumps({"PMID": 990000900, "title": CLAIM, "content": CLAIM}))
        assert run(["--home", str(stores.home), "ingest", "pubmed", str(tmp_path / "new.jsonl")]) == 0
        expect(page.get_by_role("button", name="Judge again")).to_be_visible(timeout=60_000)
        page.get_by_role("button", name="Judge again").click()
        expect(card.get_by_text("changed", exact=True)).to_be_visible(timeout=60_000)
        expect(card.get_by_role("link", name="990000900")).to_be_visible()


def test_a_store_whose_file_is_gone_is_reported_with_how_to_restore_it(sample_home, tmp_path, look):
    home = shutil.copytree(sample_home, tmp_path / "home")
    index = manifest.read(home / "literature" / "manifest.json")  # the folder also holds a segment that a load replaced
    gone = home / "literature" / "index" / index.segments[0].name
    gone.unlink()
    with serving(home) as service:
        page = look(service)
        judge(page, CLAIM)
        told = page.get_by_role("alert")
        expect(told).to_contain_text(gone.name, timeout=30_000)
        expect(told).to_contain_text("What to do: ")
        expect(page.get_by_label("Text to judge")).to_have_value(CLAIM)


@pytest.mark.slow
@pytest.mark.servers
def test_a_graph_server_that_is_stopped_is_reported_and_the_kept_results_stay(elasticsearch_address, tmp_path, look):
    with own_neo4j() as server:
        stores = loaded(tmp_path / "home", server.address, elasticsearch_address)
        limits = {"graph_timeout": 5, "graph_retry": 1}
        with serving(stores.home, **stores.settings, **limits) as service:
            page = look(service)
            judge(page, TEXT)
            page.wait_for_url("**/results/*")
            kept, seen = page.url, page.locator("main").inner_text()
            server.stop()
            judge(page, TEXT)
            expect(page.get_by_role("alert")).to_contain_text("What to do: ", timeout=60_000)
            expect(page.get_by_label("Text to judge")).to_have_value(TEXT)
            page.goto("/concepts/Gene%7C3630")
            expect(page.get_by_role("heading", level=1)).to_have_text("The service cannot answer now")
            expect(page.get_by_role("alert")).to_contain_text("What to do: ")
            page.goto(kept)
            assert page.locator("main").inner_text() == seen


@contextmanager
def own_neo4j():
    """Run a Neo4j that this test may stop."""
    try:
        server = NEO4J.start()
    except UnavailableError as error:
        pytest.skip(str(error))
    try:
        yield server
    finally:
        server.stop()


@pytest.mark.slow
def test_a_busy_service_says_when_to_try_again_and_keeps_the_text(sample_home, tmp_path, look):
    home = shutil.copytree(sample_home, tmp_path / "home")
    with hanging() as (address, asked):
        model = {"model": "openai:m", "openai_base_url": address, "openai_api_key": "k"}
        with serving(home, serve_workers=1, serve_queue=0, **model) as service:
            judge(look(service), CLAIM, wait=False)
            assert asked.wait(60)
            page = look(service)
            judge(page, CLAIM)
            expect(page.get_by_role("alert")).to_contain_text(re.compile(r"Try again in \d+ seconds"))
            expect(page.get_by_label("Text to judge")).to_have_value(CLAIM)


def test_a_running_judgement_is_cancelled_and_its_work_ends(sample_home, tmp_path, look):
    home = shutil.copytree(sample_home, tmp_path / "home")
    with hanging() as (address, asked):
        model = {"model": "openai:m", "openai_base_url": address, "openai_api_key": "k", "model_timeout": 300}
        with serving(home, serve_workers=1, serve_queue=0, **model) as service:
            page = look(service)
            expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
            judge(page, CLAIM, wait=False)
            assert asked.wait(60)
            assert running(service) == 1
            page.keyboard.press("Enter")  # the button that cancels has the focus; a click would wait for the judgement
            expect(page.get_by_role("status")).to_have_text("Cancelled.")
            expect(page.get_by_label("Text to judge")).to_have_value(CLAIM)
            expect(page.get_by_role("button", name="Judge", exact=True)).to_be_focused()
            end = time.monotonic() + 30
            while running(service):
                assert time.monotonic() < end
                time.sleep(0.1)


def running(service):
    """The number of judgements that run or wait."""
    return float(re.search(r"^truthhypo_judgements (\S+)", service.client.get("/metrics").text, re.MULTILINE)[1])
