"""The pages of concepts, articles, releases, evidence over time and watched statements."""

import gzip
import json
import re
import shutil
import time

import pytest

import literature
from groundwork.records import Abstract, Text
from groundwork.settings import Settings
from tests.truthhypo.page.accessibility import violations
from tests.truthhypo.serving import serving
from truthhypo.faces.cli.entry import run
from truthhypo.faces.page.charts import articles_chart, timeline_chart

BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Site": "same-origin"}
HOSTILE = "<script>alert(1)</script> & <b>aspirin</b> treats headache."
ASPIRIN = "Chemical%7CMESH:D001241"
LOOKED_AT = (
    *("/explore", "/explore?q=asprin", "/explore?q=zzzzqqqq", f"/concepts/{ASPIRIN}", "/chains"),
    *("/chains?head=simvastatin&tail=cholesterol", "/literature?q=aspirin", "/articles/8", "/releases", "/watch"),
)


@pytest.fixture(scope="module")
def home(sample_home, tmp_path_factory):
    """A HOME with articles of 2001, 2011 and 2021, and a retracted article with HTML in its title and abstract."""
    home = shutil.copytree(sample_home, tmp_path_factory.mktemp("explore") / "home")
    settings = Settings(home=home)
    store = literature.connect(settings.literature_address, settings)
    held = [(2001, 5), (2011, 6), (2021, 7)]
    with store.writing():
        text = "Aspirin causes myocardial infarction."
        store.put(Abstract(pmid, Text(text, "", year=year), None, ("Chemical|MESH:D001241",)) for year, pmid in held)
        store.put([Abstract(8, Text(HOSTILE, HOSTILE, year=2021, retracted=True), None)])
    store.close()
    return home


@pytest.fixture(scope="module")
def service(home):
    with serving(home) as running:
        yield running


def page(service, path, status=200, **options):
    answer = service.client.get(path, headers=BROWSER, follow_redirects=True, **options)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! src=)|<b>aspirin", answer.text)
    assert len(answer.content) < 80_000
    assert "<h1" in answer.text and "<main" in answer.text
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [360, 1100])
def test_no_page_is_too_wide_and_axe_finds_nothing(service, chrome, scheme, size, tmp_path):
    judged = post(service, "/judge", text="Aspirin causes myocardial infarction.").headers["location"]
    post(service, "/watch/add", text=HOSTILE)
    context = chrome.new_context(
        base_url=service.address, color_scheme=scheme, bypass_csp=True, viewport={"width": size, "height": 800}
    )
    tab, found = context.new_page(), []
    for number, path in enumerate((*LOOKED_AT, f"{judged}/over-time")):
        tab.goto(path)
        assert tab.evaluate("document.documentElement.scrollWidth") == size, path
        tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        tab.wait_for_timeout(300)  # a page fades in, and faded text has little contrast
        tab.screenshot(path=tmp_path / f"{number}.png", full_page=True)
        found += violations(tab, path)
    context.close()
    assert found == []


def post(service, path, **fields):
    return service.client.post(path, headers=BROWSER, data=fields)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/explore", ("Explore the graph", "Concepts by type", 'aria-current="page"', 'name="head"')),
        ("/explore?q=asprin", ("Concepts found for", f"/concepts/{ASPIRIN.replace(':', '%3A')}")),
        ("/explore?q=Chemical%7CMESH:D001241", ("Aspirin", "Neighbours")),
        ("/explore?q=zzzzqqqq", ("No concept has a name like this",)),
        (f"/concepts/{ASPIRIN}", ("meshb.nlm.nih.gov", "<summary>treat", "/articles/", "Similar concepts", "<svg")),
        ("/chains", ("Two concepts", 'name="tail"')),
        (
            "/chains?head=simvastatin&tail=cholesterol",
            ("Simvastatin and Cholesterol", "<svg", "MATCH", "Gene &amp; Gene"),
        ),
        ("/chains?head=simvastatin&tail=HMGCR", ("Propose how they are related",)),
        (
            "/chains?head=simvastatin&tail=cholesterol&hops=3&rank=dwpc&before=&similar=true",
            ("degree-weighted", "<svg"),
        ),
        ("/chains?head=simvastatin&tail=cholesterol&before=1", ("No chain of 2 edges",)),
        ("/literature", ("Search the literature",)),
        ("/literature?q=aspirin&k=5&before=", ("/articles/", "BM25", "⚠ retracted")),
        ("/literature?q=aspirin&exclude_retracted=true&before=8", ("/articles/5",)),
        ("/literature?q=zzzzqqqq", ("No article holds one of these words",)),
        ("/articles/8", ("was retracted", "&lt;script&gt;alert(1)&lt;/script&gt;", "<dd>2021</dd>")),
        ("/articles/5", (f"/concepts/{ASPIRIN.replace(':', '%3A')}",)),
        ("/releases", ("<strong>live</strong>", "pubtator3", "articles in the literature")),
        ("/watch", ("Watched statements", 'name="text"')),
    ],
)
def test_pages_show_what_was_asked_for(service, path, shown):
    text = page(service, path).text
    assert [each for each in shown if each.lower() not in text.lower()] == []


@pytest.mark.parametrize(
    ("path", "status", "shown"),
    [
        ("/concepts/Gene%7C0", 404, "Gene|0"),
        ("/concepts/%3Cb%3Ex", 404, "&lt;b&gt;x"),
        ("/chains?head=zzzzqqqq&tail=cholesterol", 404, "zzzzqqqq"),
        ("/chains?head=simvastatin&tail=cholesterol&hops=9", 422, "hops"),
        ("/chains?head=simvastatin&tail=cholesterol&rank=best", 422, "rank"),
        ("/literature?q=aspirin&k=0", 422, "k"),
        ("/literature?q=aspirin&before=x", 422, "before"),
        ("/articles/99", 404, "99"),
        ("/articles/x", 422, "pmid"),
        ("/results/absent/over-time", 404, "absent"),
    ],
)
def test_errors_are_pages_that_say_what_to_do(service, path, status, shown):
    text = page(service, path, status).text
    assert shown in text and "What to do" in text


def test_a_pair_gets_a_hypothesis_or_a_reason_why_not(service):
    address = "/judge/pair?head=simvastatin&tail=HMGCR&hops=2&before=&rank=&similar="
    answer = page(service, address)
    assert (
        "Hypothesis: negative correlate" in answer.text and "Its context" in answer.text and "/articles/" in answer.text
    )
    undecided = page(service, "/judge/pair?head=hemochromatosis&tail=HFE").text
    assert "Hypothesis: undecided" in undecided and "No sign prevails. " in undecided
    assert "Hypothesis: treat" in page(service, "/judge/pair?head=aspirin&tail=myocardial%20infarction").text
    picture = service.client.get(address, headers={**BROWSER, "Sec-Fetch-Dest": "image"})
    assert picture.status_code == 403 and "Hypothesis: " not in picture.text
    refused = page(service, "/judge/pair?head=aspirin&tail=simvastatin", 422)
    assert "What to do" in refused.text and "Chains" in refused.text
    for text in (refused.text, page(service, "/chains?head=aspirin&tail=simvastatin").text):
        assert "Propose how" not in text and "A hypothesis can only be proposed for" in text


def test_without_a_release_the_pages_say_what_to_load(tmp_path):
    with serving(tmp_path / "home") as service:
        judged = post(service, "/judge", text="Aspirin causes headache.").headers["location"]
        for path in ("/explore", "/literature?q=aspirin", judged):
            assert "Nothing is loaded" in page(service, path).text, path
        assert "nearest" not in page(service, "/concepts/Gene%7C1", 404).text


def test_a_page_is_compressed_for_a_browser(service):
    with service.client.stream("GET", "/explore", headers={**BROWSER, "Accept-Encoding": "gzip"}) as answer:
        sent = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip" and len(sent) == int(answer.headers["content-length"])
    plain = service.client.get("/explore", headers={**BROWSER, "Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers and gzip.decompress(sent) == plain.content


def test_an_absent_concept_leads_to_the_nearest_ones_and_to_a_search(service):
    text = page(service, "/concepts/Gene%7C0", 404).text
    nearest = re.search(r'The nearest concepts: <a href="([^"]+)">(Gene\|[^<]+)</a>', text)
    assert nearest and nearest[2].partition(" (")[2].removesuffix(")") in page(service, nearest[1]).text
    assert 'action="/explore"' in text and "/api/" not in text.partition("<footer")[0] and "find_concepts" not in text
    told = service.client.get("/api/v1/concepts/Gene%7C0").json()
    assert told["nearest"][0].startswith("Gene|") and "GET /api/v1/concepts" in told["remedy"]
    text = page(service, "/articles/99", 404).text
    assert 'href="/literature"' in text and "search_literature" not in text


def test_a_claim_that_no_article_decides_has_no_empty_chart(service):
    judged = post(service, "/judge", text="Ascorbic acid treats Parkinson disease.").headers["location"]
    text = page(service, f"{judged}/over-time").text
    assert "<svg" not in text and "No article of a known year" in text


def test_a_judgement_is_shown_over_time(service):
    judged = post(service, "/judge", text="Aspirin causes myocardial infarction.").headers["location"]
    text = page(service, f"{judged}/over-time").text
    for shown in (
        "<svg",
        ">2001<",
        ">2011<",
        "Articles up to PMID",
        "95 % quantile",
        "changed in 2001",
        ">2016<",
        'class="up"',
    ):
        assert shown in text, shown


def wait_for_watch_page(service, until):
    end = time.monotonic() + 120
    while not until(text := page(service, "/watch").text):
        assert time.monotonic() < end, text
        time.sleep(0.1)
    return text


def test_statements_are_watched_across_a_release(service, home, tmp_path):
    for text in ("Ascorbic acid treats Parkinson disease.", HOSTILE):
        assert post(service, "/watch/add", text=text).headers["location"] == "/watch"
    assert "not judged yet" in page(service, "/watch").text
    assert post(service, "/watch/run").status_code == 303
    text = wait_for_watch_page(service, lambda text: "not judged yet" not in text and "Mark the changes" in text)
    assert "not enough evidence" in text
    assert post(service, "/watch/seen").status_code == 303
    title = "Ascorbic acid treats Parkinson disease."
    (tmp_path / "new.jsonl").write_text(json.dumps({"PMID": 990000900, "title": title, "content": title}))
    assert run(["--home", str(home), "ingest", "pubmed", str(tmp_path / "new.jsonl")]) == 0
    end = time.monotonic() + 60
    while service.client.get("/articles/990000900", headers=BROWSER).status_code != 200:
        assert time.monotonic() < end
        time.sleep(0.2)
    assert post(service, "/watch/run").status_code == 303
    text = wait_for_watch_page(service, lambda text: ">changed<" in text and "Cancel" not in text)
    assert "Before:" in text and re.search(r'New in the evidence: <a href="/articles/990000900">', text)
    assert post(service, "/watch/seen").status_code == 303
    assert ">changed<" not in page(service, "/watch").text
    for ident in re.findall(r'name="id" value="([^"]+)"', text):
        assert post(service, "/watch/remove", id=ident).status_code == 303
    assert "No statement is watched yet" in page(service, "/watch").text


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [("/watch/add", {"text": " "}, 422), ("/watch/add", {}, 422), ("/watch/remove", {"id": "absent"}, 404)],
)
def test_a_statement_that_cannot_be_watched_is_reported(service, path, fields, status):
    answer = post(service, path, **fields)
    assert answer.status_code == status and "What to do" in answer.text


def test_charts_have_a_column_for_each_year():
    assert articles_chart({}) is None
    drawn = articles_chart({"1999": 4, "2002": 1})
    assert [(bar.year, bar.up) for bar in drawn.bars] == [(1999, 120), (2000, 0), (2001, 0), (2002, 30)]
    assert all(bar.x + bar.width <= drawn.width for bar in articles_chart({"1800": 1, "2026": 2}).bars)
    years = [
        {"year": 2000, "supports": 1, "contradicts": 2, "verdict": "contradicted"},
        {"year": 2002, "supports": 0, "contradicts": 0, "verdict": "supported"},
    ]
    drawn = timeline_chart({"years": years})
    assert (drawn.axis, drawn.bottom, drawn.most, drawn.least) == (70, 190, 1, 2)
    alone = timeline_chart({"years": [{**years[0], "contradicts": 0}]})
    assert (alone.axis, alone.bottom, alone.least) == (130, 130, 0)  # no room for a side without bars
    bars = drawn.bars
    assert [(bar.year, bar.up, bar.down, bar.verdict) for bar in bars] == [
        (2000, 60, 120, "contradicted"),
        (2001, 0, 0, "contradicted"),
        (2002, 0, 0, "supported"),
    ]
    assert timeline_chart({"years": []}) is None
    assert timeline_chart({"years": [{**years[1], "verdict": "not_enough"}]}) is None
