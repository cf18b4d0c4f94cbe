"""The page that checks citations: its form, its answer, and the rows of a file."""

import json
import shutil
import time

import pytest
from playwright.sync_api import expect

from tests.truthhypo.page.test_pages import BROWSER, HOSTILE, page
from tests.truthhypo.serving import serving

TRIAL = 990000005
PREVENTS, CAUSES = "Aspirin prevents myocardial infarction.", "Aspirin causes myocardial infarction."


def send(service, **fields):
    return service.client.post("/cite", data=fields, headers=BROWSER)


def test_the_menu_leads_to_the_form(service):
    text = page(service, "/").text
    assert '<a href="/cite">Citations</a>' in text
    text = page(service, "/cite").text
    assert 'aria-current="page">Citations' in text
    assert all(f'name="{name}"' in text for name in ("claim", "pmids", "evidence", "file"))


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        (
            {"claim": PREVENTS, "pmids": str(TRIAL)},
            (
                '<span class="badge supported">supported</span>',
                f'<a href="https://pubmed.ncbi.nlm.nih.gov/{TRIAL}/" rel="noreferrer">[Sample] Low-dose aspirin',
                "randomised trial",
                "<blockquote>RESULTS: Aspirin reduced the rate",
                "probability",
                "Place: results, sentence 3 of 5",
                "The article states the claim (results, sentence 3 of 5).",
            ),
        ),
        (
            {"claim": CAUSES, "pmids": f"{TRIAL}, 4; PMID: 990000012"},
            (
                '<span class="badge contradicted">contradicted</span>',
                '<span class="badge not_loaded">article not loaded</span>',
                "truthhypo ingest pubmed FILE",
                'rel="noreferrer">PMID 4</a>',
                '<span class="badge not_stated">not stated</span>',
                f'value="{TRIAL}, 4; PMID: 990000012"',
            ),
        ),
        (
            {"claim": PREVENTS, "evidence": f"Aspirin reduced the rate of myocardial infarction.\r\n{HOSTILE}"},
            ("Your text", '<span class="badge supported">supported</span>', "&lt;script&gt;"),
        ),
        (
            {"claim": f"{CAUSES} Simvastatin lowers cholesterol.", "pmids": str(TRIAL)},
            ('aria-label="Claims of the text"', "not enough evidence"),
        ),
        ({"claim": "Is it so?", "pmids": str(TRIAL)}, ("No claim was found in the text", "not stated")),
    ],
)
def test_an_answer_shows_the_verdict_of_each_article_and_why(service, fields, shown):
    answer = send(service, **fields)
    assert answer.status_code == 200, answer.text
    for each in shown:
        assert each in answer.text
    assert "<script>alert" not in answer.text


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"claim": " ", "pmids": "5"}, 422, "the claim is empty"),
        ({"claim": PREVENTS}, 422, "neither PMIDs nor a text"),
        ({"claim": PREVENTS, "pmids": "PMC5"}, 422, "the PMID"),
        ({"claim": PREVENTS, "pmids": ",".join(map(str, range(1, 102)))}, 422, "at most 100"),
        ({"claim": PREVENTS, "evidence": "a" * 5001}, 413, "serve_text"),
        ({"claim": PREVENTS, "pmids": "5", "concept": "PSA"}, 422, "NAME=KEY"),
        ({"claim": PREVENTS, "pmids": "5", "judge": "minicheck:any"}, 422, "serve_judges"),
    ],
)
def test_a_citation_that_cannot_be_checked_stays_in_the_form(service, fields, status, said):
    answer = send(service, **fields)
    assert answer.status_code == status, answer.text
    assert said in answer.text and 'role="alert"' in answer.text
    assert f">{fields['claim']}</textarea>" in answer.text
    assert f'value="{fields.get("pmids", "")}"' in answer.text


@pytest.mark.parametrize(
    ("name", "content", "column"),
    [
        ("rows.csv", f"claim,pmid\n{CAUSES},{TRIAL};4\n,5\n{HOSTILE},PMC5\n", ""),
        (
            "rows.jsonl",
            f'{json.dumps({"claim": CAUSES, "cited": [TRIAL, 4]})}\nno JSON\n{{"claim": "\\ud800", "cited": 1}}\n',
            "cited",
        ),
    ],
)
def test_the_rows_of_a_file_become_a_job(service, name, content, column):
    answer = service.client.post("/cite", data={"column": column}, files={"file": (name, content)}, headers=BROWSER)
    assert answer.status_code == 303, answer.text
    job, end = answer.headers["location"], time.monotonic() + 60
    while (told := service.client.get(f"/api/v1{job}").json())["state"] != "done":
        assert time.monotonic() < end, told
        time.sleep(0.02)
    assert (told["kind"], told["total"]) == ("cite", 3)
    text = page(service, job).text
    assert text.count('class="badge failed"') == 2
    assert all(f'<span class="badge {each}"' in text for each in ("contradicted", "not_loaded"))
    assert "3</data></span> rows" in text and ">HRS<" not in text
    assert "Place: results, sentence 3 of 5" in page(service, f"{job}/1").text
    page(service, f"{job}/2", 404)
    page(service, f"{job}/1.csv", 404)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("rows.parquet", "x", "rows.parquet ends in"),
        ("rows.csv", "claim,source\na,1\n", "the option “Column with the PMIDs of a file”"),
        ("rows.csv", "claim,pmid\n", "contains no row"),
        ("rows.csv", "claim,pmid\n" + "a,1\n" * 501, "serve_texts"),
    ],
)
def test_a_file_without_rows_is_refused(service, name, content, said):
    answer = service.client.post("/cite", files={"file": (name, content)}, headers=BROWSER)
    assert answer.status_code in (413, 422)
    assert said in answer.text and "/tmp" not in answer.text


def test_checking_needs_a_token_that_may_judge(command, sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    read, judge = (
        command("--home", home, "serve", "token", scope, "--scope", scope).json["token"] for scope in ("read", "judge")
    )
    with serving(home) as service:
        for token, status, form in ((read, 403, False), (judge, 200, True)):
            headers = {**BROWSER, "Authorization": f"Bearer {token}"}
            shown = service.client.get("/cite", headers=headers)
            assert (shown.status_code, 'name="claim"' in shown.text) == (200, form)
            sent = service.client.post("/cite", data={"claim": PREVENTS, "pmids": str(TRIAL)}, headers=headers)
            assert sent.status_code == status


@pytest.mark.parametrize("scripts", [True, False])
def test_a_citation_is_checked_with_the_keyboard_alone(service, tab, scripts):
    shown = tab(service.address, java_script_enabled=scripts, viewport={"width": 360, "height": 700})
    shown.goto("/cite")
    shown.get_by_label("Claim", exact=True).focus()
    shown.keyboard.insert_text(CAUSES)
    shown.keyboard.press("Tab")
    shown.keyboard.insert_text(f"{TRIAL}, 4")
    shown.keyboard.press("Enter")
    expect(shown.locator("h1")).to_have_text("What the cited articles say")
    expect(shown.locator("main section .badge")).to_have_text(["contradicted", "article not loaded"])
