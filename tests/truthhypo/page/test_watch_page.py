"""The page of the watched statements in Chromium shows progress, rate and time left of a run that can be cancelled."""

import json
import shutil

import pytest
from playwright.sync_api import expect

from tests.truthhypo.page.test_explore import BROWSER
from tests.truthhypo.serving import serving

PAIRS = ("Simvastatin lowers cholesterol", "Aspirin causes myocardial infarction", "Metformin treats type 2 diabetes")
STATEMENTS = [f"{pair} in group {number}." for number in range(20) for pair in PAIRS]


@pytest.fixture
def service(sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    with serving(home) as running:
        for text in STATEMENTS:
            running.client.post("/watch/add", headers=BROWSER, data={"text": text})
        yield running


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_run_is_watched_cancelled_and_continued(service, tab, script):
    page = tab(service.address, java_script_enabled=script)
    page.goto("/watch")
    page.get_by_role("button", name="Judge again").click()
    if script:
        expect(page.locator(".pace")).to_contain_text("statements a second", timeout=60_000)
        expect(page.locator(".pace")).to_contain_text("s left")
        assert page.locator("progress").evaluate("bar => bar.max") == len(STATEMENTS)
    judgement = page.locator("section .badge").first
    while not script and not judgement.is_visible():
        page.reload()  # at once, because the run may end before the page refreshes itself
    expect(judgement).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The last run was cancelled after")).to_be_visible(timeout=60_000)
    judged = page.locator("section:not(:has-text('not judged yet'))").count()
    assert 0 < judged < len(STATEMENTS)
    page.get_by_role("button", name="Judge again").click()
    expect(page.get_by_text("not judged yet")).to_have_count(0, timeout=120_000)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=60_000)
    expect(page.get_by_text(f"{len(STATEMENTS)} of {len(STATEMENTS)} statements were judged")).to_be_visible()


def test_the_events_of_a_run_have_rate_and_time_left(service):
    assert service.client.post("/watch/run", headers=BROWSER).headers["location"] == "/watch"
    told, ended = [], False
    while not ended:
        with service.client.stream("GET", "/watch/events") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    told.append(json.loads(line.removeprefix("data: ")))
        ended = told[-1]["state"] != "running"
    assert (told[-1]["state"], told[-1]["done"], told[-1]["total"]) == ("done", len(STATEMENTS), len(STATEMENTS))
    under_way = [each for each in told if each["state"] == "running" and each["rate"]]
    assert under_way
    for each in under_way:
        assert each["left"] == pytest.approx((each["total"] - each["done"]) / each["rate"])
