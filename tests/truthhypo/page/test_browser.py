"""The pages in Chromium: what a person does there, with and without JavaScript, by mouse and by keyboard."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from tests.truthhypo.page.accessibility import violations
from tests.truthhypo.page.conftest import TEXT
from tests.truthhypo.page.gallery import LINES
from tests.truthhypo.serving import serving


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_judge_open_evidence_and_choose_another_meaning(service, tab, script):
    page = tab(service.address, java_script_enabled=script)
    page.goto("/")
    page.get_by_label("Text to judge").fill(TEXT)
    page.get_by_role("button", name="Judge").click()
    page.wait_for_url("**/results/*")
    first = page.url
    card = page.locator("#claim-2")
    expect(card.locator(".badge").first).to_have_text("contradicted")
    expect(card.get_by_text("reduced").first).to_be_visible()
    hidden = card.locator("details.about_one blockquote").first
    expect(hidden).to_be_hidden()
    card.get_by_text("About one of the two").click()
    expect(hidden).to_be_visible()
    page.get_by_role("button", name="INS (human, insulin) Gene|3630").click()
    page.wait_for_url(re.compile(f"/results/(?!{first.rpartition('/')[2]})"))
    expect(page.locator("#claim-3")).to_contain_text("Gene|3630")
    expect(page.get_by_text("“Insulin” means")).to_be_visible()


def test_a_colleague_sees_the_same_result_after_a_restart(sample_home, tmp_path, tab):
    home = shutil.copytree(sample_home, tmp_path / "home")
    with serving(home) as service:
        page = tab(service.address)
        page.goto("/")
        page.get_by_label("Text to judge").fill(TEXT)
        page.get_by_role("button", name="Judge").click()
        page.wait_for_url("**/results/*")
        seen, path = page.locator("main").inner_text(), page.url.removeprefix(service.address)
    with serving(home) as service:
        colleague = tab(service.address)
        colleague.goto(path)
        assert colleague.locator("main").inner_text() == seen


def test_a_result_is_deleted_only_after_the_consequences_were_shown(service, tab):
    page = tab(service.address)
    page.goto(service.client.post("/judge", data={"text": TEXT}).headers["location"])
    delete = page.get_by_role("button", name="Delete for good")
    expect(delete).to_be_hidden()
    page.get_by_text("Delete this result").click()
    expect(page.get_by_text("for everyone who has it")).to_be_visible()
    delete.click()
    page.wait_for_url(f"{service.address}/")


def test_the_address_is_copied_and_the_button_keeps_its_name(service, judged, tab):
    page = tab(service.address, permissions=["clipboard-read", "clipboard-write"])
    page.goto(judged)
    page.clock.install()
    page.get_by_role("link", name="Copy the address").click()
    page.get_by_role("link", name="Copied").click()
    assert page.evaluate("navigator.clipboard.readText()") == f"{service.address}{judged}"
    page.clock.fast_forward(5000)
    expect(page.get_by_role("link", name="Copy the address")).to_be_visible()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_the_page_of_a_job_shows_its_progress_and_verdicts(service, tab, tmp_path, script):
    (tmp_path / "texts.txt").write_text(LINES)
    page = tab(service.address, java_script_enabled=script)
    page.goto("/")
    page.get_by_label("Or a file").set_input_files(tmp_path / "texts.txt")
    page.get_by_role("button", name="Judge").click()
    page.wait_for_url("**/jobs/*")
    expect(page.get_by_role("status")).to_contain_text("3 of 3 texts", timeout=60_000)
    expect(page.locator("td .badge").first).to_have_text("supported")
    page.get_by_role("link", name="<b>Metformin</b>").click()
    expect(page.locator(".judged")).to_contain_text("<b>Metformin</b>")
    page.get_by_role("link", name="All texts of this job").click()
    page.get_by_text("Delete texts and results").click()
    page.get_by_role("button", name="Delete for good").click()
    page.wait_for_url(f"{service.address}/")


def test_a_job_is_cancelled_and_keeps_its_results(service, tab, tmp_path):
    (tmp_path / "texts.txt").write_text(LINES * 100)
    page = tab(service.address)
    page.goto("/")
    page.get_by_label("Or a file").set_input_files(tmp_path / "texts.txt")
    page.get_by_role("button", name="Judge").click()
    expect(page.locator("td .badge").first).to_have_text("supported", timeout=60_000)
    expect(page.locator(".pace")).to_contain_text("texts a second", timeout=60_000)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".state")).to_have_text("cancelled")
    expect(page.locator("td .badge").first).to_have_text("supported")


def test_the_keyboard_reaches_everything(service, judged, tab):
    page = tab(service.address)
    page.goto(judged)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("a.ref").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#claim-1")).to_be_focused()


def test_the_page_does_not_move_the_focus_that_a_quick_reader_has_moved(service, judged, tab):
    page = tab(service.address)
    page.goto(judged)
    moved = """async () => {
        const told = new Promise((resolve) => window.addEventListener("hashchange", resolve));
        document.querySelector("a.skip").click();
        document.querySelector("a.ref").focus();
        await told;
    }"""
    page.evaluate(moved)
    expect(page.locator("a.ref").first).to_be_focused()


@pytest.mark.parametrize("size", [360, 1100])
@pytest.mark.parametrize("path", ["/", "/sign-in", "RESULT"])
def test_no_page_is_wider_than_the_screen(service, judged, tab, path, size):
    page = tab(service.address, viewport={"width": size, "height": 800})
    page.goto(judged if path == "RESULT" else path)
    assert page.evaluate("document.documentElement.scrollWidth") == size


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(service, judged, chrome, tmp_path, scheme):
    job = service.client.post("/judge", files={"file": ("texts.txt", LINES)}).headers["location"]
    context = chrome.new_context(base_url=service.address, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    found = []
    for path in ("/", "/sign-in", "/absent", "/?text=a", judged, job, f"{job}/1"):
        page.goto(path)
        if path == job:
            expect(page.get_by_role("status")).to_contain_text("3 of 3 texts", timeout=60_000)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        page.wait_for_timeout(300)  # a page fades in, and faded text has little contrast
        found += violations(page, path)
    context.close()
    assert found == []


def test_a_chosen_file_is_kept_after_an_error(service, chrome, tmp_path):
    """The browser's console tells the refused request, so this test has a context of its own."""
    (tmp_path / "texts.csv").write_text("said,text\nx,Simvastatin lowers cholesterol.\n")
    context = chrome.new_context(base_url=service.address)
    page = context.new_page()
    page.goto("/")
    page.get_by_text("Options").click()
    page.get_by_label("What a name means").fill("PSA")
    page.get_by_label("Or a file").set_input_files(tmp_path / "texts.csv")
    page.get_by_role("button", name="Judge").click()
    expect(page.get_by_role("alert")).to_contain_text("the concept 'PSA'")
    expect(page.get_by_role("button", name="Judge")).to_be_enabled()
    page.get_by_label("What a name means").fill("")
    page.get_by_role("button", name="Judge").click()
    page.wait_for_url("**/jobs/*")
    expect(page.get_by_role("status")).to_contain_text("1 of 1 texts", timeout=60_000)
    context.close()
