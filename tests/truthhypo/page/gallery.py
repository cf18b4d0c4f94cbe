"""Take pictures of every page and state of the service, with the sample release and with invented articles.

`python -m tests.truthhypo.page.gallery` takes the pictures in docs/pictures again. With a folder as
argument, it writes a picture of every page into this folder: light, dark, and on a screen of 360 px.
"""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

import literature
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from tests.truthhypo.bench.browser import started
from tests.truthhypo.serving import Service, serving
from truthhypo.faces.cli.entry import run
from truthhypo.faces.demo import SAMPLE, load_sample
from truthhypo.world import World

DOCUMENTS = Path(__file__).resolve().parents[3] / "docs" / "pictures"
PARAGRAPH = (
    "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction. Ascorbic acid treats Parkinson disease."
)
#: All verdicts, a sentence with two claims, a name with two meanings, HTML, and a word wider than a small screen.
LONG = (
    f"{PARAGRAPH} Aspirin and warfarin treat thrombosis. Insulin raises glucose & <b>x</b>. "
    f"{'Pneumonoultramicroscopic' * 3} is a word."
)
LINES = (
    "Simvastatin lowers cholesterol.\nAspirin causes myocardial infarction.\n<b>Metformin</b> treats type 2 diabetes.\n"
)
WATCHED = ("Warfarin treats Parkinson disease.", "Simvastatin lowers cholesterol.")
ASPIRIN, INFARCTION = "Chemical|MESH:D001241", "Disease|MESH:D009203"
#: Articles written for these pages: year, PMID, title.
WRITTEN = (
    (1996, 5, "Aspirin causes myocardial infarction."),
    (2003, 6, "Aspirin reduces the risk of myocardial infarction."),
    (2011, 7, "Aspirin prevents myocardial infarction in men."),
)
HOSTILE = "<script>alert(1)</script> Aspirin & <b>warfarin</b> treat headache."
#: A claim on which the articles CITED_BY have every verdict, with a text that holds HTML and a wide word as evidence.
CITING, CITED_BY = "Aspirin causes myocardial infarction.", "5, 990000005, 8, 990000012, 4"
OWN = f"Aspirin <b>causes</b> myocardial infarction in {'Pneumonoultramicroscopic' * 3}."
#: A good row, a broken one, and one that cites several articles.
CITED = f'claim,pmid\n{WATCHED[1]},990000012\n{CITING},"{CITED_BY}"\n<b>x</b>,PMC5\n'
#: Widths of screens, and of a picture in the documentation, in CSS pixels.
WIDE, SMALL, PICTURE = 1100, 360, 860
#: Views of a page, by name: colour scheme and width.
VIEWS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "small": ("light", SMALL), "small-dark": ("dark", SMALL)}


@dataclass(frozen=True)
class Shot:
    """A state of a page.

    Attributes:
        name: The name of its picture.
        path: Its path.
        act: What is done on the page first; None for nothing.
        media: `screen`, or `print` for the page on paper.
    """

    name: str
    path: str
    act: Callable[[Page], object] | None = None
    media: str = "screen"


@contextmanager
def exhibition(folder: Path) -> Iterator[tuple[Service, list[Shot]]]:
    """Serve a HOME in this folder with something on every page. Yield the service, and a shot of every page and
    state."""
    home = folder / "home"
    settings = Settings(home=home)
    with World(settings, read_only=False) as world:
        load_sample(world)
        earlier = next(each.id for each in world.graph_store.releases() if each.source == "pubtator3")
    store = literature.connect(settings.literature_address, settings)
    with store.writing():
        named = (ASPIRIN, INFARCTION)
        store.put(Abstract(pmid, Text(title, "", year=year), None, named) for year, pmid, title in WRITTEN)
        store.put([Abstract(8, Text(HOSTILE, HOSTILE, year=2012, journal=HOSTILE, retracted=True), None)])
    store.close()
    for text in WATCHED:
        command(home, "watch", "add", text)
    command(home, "watch", "run")
    record = {"PMID": 990000900, "title": WATCHED[0], "content": "It was seen in a trial."}
    (folder / "new.jsonl").write_text(json.dumps(record), "utf-8")
    command(home, "ingest", "pubmed", folder / "new.jsonl")
    command(home, "ingest", "relations", SAMPLE / "relation2pubtator3.next.tsv", "--release", "next")
    command(home, "ingest", "activate", earlier)
    with serving(home) as service:
        yield service, shots(service)


def command(home: Path, *words: object) -> None:
    """Run a command on a HOME."""
    if run(["--home", str(home), *map(str, words)]) != 0:
        raise AssertionError(words)


def shots(service: Service) -> list[Shot]:
    """Make the data that the pages show. Return a shot of every page and state."""

    def sent(path: str, **given: object) -> str:
        answer = service.client.post(path, **given)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    result = sent("/judge", data={"text": LONG})
    unread = sent("/judge", data={"text": "Is it so?"})
    short = sent("/judge", data={"text": PARAGRAPH})
    job = sent("/judge", files={"file": ("texts.txt", LINES)})
    rows = sent("/cite", files={"file": ("rows.csv", CITED)})
    sent("/watch/run")
    until(lambda: all(service.client.get(f"/api/v1{each}").json()["state"] == "done" for each in (job, rows)))
    until(lambda: ">changed<" in service.client.get("/watch").text)
    pair = "/chains?head=simvastatin&tail=cholesterol"
    return [
        Shot("judge", "/?text=Simvastatin lowers cholesterol."),
        Shot("judge-refused", "/", lambda page: page.get_by_role("button", name="Judge").click()),
        Shot("sign-in", "/sign-in"),
        Shot("absent", "/absent"),
        Shot("result", result),
        Shot("result-opened", result, opened),
        Shot("result-without-claims", unread),
        Shot("result-on-paper", result, media="print"),
        Shot("result-of-a-paragraph", short),
        Shot("over-time", f"{short}/over-time", opened),
        Shot("job", job),
        Shot("text-of-a-job", f"{job}/1"),
        Shot("cite", "/cite", opened),
        Shot("cite-refused", "/cite", lambda page: page.get_by_role("button", name="Check").click()),
        Shot("cited", "/cite", lambda page: check(page, CITING)),
        Shot("cited-in-parts", "/cite", lambda page: check(page, LONG)),
        Shot("job-of-rows", rows),
        Shot("row-of-a-job", f"{rows}/2"),
        Shot("explore", "/explore"),
        Shot("explore-found", "/explore?q=asprin"),
        Shot("explore-nothing", "/explore?q=zzzzqqqq"),
        Shot("concept", "/concepts/Chemical%7CMESH:D001241", opened),
        Shot("concept-absent", "/concepts/Gene%7C0"),
        Shot("two-concepts-form", "/chains", opened),
        Shot("two-concepts", f"{pair}&hops=3"),
        Shot("two-concepts-apart", f"{pair}&before=1"),
        Shot(
            "hypothesis",
            "/chains?head=simvastatin&tail=HMGCR",
            lambda page: page.get_by_role("button", name="Propose").click(),
        ),
        Shot("literature", "/literature", opened),
        Shot("literature-found", "/literature?q=aspirin"),
        Shot("literature-nothing", "/literature?q=zzzzqqqq"),
        Shot("article", "/articles/990000005"),
        Shot("article-retracted", "/articles/8"),
        Shot("releases", "/releases"),
        Shot("watch", "/watch"),
    ]


def check(page: Page, claim: str) -> None:
    """Check a claim against the articles CITED_BY and a text."""
    page.get_by_label("Claim", exact=True).fill(claim)
    page.get_by_label("PMIDs of the cited articles").fill(CITED_BY)
    page.get_by_label("A text as evidence").fill(OWN)
    page.get_by_role("button", name="Check").click()
    expect(page.locator("h1")).to_have_text("What the cited articles say")


def until(done: Callable[[], bool]) -> None:
    """Wait until something is done, at most two minutes."""
    end = time.monotonic() + 120
    while not done():
        assert time.monotonic() < end
        time.sleep(0.2)


def opened(page: Page) -> None:
    """Open everything that can be opened, and wait until it has faded in."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished)).then(() => null)")


def visit(page: Page, shot: Shot) -> None:
    """Bring a page into the state of a shot."""
    page.emulate_media(media=shot.media)
    page.goto(shot.path)
    if shot.act:
        shot.act(page)
    expect(page.locator("h1")).to_be_visible()


#: Messages of the console that are no trouble.
EXPECTED = re.compile(r"Failed to load resource: the server|Plugin \S+ .*took [\d.]+ms to activate")


def listened(page: Page, address: str) -> list[str]:
    """Return a list that collects errors and warnings of the console, and requests to other hosts.

    Chromium's messages about pages with an error status are left out, because the tests open such pages, and
    JupyterLab's about slow plugins, because the tests run on busy machines.
    """
    trouble: list[str] = []
    page.on(
        "console",
        lambda told: (
            trouble.append(told.text) if told.type in ("error", "warning") and not EXPECTED.match(told.text) else None
        ),
    )
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(address) else trouble.append(asked.url))
    return trouble


def photograph(browser: Browser, service: Service, shown: list[Shot], folder: Path) -> None:
    """Write a picture of each shot in each view into a folder."""
    for name, (scheme, width) in VIEWS.items():
        size = {"width": width, "height": 800}
        context = browser.new_context(
            base_url=service.address, color_scheme=scheme, viewport=size, reduced_motion="reduce"
        )
        page = context.new_page()
        for shot in shown:
            visit(page, shot)
            page.screenshot(path=folder / f"{shot.name}.{name}.png", full_page=True)
        context.close()


def illustrate(browser: Browser, service: Service, shown: list[Shot], folder: Path) -> None:
    """Write the pictures for the documentation into a folder."""
    paths = {shot.name: shot.path for shot in shown}
    size = {"width": PICTURE, "height": 900}
    context = browser.new_context(base_url=service.address, viewport=size, reduced_motion="reduce")
    page = context.new_page()
    page.goto(paths["result-of-a-paragraph"])
    page.screenshot(path=folder / "judged.png", clip={"x": 0, "y": 0, "width": PICTURE, "height": 760})
    page.get_by_role("region", name="Aspirin causes").last.screenshot(path=folder / "paths.png")
    page.goto(paths["over-time"])
    page.get_by_role("region", name="Aspirin causes").first.screenshot(path=folder / "over-time.png")
    page.goto("/watch")
    page.screenshot(path=folder / "watch.png", clip={"x": 0, "y": 0, "width": PICTURE, "height": 714})
    context.close()


def main(folder: str | None = None) -> None:
    """Make the pictures for the documentation. With a folder, write pictures of all pages into it instead."""
    target = Path(folder) if folder else DOCUMENTS
    target.mkdir(parents=True, exist_ok=True)
    make = photograph if folder else illustrate
    with (
        TemporaryDirectory() as scratch,
        sync_playwright() as playwright,
        exhibition(Path(scratch)) as (service, shown),
    ):
        browser = started(playwright)
        make(browser, service, shown, target)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
