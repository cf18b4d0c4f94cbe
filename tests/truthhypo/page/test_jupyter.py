"""Reports in JupyterLab: in the light and the dark theme, in notebooks that are trusted and that are not."""

import nbformat
import pytest
from playwright.sync_api import expect

import truthhypo
from tests.truthhypo.page.gallery import listened
from tests.truthhypo.page.jupyter import THEMES, laboratory, notebook, reports

TRUST = {"trusted.ipynb": True, "foreign.ipynb": False}
#: Outputs that are narrower than their content, except charts, which scroll. Elements that stick out of their report.
RUNS_OFF = """() => [
  ...[...document.querySelectorAll(".jp-OutputArea-output:not(.jp-RenderedSVG, .jp-RenderedImage)")].filter((one) => one.scrollWidth > one.clientWidth),
  ...[...document.querySelectorAll(".truthhypo *")].filter((one) => one.getBoundingClientRect().right
    > one.closest(".truthhypo").getBoundingClientRect().right + 1),
].map((one) => one.outerHTML.slice(0, 200))"""

#: Texts of reports with a contrast below 4.5, which WCAG asks for. axe-core sees all of JupyterLab as hidden.
FAINT = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (part) => part <= 10.31 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = (colour) => {
    const [red, green, blue] = numbers(colour).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const background = (one) => {
    const colour = getComputedStyle(one).backgroundColor;
    return numbers(colour)[3] === 0 ? background(one.parentElement) : colour;
  };
  const contrast = (one) => luminance(getComputedStyle(one).color) / luminance(background(one));
  return [...document.querySelectorAll(".truthhypo *")].filter((one) => one.innerText?.trim())
    .map((one) => [contrast(one), one.outerHTML.slice(0, 200)])
    .filter(([ratio]) => Math.max(ratio, 1 / ratio) < 4.5);
}"""


#: A cell that judges texts with the bar of tqdm: once while it waits, and once while the event loop runs.
BAR = """
import truthhypo
texts = ["Simvastatin lowers cholesterol.", None, "Aspirin causes myocardial infarction."]
with truthhypo.connect(home={home!r}) as world:
    world.risk_many(texts)
    many = await world.aground_many(texts)
many
"""


@pytest.fixture(scope="module")
def lab(sample_home, tmp_path_factory):
    with truthhypo.connect(home=sample_home) as world:
        shown = reports(world)
    with laboratory(tmp_path_factory.mktemp("jupyter")) as running:
        for name, trusted in TRUST.items():
            running.keep(name, notebook(**shown), trusted=trusted)
        cell = nbformat.v4.new_code_cell(BAR.format(home=str(sample_home)))
        running.keep("bar.ipynb", nbformat.v4.new_notebook(cells=[cell], metadata=notebook().metadata), trusted=False)
        yield running


@pytest.mark.slow
def test_reports_are_whole_in_each_theme_and_without_trust(lab, chrome, tmp_path):
    context = chrome.new_context(viewport={"width": 800, "height": 6000}, bypass_csp=True)
    page = context.new_page()
    trouble = listened(page, lab.address)
    for theme in THEMES:
        lab.paint(theme)
        for name, trusted in TRUST.items():
            lab.show(page, name, 4)
            expect(page.locator("body")).to_have_attribute("data-jp-theme-name", theme)
            assert (page.locator("[data-verdict]").count() > 0) == trusted  # the sanitizer removes this attribute
            piece = page.locator(".truthhypo li", has_text="(4 articles) PMID").first
            expect(piece).to_be_hidden()
            for summary in page.locator(".truthhypo summary").all():
                summary.click()
            expect(piece).to_be_visible()
            link = piece.get_by_role("link").first
            expect(link).to_have_attribute("href", f"https://pubmed.ncbi.nlm.nih.gov/{link.text_content()}/")
            pictures = page.get_by_role("img", name="Picture of the most probable paths")
            assert pictures.evaluate_all("all => all.map((one) => one.naturalWidth > 0)") == [True] * 5
            assert page.get_by_text("Chains between Simvastatin and cholesterol").count() == 1
            plot = page.locator(f".jp-OutputArea-output img[src^='data:image/{'svg' if trusted else 'png'}']").last
            assert plot.evaluate("(one) => one.complete && one.naturalWidth > 300")
            assert page.evaluate(RUNS_OFF) == []
            assert page.evaluate(FAINT) == []
            page.screenshot(path=tmp_path / f"{theme}.{name}.png")
    context.close()
    assert trouble == []


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_many_texts_have_tqdms_bar(lab, chrome, tmp_path, theme):
    context = chrome.new_context(viewport={"width": 800, "height": 900}, bypass_csp=True)
    page = context.new_page()
    trouble = listened(page, lab.address)
    lab.paint(theme)
    lab.run(page, "bar.ipynb")
    page.locator(".truthhypo").wait_for(timeout=180_000)
    bars = page.locator(".jp-OutputArea .widget-hbox")
    expect(bars).to_have_count(2)
    for bar in bars.all():
        expect(bar).to_contain_text("judging: 100%")
        expect(bar).to_contain_text("2/2")
        expect(bar.locator(".progress-bar")).to_be_visible()
    assert page.evaluate(RUNS_OFF) == []
    assert page.evaluate(FAINT.replace(".truthhypo *", ".widget-hbox *")) == []
    page.screenshot(path=tmp_path / "bar.png")
    context.close()
    assert trouble == []
