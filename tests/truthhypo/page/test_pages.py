"""The pages over HTTP: what they show, what protects them, and what they say when something is wrong."""

import json
import re
import shutil
from contextlib import ExitStack
from io import BytesIO

import httpx2
import pandas as pd
import pytest

from groundwork.settings import Settings
from tests.truthhypo.page.conftest import TEXT
from tests.truthhypo.serving import serving
from truthhypo.faces.page.rendering import problem_page
from truthhypo.service.database import ResultStore, UnknownResult
from truthhypo.service.marks import MarkList
from truthhypo.service.problems import Problem
from truthhypo.world import World

BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Site": "same-origin"}
#: What a hostile title, name or sentence may hold.
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def parquet(texts):
    """The content of a .parquet file with these texts. Repeated texts take hardly any place in it."""
    file = BytesIO()
    pd.DataFrame({"text": texts}).to_parquet(file)
    return file.getvalue()


def page(service, path, status=200, **options):
    answer = service.client.get(path, headers=BROWSER, **options)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    return answer


def test_a_page_is_small_and_has_nothing_that_its_policy_forbids(service, judged):
    for path in ("/", "/sign-in", "/absent", judged):
        answer = service.client.get(path, headers=BROWSER)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! src=)", answer.text), path
        assert not re.search(r'(?:src|link[^>]*href)="(?:https?:)?//', answer.text), path
        files = re.findall(r'(?:src|<link[^>]*href)="([^"]+)"', answer.text)
        assert len(answer.content) + sum(len(service.client.get(each).content) for each in set(files)) < 100_000
        landmarks = ('<html lang="en">', 'href="#main"', "<main", "<nav", "<header", "<footer", "<h1")
        assert all(each in answer.text for each in landmarks)


@pytest.mark.parametrize(
    "shown",
    [
        'class="claim supported"',
        'class="claim contradicted"',
        'class="claim not_enough"',
        "Supports the claim",
        "Contradicts the claim",
        "About both, takes no side",
        "About one of the two",
        '<mark class="end">Simvastatin</mark> <mark class="deciding">lowers</mark> <mark class="end">cholesterol</mark>',
        'href="https://pubmed.ncbi.nlm.nih.gov/990000005/"',
        "every day for three years. <span class=\"soft chance\">· probability",
        "(Sample records of truthhypo, 2024)",
        '<span class="soft">· randomised trial</span>',
        "Contradicted by 1 randomised trial.",
        'href="https://meshb.nlm.nih.gov/record/ui?ui=D019821"',
        "INS (human, insulin) <span class=\"key\">Gene|3630</span>",
        'value="Insulin=Gene|3630"',
        "SHA-256 ",
        "balanced accuracy",
        "pubtator3:",
        "HRS = P(opposite) / (P(claim) + P(opposite))",
        '<path class="line minus"',
        "MATCH (head:Concept",
        "Insulin raises glucose &amp; &lt;b&gt;x&lt;/b&gt;.",
    ],
)  # fmt: skip
def test_a_result_shows_its_evidence_and_reasons(service, judged, shown):
    assert shown in page(service, judged).text


def test_a_result_is_the_answer_of_the_operations_and_is_the_same_after_a_restart(service, judged, page_home):
    api = f"/api/v1{judged}"
    kept = service.client.get(api).json()
    for kind in ("ground", "risk"):
        alone = service.client.post(f"/api/v1/{kind}", json={"text": TEXT}).json()
        assert kept[kind] == {name: alone[name] for name in kept[kind]}
    assert kept["release"] == kept["ground"]["release"]
    assert set(kept["ground"]["claims"][0]["concepts"]) <= set(kept["names"])
    with serving(page_home) as again:
        assert again.client.get(api).json() == kept
        assert page(again, judged).text == page(service, judged).text


def test_the_forms_limit_the_studies_and_show_the_choice_again(service):
    asked = {"text": TEXT, "design": ["review", "animal"], "organism": ["mouse"], "species": "human", "before": "x"}
    again = service.client.post("/judge", data=asked, headers=BROWSER).text
    assert again.count(" selected>") == 2 and "<option selected>animal</option>" in again
    assert 'name="organism" placeholder="mouse" value="mouse"' in again
    assert 'name="species" placeholder="mouse" value="human"' in again
    made = service.client.post("/judge", data={**asked, "before": ""}).headers["location"]
    kept = service.client.get(f"/api/v1{made}").json()
    assert kept["options"].items() >= {"design": ["review", "animal"], "organism": ["mouse"]}.items()
    assert not any(claim["evidence"]["literature"] for claim in kept["ground"]["claims"])
    assert "<dd>review, animal</dd>" in page(service, made).text
    assert '<input type="hidden" name="species" value="human">' in page(service, made).text
    found = page(service, "/literature?q=aspirin+infarction&design=randomised+trial&organism=").text
    assert found.count("<tr>") == 2 and "<option selected>randomised trial</option>" in found
    assert "Randomized Controlled Trial" in page(service, "/articles/990000005").text


def test_a_piece_of_evidence_is_marked_beside_it(service, page_home):
    text, piece = "Aspirin causes myocardial infarction.", "pmid:990000005#s3"
    made = service.client.post("/judge", data={"text": text}).headers["location"]
    before = page(service, made).text
    assert f'action="{made}/marks"' in before and 'class="badge changed">marked' not in before
    sent = {"claim": "1", "piece": piece, "said": "wrong", "note": HOSTILE}
    foreign = {**BROWSER, "Sec-Fetch-Site": "cross-site"}
    assert service.client.post(f"{made}/marks", data=sent, headers=foreign).status_code == 403
    for wrong, status in (({"claim": "2"}, 422), ({"said": "maybe"}, 422), ({"piece": "pmid:1#s1"}, 422)):
        answer = service.client.post(f"{made}/marks", data=sent | wrong, headers=BROWSER)
        assert answer.status_code == status, answer.text
    assert not MarkList(page_home).all()
    answer = service.client.post(f"{made}/marks", data=sent, headers=BROWSER)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{made}#claim-1"), answer.text
    (mark,) = MarkList(page_home).all().values()
    assert (mark.claim, mark.piece, mark.said, mark.note) == (text, piece, "wrong", HOSTILE)
    shown = page(service, made).text
    assert "takes no side: &lt;script&gt;alert(1)" in shown and "given before this mark" in shown
    again = page(service, service.client.post("/judge", data={"text": text}).headers["location"]).text
    assert "takes no side: &lt;script&gt;" in again and "given before this mark" not in again
    MarkList(page_home).remove(mark.id)


def test_a_result_can_be_deleted(service):
    made = [service.client.post("/judge", data={"text": TEXT}).headers["location"] for _ in range(2)]
    assert made[0] != made[1]
    assert service.client.delete(f"/api/v1{made[0]}").status_code == 204
    assert service.client.post(f"{made[1]}/delete", headers=BROWSER).headers["location"] == "/"
    for path in made:
        gone = service.client.get(f"/api/v1{path}")
        assert (gone.status_code, gone.json()["title"]) == (404, "UnknownResult")
        assert "judge the text again" in page(service, path, 404).text


def test_examples_are_offered_only_for_what_is_loaded(service, tmp_path):
    text = page(service, "/").text
    assert text.count('href="/?text=') == 3 and "Nothing is loaded" not in text
    with World(Settings(home=tmp_path / "home"), read_only=False):
        pass  # makes empty stores
    with serving(tmp_path / "home") as empty:
        text = page(empty, "/").text
    assert 'href="/?text=' not in text and "Nothing is loaded" in text


def test_an_expired_result_is_gone(tmp_path):
    lasting, brief = (ResultStore(Settings(home=tmp_path, serve_days=days)) for days in (30, 1e-9))
    lasting.open()
    kept = lasting.add({}, {})
    assert lasting.get(kept.id) == kept
    with pytest.raises(UnknownResult):
        brief.get(kept.id)
    brief.expire()
    with pytest.raises(UnknownResult):
        lasting.get(kept.id)


@pytest.mark.parametrize(
    ("ending", "begins", "holds"),
    [
        ("json", "{", '"highlights"'),
        ("csv", "number,id,text,claim", "contradicted"),
        ("ris", "TY  - JOUR\n", "AN  - 990000005\n"),
        ("bib", "@article{pmid", "note = {PMID: 990000005}"),
    ],
)
def test_a_result_can_be_copied(service, judged, ending, begins, holds):
    answer = service.client.get(f"{judged}.{ending}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.text.startswith(begins)
    assert holds in answer.text


def test_html_from_stores_and_texts_is_shown_as_text(service, judged, page_home):
    kept = json.loads(service.client.get(f"/api/v1{judged}").text)
    answer = {name: value for name, value in kept.items() if name not in ("id", "created", "expires", "options")}
    answer["names"] = dict.fromkeys(answer["names"], HOSTILE)
    answer["articles"] = {
        pmid: {**note, "title": HOSTILE, "journal": HOSTILE, "retracted": True}
        for pmid, note in answer["articles"].items()
    }
    answer["ground"]["text"] = HOSTILE * 4 + answer["ground"]["text"]
    for claim in answer["ground"]["claims"]:
        claim |= {"text": HOSTILE, "reason": HOSTILE, "flags": ["retracted", HOSTILE]}
        for piece in claim["evidence"]["literature"]:
            piece["sentence"] += HOSTILE
    options = {**kept["options"], "concepts": {HOSTILE: "Gene|3630"}}
    held = ResultStore(Settings(home=page_home)).add(options, answer)
    text = page(service, f"/results/{held.id}").text
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "retracted" in text


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        ({"text": ""}, 422, "What to do: write at least one sentence."),
        ({"text": "a" * 5001}, 413, "serve_text"),
        ({"text": TEXT, "before": "soon"}, 422, "a whole number"),
        ({"text": TEXT, "before": "1" * 5000}, 422, "at most 18 digits"),
        ({"text": TEXT, "before": "0"}, 422, "greater than or equal to 1"),
        ({"text": TEXT, "concept": "PSA"}, 422, "NAME=KEY"),
        ({"text": TEXT, "concept": "PSA=Gene|none"}, 404, "Gene|none"),
        ({"text": TEXT, "judge": "minicheck:any"}, 422, "serve_judges"),
    ],
)
def test_a_text_that_cannot_be_judged_stays_in_the_form(service, sent, status, said):
    answer = service.client.post("/judge", data=sent, headers=BROWSER)
    assert answer.status_code == status, answer.text
    assert said in answer.text
    assert 'role="alert"' in answer.text
    assert f">{sent['text'].replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</textarea>" in answer.text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("texts.exe", b"x", "texts.exe ends in"),
        ("../texts.csv", b"a,b\n1,2\n", "texts.csv has the columns"),
        ("texts.txt", b"\xff", "is not UTF-8"),
        ("texts.jsonl", b"{}", "has no text"),
        ("..", b"x", "a .txt, .csv, .jsonl or .parquet file"),
        ("n" * 300 + ".txt", b"", "contains no text"),
        ("texts.txt", b"a\n" * 501, "serve_texts"),
        ("texts.parquet", parquet(["x" * 100_000] * 100), "serve_body"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(service, name, content, said):
    answer = service.client.post("/judge", files={"file": (name, content)}, headers=BROWSER)
    assert answer.status_code in (413, 422)
    assert said in answer.text
    assert "/tmp" not in answer.text


def test_the_column_of_a_file_is_named_as_in_the_file(service):
    file = {"file": ("texts.csv", b"ID,My Words\n1,Aspirin treats headache.\n")}
    refused = service.client.post("/judge", files=file, headers=BROWSER)
    assert "texts.csv has the columns ID, My Words" in refused.text
    assert "name it by the option “Column with the texts of a file”" in refused.text
    taken = service.client.post("/judge", files=file, data={"column": "my words"}, headers=BROWSER)
    assert taken.status_code == 303


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/absent", "GET", 404),
        ("/jobs/none", "GET", 404),
        ("/jobs/none?after=-1", "GET", 422),
        ("/judge", "GET", 405),
        ("/results/none.ris", "GET", 404),
    ],
)
def test_a_browser_gets_a_page_and_a_program_gets_json(service, path, method, status):
    shown = service.client.request(method, path, headers=BROWSER)
    assert (shown.status_code, "What to do" in shown.text) == (status, True)
    told = service.client.request(method, path)
    assert (told.status_code, told.headers["content-type"]) == (status, "application/problem+json")


def test_a_store_that_is_gone_and_a_time_limit_are_reported_on_the_page(sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    with serving(home, serve_timeout=0.001) as service:
        late = service.client.post("/judge", data={"text": TEXT}, headers=BROWSER)
        assert (late.status_code, "serve_timeout" in late.text) == (504, True)
    shutil.rmtree(home / "literature")
    with serving(home) as service:
        gone = service.client.post("/judge", data={"text": TEXT}, headers=BROWSER)
        assert (gone.status_code, "What to do" in gone.text) == (503, True)
        assert "Simvastatin lowers" in gone.text


@pytest.mark.parametrize("status", [400, 403, 404, 413, 422, 429, 500, 503, 504])
def test_a_problem_is_a_page_that_says_what_to_do(status):
    problem = Problem.told(status, f"seen {HOSTILE}", "wanted", "remedy").model_copy(update={"retry_after": 7})
    scope = {"type": "http", "method": "GET", "path": "/x/y", "root_path": "/x", "headers": []}
    answer = problem_page(scope, problem)
    text = bytes(answer.body).decode()
    assert (answer.status_code, answer.headers["retry-after"]) == (status, "7")
    assert all(each in text for each in ("What to do: remedy.", "Expected: wanted.", "in 7 seconds", 'href="/x/"'))
    assert HOSTILE not in text


def test_other_sites_cannot_send_forms(service):
    for header in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://example.org"},
        {"Origin": "null"},
    ):
        answer = service.client.post("/judge", data={"text": TEXT}, headers={**header, "Accept": "text/html"})
        assert answer.status_code == 403, header
    assert page(service, "/").status_code == 200


def test_a_service_without_tokens_stores_no_token(service):
    answer = service.client.post("/sign-in", data={"token": "日本"}, headers=BROWSER)
    assert (answer.status_code, "set-cookie" in answer.headers) == (303, False)


def test_a_browser_signs_in_with_a_token(command, sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    tokens = {
        scope: command("--home", home, "serve", "token", scope, "--scope", scope).json["token"]
        for scope in ("read", "judge")
    }
    with serving(home, "--root-path", "/proxied") as service, ExitStack() as stack:
        refused = page(service, "/proxied/", 401)
        assert 'action="/proxied/sign-in"' in refused.text
        assert service.client.get("/proxied/api/v1/releases").status_code == 401
        assert service.client.post("/proxied/sign-in", data={"token": "x"}, headers=BROWSER).status_code == 401
        for scope, status in (("read", 403), ("judge", 303)):
            client = stack.enter_context(httpx2.Client(base_url=service.address, headers=BROWSER, timeout=60))
            data = {"token": tokens[scope], "next": "//example.org"}
            answer = client.post("/proxied/sign-in", data=data)
            assert (answer.status_code, answer.headers["location"]) == (303, "/proxied/")
            cookie = answer.headers["set-cookie"]
            assert all(each in cookie for each in ("HttpOnly", "SameSite=strict", "Path=/proxied"))
            assert client.get("/proxied/api/v1/releases").status_code == 200
            judged = client.post("/proxied/judge", data={"text": TEXT})
            assert judged.status_code == status, judged.text
            plain = client.post("/proxied/judge", data={"text": TEXT}, headers={"Sec-Fetch-Site": ""})
            told = client.post("/proxied/results/absent/marks", data={"claim": 1, "piece": "x", "said": "right"})
            assert told.status_code == {403: 403, 303: 404}[status], told.text
            assert plain.status_code == 401  # a cookie alone does not show which page sent the form
        kept = judged.headers["location"]
        with_token = {"Authorization": f"Bearer {tokens['read']}"}
        assert service.client.get(kept, headers=BROWSER | with_token).status_code == 200
        path = kept.removeprefix("/proxied")
        assert service.client.delete(f"/proxied/api/v1{path}", headers=with_token).status_code == 403
        assert "Sign out" in client.get(kept).text
        assert client.post("/proxied/sign-out").headers["location"] == "/proxied/sign-in"
        assert client.get(kept).status_code == 401
