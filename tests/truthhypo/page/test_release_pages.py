"""The pages of audits and of benchmark reports."""

import json
import re
import shutil
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from groundwork.settings import Settings
from tests.truthhypo.bench.reported_runs import run_of, set_of
from tests.truthhypo.page.accessibility import violations
from tests.truthhypo.page.test_explore import page
from tests.truthhypo.serving import serving
from truthhypo.faces.cli.entry import run
from truthhypo.service.reports import reports

SAMPLE = files("truthhypo").joinpath("sample")
#: A report under HOME, by its name in addresses.
REPORT = "first%20run"


@pytest.fixture(scope="module")
def home(sample_home, tmp_path_factory):
    """A HOME with two releases and a report on a run with HTML in its names."""
    root = tmp_path_factory.mktemp("releases")
    home = shutil.copytree(sample_home, root / "home")
    following = SAMPLE.joinpath("relation2pubtator3.next.tsv")
    assert run(["--home", str(home), "ingest", "relations", str(following), "--release", "next"]) == 0
    place, instances = set_of(root / "set")
    folder = run_of(root / "first run", place, instances)
    assert run(["--home", str(home), "bench", "report", str(folder)]) == 0
    (home / "secret.html").write_text("not for others")
    (home / "reports" / "other.html").write_text("no report")
    return home


@pytest.fixture(scope="module")
def service(home):
    with serving(home) as running:
        yield running


@pytest.fixture(scope="module")
def names(home, service):
    """The two releases as SOURCE:ID, the older one first."""
    known = service.client.get("/api/v1/releases").json()["releases"]
    found = [each for each in known if each["source"] == "pubtator3"]
    return [f"pubtator3:{each['id']}" for each in sorted(found, key=lambda each: each["loaded_at"])]


def audited(service, query):
    """The page of an audit when the audit is done. On a busy machine, the page first says that the audit is running."""
    while "data-again" in (text := page(service, f"/releases/audit?{query}").text):
        pass
    return text


def test_an_audit_shows_what_the_commands_say(service, home, names, capsys):
    capsys.readouterr()
    run(["--home", str(home), "--json", "ingest", "audit", names[1], "--against", names[0]])
    audit = json.loads(capsys.readouterr().out)
    run(["--home", str(home), "--json", "ingest", "diff", *names])
    difference = json.loads(capsys.readouterr().out)
    text = audited(service, f"release={names[1]}&against={names[0]}")
    plain = " ".join(re.sub(r"<[^>]+>", "", text).split())
    for count, words in (("added", "edges were added"), ("changed", "have other"), ("removed", "were removed")):
        assert difference[count] == audit["movement"]["edges"][count]
        assert f"{difference[count]} {words}" in plain
    assert difference["added"] and difference["removed"]
    assert f"{audit['edges']} edges, {audit['self_relations']} of them" in plain
    for check in audit["limits"]:
        assert f'<th scope="row">{check["name"]}</th>' in text
    assert text.count("✗ exceeded") == sum(not check["passed"] for check in audit["limits"])
    for hub in audit["hubs"][:10]:
        assert hub["key"] in text


def test_a_release_without_an_earlier_one_is_audited_alone(service, names):
    text = audited(service, f"release={names[0]}&against=")
    assert "There is no earlier release" in text and "Differences from" not in text
    assert text.count("not measured") == text.count("not checked") > 0
    assert names[1] in audited(service, "")  # the live release


@pytest.mark.parametrize("query", ["release=absent", "release=&against=pubtator3:absent", "release=..%2F..%2Fetc"])
def test_an_unknown_release_is_reported(service, query):
    text = page(service, f"/releases/audit?{query}", 422).text
    assert "no relation release is named" in text
    assert "What to do: choose one of the releases" in text and "truthhypo ingest" not in text


def test_a_token_that_may_only_read_cannot_audit(command, sample_home, tmp_path):
    home = shutil.copytree(sample_home, tmp_path / "home")
    token = command("--home", home, "serve", "token", "reader", "--scope", "read").json["token"]
    with serving(home) as service:
        service.client.headers["Authorization"] = f"Bearer {token}"
        assert "Audit a release" not in page(service, "/releases").text
        assert "may only read" in page(service, "/releases/audit", 403).text


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_releases_are_compared_and_a_report_is_read_in_a_browser(service, names, tab, script):
    tabbed = tab(service.address, java_script_enabled=script)
    tabbed.goto("/releases")
    tabbed.get_by_label("Release", exact=True).select_option(names[1])
    tabbed.get_by_label("Compared with").select_option(names[0])
    tabbed.get_by_role("button", name="Audit").click()
    expect(tabbed.get_by_role("heading", name=f"Differences from {names[0]}")).to_be_visible(timeout=60_000)
    tabbed.get_by_role("link", name="Reports").click()
    tabbed.get_by_role("link", name="first run", exact=True).click()
    expect(tabbed.locator("h1")).to_be_visible()
    assert tabbed.locator("body").evaluate("body => getComputedStyle(body).maxWidth") != "none"  # its styles are used


def test_reports_are_listed_and_shown_under_a_policy_without_scripts(service, home):
    text = page(service, "/reports").text
    assert f'href="/reports/{REPORT}"' in text and "other" not in text
    answer = service.client.get(f"/reports/{REPORT}")
    assert answer.text == (home / "reports" / "first run.html").read_text("utf-8")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in policy
    for ending in ("html", "json", "csv"):
        copied = service.client.get(f"/reports/{REPORT}/copy.{ending}")
        assert copied.headers["content-disposition"].startswith("attachment")
        assert copied.content == (home / "reports" / f"first run.{ending}").read_bytes()


@pytest.mark.parametrize(
    "path",
    ["absent", "..%2Fsecret", "%2E%2E%2Fsecret", "..%5Csecret", "other/copy.json", f"{REPORT}/copy.lock", ".hidden"],
)
def test_no_other_file_is_shown(service, path):
    answer = service.client.get(f"/reports/{path}")
    assert answer.status_code in (404, 422) and "not for others" not in answer.text


def test_without_reports_the_page_says_how_to_make_one(tmp_path, sample_home):
    assert reports(Settings(home=tmp_path)) == ()
    home = shutil.copytree(sample_home, tmp_path / "home")
    with serving(home) as service:
        assert "truthhypo bench report DIR" in page(service, "/reports").text


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [360, 1100])
def test_no_page_is_too_wide_and_axe_finds_nothing(service, names, chrome, scheme, size):
    context = chrome.new_context(
        base_url=service.address, color_scheme=scheme, bypass_csp=True, viewport={"width": size, "height": 800}
    )
    tabbed, found = context.new_page(), []
    for path in ("/reports", f"/releases/audit?release={names[1]}&against={names[0]}"):
        tabbed.goto(path)
        assert tabbed.evaluate("document.documentElement.scrollWidth") == size, path
        tabbed.wait_for_timeout(300)  # a page fades in, and faded text has little contrast
        found += violations(tabbed, path)
    context.close()
    assert found == []
