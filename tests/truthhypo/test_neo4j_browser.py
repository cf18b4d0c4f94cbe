"""Neo4j Browser opens our style and guide by itself; every slide opens, and every query answers."""

import json
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import expect

from tests.servers.fixtures import NEO4J, acquire
from tests.truthhypo.neo4j_browser import PICTURED, SAVED, blocks, load, opened, run, walk

pytestmark = [pytest.mark.servers, pytest.mark.slow]

#: Fill of the circle of a chemical in style.grass.
BLUE = "#0072B2"


@pytest.fixture(scope="module")
def edits(neo4j_address, tmp_path_factory):
    """The changes that a reader makes in the commands of the guide; the graph holds the sample."""
    return load(neo4j_address, tmp_path_factory.mktemp("neo4j-browser"))


@pytest.fixture(scope="module")
def page(edits):
    """The one session of Neo4j Browser, connected to the sample."""
    with opened(acquire(NEO4J)) as page:
        yield page


def test_the_browser_connects_and_opens_style_and_guide(page):
    frames = page.get_by_test_id("frame")
    expect(frames.filter(has_text=":style http://localhost")).to_contain_text("node.Chemical {")
    expect(frames.filter(has_text=":server connect")).to_contain_text("Connected to Neo4j")
    expect(frames.filter(has_text="ERROR")).to_have_count(0)
    expect(page.get_by_test_id("guidesDrawer")).to_contain_text("1. What is here")


def test_errors_and_empty_answers_are_recognized(page):
    """Without this, test_every_slide_opens_and_every_query_has_an_answer could not fail."""
    assert "ERROR" in run(page, "MATCH (c) RETURN c.key AS").inner_text()
    assert "no records" in run(page, "MATCH (c:Concept {key: ''}) RETURN c").inner_text()


def click(page, target, shown):
    """Click on a part of a graph until what it shows is there: a new graph still moves, even out of the window."""
    for _ in range(10):
        expect(target).to_be_in_viewport(ratio=0.9)
        box = target.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        with suppress(Late):
            shown.wait_for(timeout=2_000)
            return


def test_the_addresses_of_a_concept_an_edge_and_articles_are_links(page, edits):
    """This runs before all slides are opened: after that, a click on a node did not show the details of the node."""
    frame = run(page, "MATCH (c:Chemical {key: 'Chemical|MESH:D001241'}) RETURN c")
    link = frame.locator("a[href^='https://meshb.nlm.nih.gov/record/ui?ui=D001241']")
    click(page, frame.locator(f'circle[fill="{BLUE}"]'), link)
    expect(link).to_have_count(1)
    ends = "(:Chemical {key: 'Chemical|MESH:D001241'})-[r]-(:Disease {key: 'Disease|MESH:D009203'})"
    frame = run(page, f"MATCH p = {ends} WHERE r.articles > 1 RETURN p LIMIT 1")
    link = frame.locator("a[href^='https://pubmed.gov/?term=99']")
    click(page, frame.locator("g.relationship text"), link)
    expect(link).to_have_count(1)
    text = SAVED["evidence"].replace("$head", "'Chemical|MESH:D001241'").replace("$tail", "'Disease|MESH:D009203'")
    expect(run(page, text).locator("a[href^='https://pubmed.ncbi.nlm.nih.gov/']")).to_have_count(6)


def test_every_slide_opens_and_every_query_has_an_answer(page, edits, tmp_path):
    said = list(walk(page, edits, tmp_path))
    assert [one for one in said if "ERROR" in one.answer or "no records" in one.answer] == []
    assert [slide.split(".")[0] for slide in dict.fromkeys(one.slide for one in said)] == list("12345678")
    ran = {one.text for one in said}
    assert set(SAVED.values()) <= ran
    assert {file.name for file in tmp_path.iterdir()} == {f"neo4j-{name}.png" for name in PICTURED}


def test_a_picture_has_our_colours(page):
    frame = run(page, "MATCH (c:Chemical {key: 'Chemical|MESH:D001241'}) RETURN c")
    expect(frame.locator(f'circle[fill="{BLUE}"]')).to_have_count(1)


def document(lines):
    """The lines of a JSON document, from a process that keeps running."""
    for line in lines:
        yield line
        if line == "}\n":
            return


def test_graph_browser_prints_an_address_that_opens_the_guide(page, neo4j_address, tmp_path):
    words = ["--home", tmp_path, "--graph", neo4j_address, "--json", "graph", "browser"]
    program = [Path(sys.executable).with_name("truthhypo"), *words]
    with subprocess.Popen(list(map(str, program)), stdout=subprocess.PIPE, text=True) as running:
        try:
            told = json.loads("".join(document(running.stdout)))
            with page.expect_response(told["guide"].removeprefix(":guide ")) as fetched:
                page.goto(told["page"])
            assert fetched.value.ok
            assert page.url.startswith(told["page"].partition("?")[0])
            expect(blocks(page).first).to_have_text(told["style"])
            expect(page.get_by_test_id("frame")).to_contain_text(re.compile("Connected to Neo4j"))
            assert "node.Chemical {" in run(page, told["style"], blocks(page).first).inner_text()
        finally:
            running.send_signal(signal.SIGINT)
        assert (running.stdout.read(), running.wait(30)) == ("", 0)  # one document, and exit code 0
