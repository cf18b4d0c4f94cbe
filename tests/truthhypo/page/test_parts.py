"""The parts of the pages: filters, groups of evidence, references, and the links of pictures."""

import re

import pytest
from playwright.sync_api import expect

from groundwork.pictures import PATHS, picture
from groundwork.readable import readable
from tests.truthhypo.page.test_pages import page
from truthhypo.faces.page.rendering import highlighted, linked
from truthhypo.faces.page.results import bibtex, groups, parts, ris, sentences
from truthhypo.service.typed_answers import ArticleNote


@pytest.mark.parametrize(
    ("spans", "found"),
    [
        ([], [("One. Two.", (), "")]),
        ([(0, 4)], [("One.", (1,), "supported"), (" Two.", (), "")]),
        ([(5, 9), (0, 4)], [("One.", (2,), "failed"), (" ", (), ""), ("Two.", (1,), "supported")]),
        ([(0, 9), (0, 9)], [("One. Two.", (1, 2), "mixed")]),
        ([(0, 9), (5, 9)], [("One. Two.", (1,), "supported")]),
    ],
)
def test_a_text_is_divided_into_parts(spans, found):
    verdicts = ("supported", "failed")
    claims = [{"span": span, "verdicts": {"both": verdict}} for span, verdict in zip(spans, verdicts, strict=False)]
    told = parts({"text": "One. Two.", "claims": claims})
    assert [(part.text, part.claims, part.verdict) for part in told] == found
    assert "".join(part.text for part in told) == "One. Two."


def test_evidence_is_grouped_by_stance():
    pieces = [{"id": str(n), "stance": stance} for n, stance in enumerate(("about_one", "supports", None, "supports"))]
    found = groups({"evidence": {"literature": pieces, "graph": pieces[:1], "chains": []}})
    assert [(group.stance, group.size) for group in found] == [("supports", 2), ("about_one", 2), (None, 1)]


def test_sentences_of_one_article_are_grouped():
    pieces = [{"id": str(n), "stance": "supports", "pmid": pmid} for n, pmid in enumerate((7, 5, 7))]
    (group,) = groups({"evidence": {"literature": pieces, "graph": [], "chains": []}})
    assert group.articles == ((7, (pieces[0], pieces[2])), (5, (pieces[1],)))


def test_claims_of_one_sentence_are_grouped_under_the_sentence_as_written():
    text = "A and B treat <b>C</b>. D causes E."
    said = [readable(each) for each in ("A and B treat <b>C</b>.", "A and B treat <b>C</b>.", "D causes E.")]
    found = sentences({"text": text, "sentences": [{"text": each} for each in said]})
    assert [(said, [number for number, _ in claims]) for said, claims in found] == [
        ("A and B treat <b>C</b>.", [1, 2]),
        ("D causes E.", [3]),
    ]


def pubmed(pmid):
    return f'<a href="https://pubmed.ncbi.nlm.nih.gov/{pmid}/" rel="noreferrer">{pmid}</a>'


@pytest.mark.parametrize(
    ("reason", "html"),
    [
        ("The graph holds negative_correlate (4 articles).", "The graph holds negative correlate (4 articles)."),
        (
            "4 articles (PMID 5, 9 [retracted], 3, and 1 more).",
            f"4 articles (PMID {pubmed(5)}, {pubmed(9)} [retracted], {pubmed(3)}, and 1 more).",
        ),
        ("1 article states that A < B (PMID 5).", f"1 article states that A &lt; B (PMID {pubmed(5)})."),
        (
            "6 articles (PMID 12, 345, retracted, 6, 7, and 2 more); 3 kinds.",
            f"6 articles (PMID {pubmed(12)}, {pubmed(345)}, retracted, {pubmed(6)}, {pubmed(7)}, and 2 more); 3 kinds.",
        ),
    ],
)
def test_the_articles_of_a_reason_are_links(reason, html):
    assert linked(reason) == html


@pytest.mark.parametrize(
    ("places", "html"),
    [
        (None, "A &lt; B"),
        ({"ends": [(0, 1), (4, 5)], "words": [(2, 3)]}, '<mark class="end">A</mark> <mark class="deciding">&lt;</mark> <mark class="end">B</mark>'),
        ({"ends": [(0, 3)], "words": [(2, 5)]}, '<mark class="end">A </mark><mark class="deciding">&lt;</mark><mark class="deciding"> B</mark>'),
    ],
)  # fmt: skip
def test_highlights_are_marked_and_all_else_is_escaped(places, html):
    assert highlighted("A < B", places) == html


def path(keys, kinds, probability=0.5):
    return {"keys": keys, "kinds": kinds, "probability": probability}


def test_a_picture_has_each_concept_and_each_edge_once():
    drawn = picture(
        [
            path("az", ["treat"], 0.9),
            path("abz", ["cause", "similar_to"], 0.5),
            path("abcz", ["cause", "associate", "contradicts"], 0.1),
        ],
        {"a": "A long name of a concept of the graph"},
    )
    assert [node.key for node in drawn.nodes] == ["a", "z", "b", "c"]
    assert {line.kind: line.sign for line in drawn.lines} == {
        "treat": "minus", "cause": "plus", "similar_to": "alike", "associate": "none", "contradicts": "minus"
    }  # fmt: skip
    assert len(drawn.lines) == 5
    widths = [line.width for line in drawn.lines]
    assert widths == sorted(widths, reverse=True)
    for node in drawn.nodes:
        assert node.width / 2 <= node.x <= drawn.width - node.width / 2
        assert node.height / 2 <= node.y <= drawn.height - node.height / 2
    assert picture([], {}) is None
    assert len(picture([path(f"a{n}z", ["cause", "cause"]) for n in range(30)], {}).nodes) == PATHS + 2


def test_no_mark_of_a_line_lies_on_a_box():
    crowded = [path(f"a{inner}z", ["cause"] * (len(inner) + 1)) for inner in ("b", "c", "bd", "cd", "e")]
    drawn = picture(crowded, {"b": "BRCA1", "c": "type 2 diabetes mellitus", "d": "metformin", "e": "HMGCR"})
    for line in drawn.lines:
        for node in drawn.nodes:
            assert abs(line.x - node.x) >= node.width / 2 or abs(line.y - node.y) >= node.height / 2, (line.title, node)


ARTICLES = {
    "1": ArticleNote("A & B\n{100 %}", 2001, "J\\1", True),
    "22": ArticleNote("C", None, None, False),
}


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (ris, "TY  - JOUR\nTI  - A & B {100 %}\nJO  - J\\1\nPY  - 2001\nAN  - 1\nDB  - PubMed\nUR  - https://pubmed.ncbi.nlm.nih.gov/1/\nN1  - Retracted article\nER  - \n\nTY  - JOUR\nTI  - C\nAN  - 22\nDB  - PubMed\nUR  - https://pubmed.ncbi.nlm.nih.gov/22/\nER  - \n\n"),
        (bibtex, "@article{pmid1,\n  title = {{A \\& B \\{100 \\%\\}}},\n  journal = {J\\textbackslash{}1},\n  year = {2001},\n  url = {https://pubmed.ncbi.nlm.nih.gov/1/},\n  note = {PMID: 1. Retracted article},\n}\n\n@article{pmid22,\n  title = {{C}},\n  url = {https://pubmed.ncbi.nlm.nih.gov/22/},\n  note = {PMID: 22},\n}\n"),
    ],
)  # fmt: skip
def test_articles_become_references(written, text):
    assert written(ARTICLES) == text


def test_the_boxes_of_a_picture_link_to_pages_of_this_site(service, judged):
    for path in (judged, "/chains?head=simvastatin&tail=cholesterol"):
        pictures = re.findall(r"<svg.*?</svg>", page(service, path).text, re.DOTALL)
        links = re.findall(r'<a href="([^"]+)"', "".join(pictures))
        assert len(links) == "".join(pictures).count('class="node"') > 1
        for link in set(links):
            assert link.startswith("/concepts/")
            page(service, link)


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_box_is_followed_by_mouse_and_by_keyboard(service, judged, tab, script):
    tabbed = tab(service.address, java_script_enabled=script)
    tabbed.goto(judged)
    box = tabbed.locator("svg a").first
    name = box.locator("text").text_content()
    box.click()
    expect(tabbed.locator("h1")).to_have_text(name)
    tabbed.go_back()
    tabbed.locator("svg a").first.focus()
    tabbed.keyboard.press("Enter")
    expect(tabbed.locator("h1")).to_have_text(name)
