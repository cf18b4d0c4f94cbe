"""Neo4j Browser in Chromium: it opens our style and guide, and runs what the guide offers.

`python -m tests.truthhypo.neo4j_browser` takes the pictures in docs/pictures again.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from playwright.sync_api import Locator, Page, expect, sync_playwright

from cypher.browser_files import BrowserFiles
from groundwork.records import Similarity
from groundwork.settings import Settings
from groundwork.tables import similarity_batch
from tests.contracts.conftest import emptied
from tests.servers import neo4j
from tests.servers.process import Server
from tests.truthhypo.bench.browser import started
from tests.truthhypo.page.gallery import ASPIRIN, DOCUMENTS
from truthhypo.faces.demo import load_sample
from truthhypo.world import World

SIZE = {"width": 1280, "height": 800}
#: Saved queries without their first line, by name.
SAVED = {
    file.name.removesuffix(".cypher"): file.read_text("utf-8").partition("\n")[2].strip()
    for file in (files("cypher") / "browser").iterdir()
    if file.name.endswith(".cypher")
}
#: Saved queries to take a picture of: True for the whole page, False for the frame of the query.
PICTURED = {"between-two-concepts": True, "disagreement": False, "before-a-pmid": False}
#: A frame that shows no graph contains one of these texts when its command has ended.
ENDED = re.compile(r"ERROR|records|Successfully set your parameters|node\.Chemical \{")
#: Milliseconds until the picture of a graph stops moving.
REST = 3_000


@dataclass(frozen=True)
class Said:
    """A command of the guide and its result.

    Attributes:
        slide: The heading of its slide.
        text: The command or query, as the guide offers it.
        answer: What its frame says.
    """

    slide: str
    text: str
    answer: str


def load(address: str, home: Path) -> dict[str, str]:
    """Load the sample and a similarity into an emptied graph.

    Returns:
        The edits that the guide asks its readers to make in its commands: old text to new text.
    """
    with World(Settings(home=home, graph=emptied(address)), read_only=False) as world:
        load_sample(world)
        graph = world.graph_store
        with graph.writing():
            graph.put_similarities([similarity_batch([Similarity(ASPIRIN, "Chemical|MESH:D008687", 0.6, "invented")])])
        (release,) = (one.id for one in graph.releases() if one.source == "pubtator3")
    return {"before: 36600000": "before: 990000006", "least => 5": "least => 1", "'0123456789ab'": f"'{release}'"}


@contextmanager
def opened(server: Server) -> Iterator[Page]:
    """Open Neo4j Browser while its style and guide are served, and wait for the guide."""
    with sync_playwright() as playwright, BrowserFiles(server.guide) as served:
        Thread(target=served.serve).start()
        try:
            browser = started(playwright)
            page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
            page.goto(server.page)
            blocks(page).first.wait_for()
            yield page
            browser.close()
        finally:
            served.close()


def blocks(page: Page) -> Locator:
    """Return the commands and queries on the open slide of the guide."""
    return page.get_by_test_id("guidesDrawer").locator("pre.runnable")


def run(page: Page, text: str, block: Locator | None = None) -> Locator:
    """Click on a block of the guide, run its text, and return its frame, which is then the only one."""
    frame = page.get_by_test_id("frame")
    while frame.count():
        frame.first.get_by_title("Close").click()
    offered = ""
    if block:
        block.click()
        offered = block.inner_text()
    else:
        page.locator(".monaco-editor").first.click()
    if text != offered:
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")
    expect(frame.get_by_text(ENDED).or_(frame.get_by_label("zoom-to-fit")).first).to_be_attached(timeout=30_000)
    return frame


def walk(page: Page, edits: Mapping[str, str], folder: Path) -> Iterator[Said]:
    """Open every slide of the guide and run everything on it, with the edits made; put pictures into a folder."""
    names = {text: name for name, text in SAVED.items()}
    while True:
        slide = page.get_by_test_id("guidesDrawer").locator("h3").inner_text()
        for block in blocks(page).all():
            offered = text = block.inner_text().strip()
            for old, new in edits.items():
                text = text.replace(old, new)
            frame = run(page, text, block)
            yield Said(slide, offered, frame.inner_text())
            if (name := names.get(offered)) in PICTURED:
                photograph(page, frame, PICTURED[name], folder / f"neo4j-{name}.png")
        following = page.get_by_test_id("guideNextSlide")
        if following.is_disabled():
            return
        following.click()


def photograph(page: Page, frame: Locator, whole: bool, file: Path) -> None:
    """Write a picture of a frame or of the whole page, once the graph has stopped moving."""
    if (fit := frame.get_by_label("zoom-to-fit")).count():
        if (details := frame.get_by_title("Collapse the node properties display")).count():
            details.click()  # it stays collapsed for later pictures
        page.wait_for_timeout(REST)
        fit.click()
        page.wait_for_timeout(500)
    (page if whole else frame).screenshot(path=file)


def main() -> None:
    """Make the pictures for the documentation."""
    with TemporaryDirectory() as home, neo4j.start(quick=True) as server:
        edits = load(server.address, Path(home))
        with opened(server) as page:
            for said in walk(page, edits, DOCUMENTS):
                sys.stdout.write(f"{said.slide}: {said.text.splitlines()[0]}\n")


if __name__ == "__main__":
    main()
