"""Watched statements: what is judged again, what is reported, and runs in the background of a service."""

import asyncio
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from threading import Thread

import pytest

from groundwork.errors import StoreBusy, StoreUnreachable, UnfitText
from groundwork.settings import Settings
from tests.truthhypo.conftest import SAMPLE
from truthhypo.faces.cli.entry import run
from truthhypo.faces.page import background
from truthhypo.faces.page.background import WatchRunner
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.watching import WatchList, rejudge, rerun, state_of
from truthhypo.world import World

TEXTS = (
    "Simvastatin lowers cholesterol.",
    "Aspirin causes myocardial infarction.",
    "Ascorbic acid treats Parkinson disease.",
    "Metformin treats type 2 diabetes mellitus.",
    "Warfarin prevents thrombosis. Levodopa causes dyskinesia.",
    "Is it so?",
)
ARTICLE = {
    "PMID": 990000900,
    "title": "Ascorbic acid treats Parkinson disease.",
    "content": "Ascorbic acid treats Parkinson disease. Ascorbic acid is effective for Parkinson disease.",
}


@pytest.fixture(scope="module")
def watched(sample_home, tmp_path_factory):
    """A HOME with watched statements that were judged and reported."""
    home = shutil.copytree(sample_home, tmp_path_factory.mktemp("watched") / "home")
    statements = WatchList(Settings(home=home))
    for text in TEXTS:
        statements.add(text)
    assert run(["--home", str(home), "watch", "run"]) == 0
    return home


@pytest.fixture
def home(watched, tmp_path):
    return shutil.copytree(watched, tmp_path / "home")


def changes(folder, what):
    """Write the file of a change, and return the `ingest` command that loads it."""
    if what == "edges":
        return "relations", SAMPLE / "relation2pubtator3.next.tsv"
    if what == "names":
        rows = (SAMPLE / "bioconcepts2pubtator3.tsv").read_text("utf-8").replace("simvastatin", "simvastatinum")
        (folder / "names.tsv").write_text(rows, "utf-8")
        return "concepts", folder / "names.tsv"
    if what == "retraction":
        file, kind = folder / "again.xml", '<PublicationType UI="D016441">Retracted Publication</PublicationType>'
        records = (SAMPLE / "pubmed.xml").read_text("utf-8")
        file.write_text(records.replace("<PublicationTypeList>", f"<PublicationTypeList>{kind}"), "utf-8")
        return "pubmed", file
    shown = {"article": ARTICLE, "unrelated": {**ARTICLE, "title": "Bees dance.", "content": "Bees dance at noon."}}
    (folder / "articles.jsonl").write_text(json.dumps(shown[what]) + "\n", "utf-8")
    return "pubmed", folder / "articles.jsonl"


def oracle(home):
    """Verdicts and risk of each text, by `ground` and `risk` themselves."""
    with World(Settings(home=home)) as world:
        reports = {text: (world.ground(text), world.risk(text, words=False)) for text in TEXTS}
    return {
        text: (
            [dict(claim.verdicts) for claim in report.claims],
            [each.hrs and round(each.hrs, 3) for each in risk.sentences],
        )
        for text, (report, risk) in reports.items()
    }


@pytest.mark.parametrize(
    ("what", "judged", "changed"),
    [
        ("unrelated", 0, set()),
        ("article", None, {TEXTS[2]}),
        ("edges", None, {TEXTS[1]}),
        ("retraction", None, None),
        ("names", None, None),
    ],
)
def test_a_statement_is_skipped_only_if_judging_it_again_would_not_change_it(
    command, home, tmp_path, what, judged, changed
):
    before = oracle(home)
    kind, file = changes(tmp_path, what)
    assert command("--home", home, "ingest", kind, file, "--release", "next").code == 0
    after = oracle(home)
    report = command("--home", home, "watch", "run").json
    shown = {each["text"]: each for each in report["statements"]}
    for text, (verdicts, risks) in after.items():
        assert [claim["verdicts"] for claim in shown[text]["after"]["claims"]] == verdicts
        assert [each["hrs"] and round(each["hrs"], 3) for each in shown[text]["after"]["risks"]] == risks
        assert shown[text]["changed"] == (before[text] != after[text]), text
    marks = [each["changed"] for each in report["statements"]]
    assert marks == sorted(marks, reverse=True)
    assert report["judged"] + report["skipped"] == len(TEXTS)
    assert report["judged"] == (sum(each["judged"] for each in report["statements"]) if judged is None else judged)
    assert report["skipped"]
    if changed is not None:
        assert {each["text"] for each in report["statements"] if each["changed"]} >= changed
    again = command("--home", home, "watch", "run").json
    assert (again["judged"], again["skipped"]) == (0, len(TEXTS))
    assert not any(each["changed"] or each["pmids_added"] for each in again["statements"])


def test_the_report_names_the_articles_and_lies_in_the_file(command, home, tmp_path):
    kind, file = changes(tmp_path, "article")
    command("--home", home, "ingest", kind, file)
    out = tmp_path / "report.json"
    told = command("--home", home, "watch", "run", "--out", out)
    assert told.json == json.loads(out.read_text())
    first = told.json["statements"][0]
    assert (first["text"], first["changed"], first["pmids_added"]) == (TEXTS[2], True, [ARTICLE["PMID"]])
    verdicts = [first[when]["claims"][0]["verdicts"]["both"] for when in ("before", "after")]
    assert verdicts == ["not_enough", "supported"]


def test_statements_are_added_once_listed_and_removed(command, tmp_path):
    home = ("--home", tmp_path / "home")
    one, again = (
        command(*home, "watch", "add", text).json for text in ("Aspirin treats pain.", " Aspirin treats pain. ")
    )
    assert one == again
    other = command(*home, "watch", "add", "<b>Zinc</b> treats colds.").json
    listed = command(*home, "watch", "list").json["statements"]
    assert listed == [{**one, "latest": None}, {**other, "latest": None}]
    assert command(*home, "watch", "remove", one["id"]).code == 0
    assert [each["id"] for each in command(*home, "watch", "list").json["statements"]] == [other["id"]]
    for words in (("remove", one["id"]), ("add", " ")):
        told = command(*home, "watch", *words)
        assert (told.code, told.json["error"]["exit_code"]) == (2, 2)


@pytest.mark.parametrize("error", [UnfitText("too long", "less", "cut it"), ValueError("a bug")])
def test_an_error_of_one_statement_is_in_its_record_and_the_run_continues(home, error):
    statements, failing = WatchList(Settings(home=home)), TEXTS[1]
    with World(Settings(home=home)) as world, statements.running():

        def fails(each):
            if each.text == failing:
                raise error
            return rejudge(world, each)

        report = rerun(statements, "another state", fails)
        assert (report.judged, report.skipped, report.failed) == (0, len(TEXTS) - 1, 1)
        (failed,) = (each for each in report.statements if each.error)
        assert failed.text == failing and str(error.args[0]) in failed.error["seen"] + str(error)
        assert failed.after == failed.before is not None
        healed = rerun(statements, state_of(world), lambda each: rejudge(world, each))
        assert (healed.judged, healed.failed) == (1, 0)


def test_an_error_that_affects_all_ends_the_run(home):
    def gone(_each):
        raise StoreUnreachable("the store is gone", "a store", "start it")

    statements = WatchList(Settings(home=home))
    with statements.running(), pytest.raises(StoreUnreachable):
        rerun(statements, "", gone)
    with statements.running(), pytest.raises(StoreBusy), WatchList(Settings(home=home)).running():
        pass


def test_with_other_settings_a_statement_is_judged_again(home):
    held = Settings(home=home)
    each = WatchList(held).all()[0]
    for changes, judged in (({}, False), ({"syst": 0.2}, True), ({"species": "10090"}, True)):
        with World(held.model_copy(update=changes)) as world:
            assert (rejudge(world, each).judgement is not None) == judged
            assert (state_of(world) != each.state) == judged


def test_if_only_paths_changed_no_judge_is_asked(home, monkeypatch):
    held = Settings(home=home)
    each = WatchList(held).all()[0]
    monkeypatch.setattr("knowhd.check.Checker.judged", None)
    with World(held) as world:
        found = rejudge(world, replace(each, digest=each.digest.partition(" ")[0] + " other"))
        assert found.digest == each.digest
        assert found.judgement == each.latest


def test_a_killed_run_continues_and_reports_what_an_undisturbed_one_does(home, command, tmp_path):
    statements = WatchList(Settings(home=home))
    for number in range(60):
        statements.add(f"In {number + 2} trials simvastatin lowers cholesterol.")
    command("--home", home, "ingest", *changes(tmp_path, "edges"), "--release", "next")
    undisturbed = shutil.copytree(home, tmp_path / "undisturbed")
    wanted = command("--home", undisturbed, "watch", "run").json
    process = subprocess.Popen(
        [sys.executable, "-c", "from truthhypo.faces.cli import main; main()", "--home", home, "watch", "run"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 120
    while judged(home) < 5:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 5 <= judged(home) < wanted["judged"]
    assert command("--home", home, "watch", "run").json == wanted


def judged(home):
    """The number of statements with a new judgement that no report has shown."""
    with sqlite3.connect(home / "watch" / "statements.sqlite") as database:
        (count,) = database.execute("SELECT sum(judged) FROM statements").fetchone()
    database.close()
    return count


GOOD = {"state": "now", "digest": "a b", "judgement": {"claims": [], "risks": [], "hrs": None, "pmids": []}}


class Engine:
    """Returns or raises the given answers and errors, one after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)

    async def look(self, _call):
        return await self.work("", None)

    async def work(self, _name, _asked):
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def busy():
    return StoreBusy("closed", "open", "wait")


@pytest.mark.parametrize(
    ("answers", "problem", "errors"),
    [
        (["now", GOOD, GOOD], None, []),
        ([busy(), "now", ProblemRaised(Problem.of(busy())), GOOD, GOOD], None, []),
        (["now", GOOD, asyncio.CancelledError()], "StoreBusy", []),
        (["now", ProblemRaised(Problem.of(UnfitText("bad", "good", "mend"))), GOOD], None, ["bad"]),
        ([ValueError("a bug")], "Internal Server Error", []),
    ],
)
def test_a_run_waits_for_closed_stores_and_a_stop_makes_no_statement_fail(
    tmp_path, monkeypatch, answers, problem, errors
):
    monkeypatch.setattr(background, "_PAUSE", 0.01)
    statements = WatchList(Settings(home=tmp_path))
    statements.add("One.")
    statements.add("Two.")
    runner = WatchRunner(statements, Engine(*answers))
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    runner.start(loop)
    until = time.monotonic() + 20
    while runner.state.running and time.monotonic() < until:
        time.sleep(0.01)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    assert not runner.state.running
    assert (runner.state.problem and runner.state.problem.title) == problem
    assert [each.error["seen"] for each in statements.all() if each.error] == errors


def test_a_cancelled_run_keeps_what_is_judged_and_the_next_one_continues(tmp_path):
    statements = WatchList(Settings(home=tmp_path))
    for text in ("One.", "Two.", "Three."):
        statements.add(text)
    asked = []

    class Slow(Engine):
        async def work(self, name, given):
            asked.append(given and given.statement.text)
            if asked.count("Two.") == 1 and asked[-1] == "Two.":
                await asyncio.sleep(60)
            return "now" if given is None else GOOD

    runner = WatchRunner(statements, Slow())
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()

    def wait(until):
        end = time.monotonic() + 20
        while not until() and time.monotonic() < end:
            time.sleep(0.01)

    try:
        runner.start(loop)
        wait(lambda: "Two." in asked)
        run = runner.state
        runner.cancel()
        wait(lambda: not runner.state.running)
        cancelled, kept = runner.state, [(each.judged, each.error) for each in statements.all()]
        runner.start(loop)
        wait(lambda: not runner.state.running)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    assert (run.phase, run.done, run.total) == ("running", 1, 3)
    assert run.rate > 0
    assert (cancelled.phase, cancelled.done, cancelled.problem) == ("cancelled", 1, None)
    assert kept == [(True, None), (False, None), (False, None)]
    assert runner.state.phase == "done"
    assert asked == [None, "One.", "Two.", None, "Two.", "Three."]
    assert all(each.judged for each in statements.all())
