"""Run suites: records, resuming, budgets and bad input, also with a small model on loopback."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.performance.measure import program
from groundwork.errors import InputError
from groundwork.manifest import FileEntry
from tests.loopback import Answer, Loopback, completion, passing_on, schema_of
from tests.truthhypo.bench import small_set
from tests.truthhypo.killing import killed_at
from truthhypo.bench.runs import Entry, Run
from truthhypo.bench.suite import read_suite, shipped
from truthhypo.hypotheses import dataset
from truthhypo.json_files import RecordFile

#: Records of the suite: 9 instances, answered by the rules once in one of two settings, and by the model twice in both.
WHOLE = 9 * (1 + 2 * 2)
#: In all four settings: the rules in three.
EVERY = 9 * (3 + 4 * 2)
SUITE = """
models = ["rules", { name = "openai:smollm2", model_tokens = 64, model_concurrency = 1 }]
settings = ["kg"]
judges = ["model"]
[judging]
k = 1
tau = 100.0
joint = 4
[datasets.set]
path = "three"
"""
#: Three instances, each answered by the rules and by the model.
BY_SMALL_MODEL = 3 * 2


def entry(instance, sample=0, answer="treat"):
    return Entry("set", instance, "m", "kg", sample, sample, answer)


def write(path, *records):
    with RecordFile(path).appending() as append:
        for each in records:
            append(each.to_dict())


@pytest.fixture
def run(tmp_path):
    run = Run(tmp_path)
    write(run.records, entry("a"), entry("b"))
    return run


def test_of_two_records_with_one_key_the_later_counts(run):
    write(run.records, entry("a", answer="inhibit"))
    assert [(each.instance, each.answer) for each in run.entries()] == [("a", "inhibit"), ("b", "treat")]


def test_a_line_that_is_still_being_written_is_read_when_it_is_complete(run):
    path = run.records
    whole = path.read_bytes()
    write(path, entry("c"))
    path.write_bytes(path.read_bytes()[:-5])
    assert len(run.entries()) == 2
    path.write_bytes(whole)
    write(path, entry("c"))
    assert len(run.entries()) == 3


def test_a_damaged_line_is_named_by_its_number(run):
    with run.records.open("ab") as stream:
        stream.write(b"{}\n")
    with pytest.raises(InputError, match=r"records\.jsonl:3 is not a record"):
        run.entries()


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def keyed(folder: Path) -> dict:
    """Records by key, without what differs from run to run."""
    varying = ("usage", "seconds")
    found = {}
    for entry in Run(folder).entries():
        shape = {name: value for name, value in entry.to_dict().items() if name not in varying}
        for grounding in shape["groundedness"].values():
            grounding.pop("seconds")
        found[entry.key] = shape
    return found


def test_a_complete_run_is_recorded_and_measured(run_bench, folder, server):
    four = small_set.HEAD.replace('"kg+lit"]', '"kg", "lit", "kg+lit"]')
    told = run_bench("--concurrency", 1, suite=small_set.suite(folder, head=four))
    assert told.code == 0, told.err
    assert told.json.items() >= {"records": EVERY, "written": EVERY, "answered": EVERY, "failed": 0, "left": 0}.items()
    records = lines(folder / "out" / "records.jsonl")
    assert len({tuple(r[n] for n in ("dataset", "instance", "model", "setting", "sample")) for r in records}) == EVERY
    drawn = [r for r in records if r["model"] == "openai:m"]
    assert {(r["sample"], r["seed"]) for r in drawn} == {(0, 0), (1, 1)}
    assert {bool(r["knowledge"]) for r in drawn if r["setting"] != "parametric"} == {True}
    assert {bool(r["knowledge"]) for r in drawn if r["setting"] == "parametric"} == {False}
    assert all(r["groundedness"]["openai:m"]["claims"] for r in drawn)
    assert sum(r["usage"]["calls"] for r in records) == len(server.requests)
    manifest = json.loads((folder / "out" / "manifest.json").read_text("utf-8"))
    assert manifest["format"] == 1
    assert manifest["datasets"]["set"]["probed"] == []
    assert manifest["prompts"]["hypothesize"]["version"] == "1"
    assert "sk-not-to-be-shown" not in json.dumps(manifest)
    scores = json.loads((folder / "out" / "measures.json").read_text("utf-8"))
    ways = {(c["model"], c["select"]) for c in scores["cells"]}
    assert ways == {("rules", "greedy"), *(("openai:m", way) for way in ("greedy", "majority", "groundedness"))}
    # The model always gives the first label: a third of its relations is right. It calls all pairs related, and 2 of 3
    # are, so F1 is 2 * 2 / (2 * 2 + 1).
    cell = next(c for c in scores["cells"] if (c["model"], c["task"]) == ("openai:m", "average"))
    assert cell["measures"]["relation_accuracy_micro"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert cell["measures"]["link_f1_micro"]["value"] == pytest.approx(0.8)
    assert scores["missing"] == {"records": 0, "of": EVERY}


def test_a_model_is_shown_questions_without_their_gold(run_bench, folder, server):
    assert run_bench("--concurrency", 1).code == 0
    asked = [r["messages"][1]["content"] for r in server.requests if "rationale" in schema_of(r)["properties"]]
    cases = lines(folder / "set" / "cases.jsonl")
    shown = {question for question in (case["question"] for case in cases) if any(question in text for text in asked)}
    assert len(shown) == 9
    assert all(any(text.endswith(question) for question in shown) for text in asked), "nothing after the question"


def test_a_finished_run_is_read_and_nothing_is_asked(run_bench, folder, server):
    assert run_bench().code == 0
    before, held = len(server.requests), (folder / "out" / "records.jsonl").read_bytes()
    told = run_bench()
    assert (told.code, told.json["kept"], told.json["written"]) == (0, WHOLE, 0)
    assert len(server.requests) == before
    assert (folder / "out" / "records.jsonl").read_bytes() == held


@pytest.mark.parametrize("kills", [(14,), pytest.param((14, 24), marks=pytest.mark.slow)], ids=["once", "twice"])
def test_a_killed_run_ends_in_the_same_records(run_bench, folder, server, kills):
    assert run_bench(out="undisturbed").code == 0
    shutil.rmtree(folder / "home" / "cache")
    server.answering = lambda asked: Answer(small_set.answering(asked).body, delay=0.05)
    words = program(
        "bench", "run", small_set.suite(folder), "--out", folder / "out", "--home", folder / "home", "--json"
    )
    path = folder / "out" / "records.jsonl"
    for wanted in kills:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while not (path.exists() and path.read_bytes().count(b"\n") >= wanted):
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with path.open("ab") as stream:
            stream.write(b'{"dataset": "set", "inst')  # cut off in the middle of a record
    done = len(complete_lines(path))
    told = run_bench()
    assert told.code == 0, told.err
    assert told.json["kept"] == done
    assert kills[-1] <= done < WHOLE
    assert keyed(folder / "out") == keyed(folder / "undisturbed")
    assert len(lines(path)) == WHOLE, "one line a record"


def complete_lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)[:-1]


def test_a_budget_stops_and_a_higher_one_continues(run_bench, folder, server):
    told = run_bench("--budget-tokens", 20_000, "--concurrency", 1)
    assert told.code == 1
    assert "budget" in told.err
    assert 0 < told.json["left"] < WHOLE
    assert told.json["usage"]["prompt_tokens"] + told.json["usage"]["completion_tokens"] <= 20_000
    assert told.json["measures"] is None
    assert run_bench().json.items() >= {"left": 0, "kept": told.json["written"]}.items()


def test_unusable_replies_are_recorded_as_failures_and_not_as_answers(run_bench, folder, server):
    def answering(asked):
        if "potential relation between Disease" in asked["messages"][1]["content"]:
            return completion("I would say stimulate.")
        return small_set.answering(asked)

    server.answering = answering
    told = run_bench("--concurrency", 1)
    assert told.code == 1
    failed = [r for r in lines(folder / "out" / "records.jsonl") if r["failure"]]
    assert failed
    assert {(r["answer"], r["failure"]["kind"]) for r in failed} == {(None, "reply")}
    scores = json.loads((folder / "out" / "measures.json").read_text("utf-8"))
    cell = next(c for c in scores["cells"] if (c["model"], c["task"], c["select"]) == ("openai:m", "average", "greedy"))
    assert (cell["n"], cell["answered"], cell["failed"]) == (9, 6, 3)
    assert cell["measures"]["link_accuracy"]["n"] == 6
    assert any("failed, and no measure counts them" in warning for warning in scores["warnings"])
    assert run_bench().json["kept"] == WHOLE, "unusable words are not asked for again"


def test_a_model_that_is_gone_ends_the_run_and_keeps_what_was_done(run_bench, folder, server):
    server.answering = lambda asked: Answer('{"error": {"message": "bad key"}}', 401)
    told = run_bench("--concurrency", 1)
    assert told.code == 3
    assert {r["model"] for r in lines(folder / "out" / "records.jsonl")} == {"rules"}
    server.answering = small_set.answering
    assert run_bench().json.items() >= {"kept": 9, "left": 0, "failed": 0}.items()


def test_shipped_suites_are_read_and_their_baselines_answer_everything(run_bench, folder, command):
    assert run_bench(suite="floor").code == 2, "its set has no path"
    told = run_bench("--data", f"set={folder / 'set'}", suite="floor")
    assert told.code == 0, told.err
    assert told.json.items() >= {"records": 36 * 8, "answered": 36 * 8}.items()
    records = lines(folder / "out" / "records.jsonl")
    learned = [r for r in records if r["model"] == "baseline:degree_product"]
    assert all(abs(sum(r["candidates"].values()) - 1) < 1e-5 for r in learned)
    assert {read_suite(name, {"set": "x"}).name for name in shipped()} == {"floor", "paper", "small"}


def test_a_run_into_a_folder_of_a_shipped_suite_s_name_continues(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "floor").mkdir()
    assert read_suite("floor", {"set": "x"}).name == "floor"


RULES = 'models = ["rules"]'
#: Records of the rules: 9 instances in three settings.
OF_RULES = 9 * 3
#: Edits of a built set by hand.
EDITS = {
    "instances.tsv": lambda place: swap(place / "instances.tsv", "stimulate", "inhibit"),
    "cases.jsonl": lambda place: (place / "cases.jsonl").write_bytes((place / "cases.jsonl").read_bytes() + b"\n"),
}
BAD = {
    "unknown key": ({"head": 'models = ["rules"]\njugdes = []'}, "unknown key jugdes"),
    "unknown key, the nearest": ({"head": 'models = ["rules"]\njugdes = []'}, "jugdes (is it judges?)"),
    "unknown key near to none": ({"head": 'models = ["rules"]\nxyz = 1'}, "unknown key xyz\n"),
    "unknown key in place of a needed one": ({"head": 'modles = ["rules"]'}, "unknown key modles (is it models?)"),
    "unknown keys": (
        {"head": 'modles = ["rules"]\njugdes = []'},
        "unknown keys modles (is it models?), jugdes (is it judges?)",
    ),
    "no models at all": ({"head": 'judges = ["rules"]'}, "lacks models\n"),
    "unknown key within": ({"samples": "n = 2\nseeds = 1"}, "unknown key samples.seeds"),
    "unknown key, told what is known": ({"samples": "n = 2\nseeds = 1"}, "one of: n, seed, temperature"),
    "unknown key of a dataset": ({"datasets.set": 'path = "set"\nlimits = 9'}, "one of: path, before, limit, species"),
    "unknown model": ({"head": 'models = ["nobody"]'}, "there is no language model named 'nobody'"),
    "unknown baseline": ({"head": 'models = ["baseline:luck"]'}, "there is no baseline"),
    "unknown judge": ({"head": 'models = ["rules"]\njudges = ["nobody"]'}, "'nobody'"),
    "judge without a model": ({"head": 'models = ["rules"]\njudges = ["model"]'}, "without a language model"),
    "unknown setting": ({"head": 'models = ["rules"]\nsettings = ["graph"]'}, "settings.0 = 'graph'"),
    "rules that know nothing": ({"head": 'models = ["rules"]\nsettings = ["parametric"]'}, "parametric"),
    "twice": ({"head": 'models = ["rules", "rules"]'}, "Expected: each name once, but rules occurs twice"),
    "no model": ({"head": "models = []"}, "models"),
    "a key in the suite": (
        {"head": '[[models]]\nname = "openai:m"\nopenai_api_key = "sk-1"'},
        "setting 'openai_api_key'",
    ),
    "no such folder": ({"datasets.set": 'path = "nowhere"'}, "nowhere"),
    "empty classes": ({"datasets.set": 'path = "set"\nlimit = 8'}, "no instance of"),
    "no samples": ({"samples": "n = 0"}, "samples.n = 0"),
    "no TOML": ({"head": "models = "}, "is not TOML"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_one_error_before_anything_is_asked(run_bench, folder, server, kind):
    given, seen = BAD[kind]
    told = run_bench(suite=small_set.suite(folder, **given))
    assert told.code == 2, told.err
    assert seen in told.err
    assert server.requests == []
    assert not (folder / "out").exists()


@pytest.fixture
def rerun(run_bench, folder, command) -> Callable[[], list]:
    """Run the rules once. Each call returns what `run`, `rescore` and `report` then say about the folder of the run."""
    place = small_set.suite(folder, head=RULES)
    assert run_bench(suite=place).code == 0
    out = folder / "out"
    return lambda: [
        run_bench(suite=place),
        command("bench", "rescore", out),
        command("bench", "report", out, "--out", folder / "page.html"),
    ]


def test_a_folder_of_another_suite_is_refused(run_bench, rerun, folder):
    told = run_bench(suite=small_set.suite(folder, head=RULES, context="k = 5"))
    assert (told.code, "differs in: suite" in told.err) == (2, True)
    assert run_bench(suite=small_set.suite(folder, head=RULES, limits="concurrency = 2")).code == 0, "limits may change"


def test_a_folder_of_another_format_is_refused(rerun, folder):
    manifest = folder / "out" / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"format": 1', '"format": 99'), "utf-8")
    for told in rerun():
        assert (told.code, "format 99" in told.err) == (2, True), told.err


def test_gold_that_was_edited_is_refused(rerun, folder):
    table = folder / "set" / "instances.tsv"
    swap(table, "stimulate", "inhibit")
    for told in rerun():
        assert (told.code, "gold" in told.err and "of set" in told.err) == (2, True), told.err


def test_cases_that_do_not_match_the_gold_are_refused(rerun, folder):
    cases = folder / "set" / "cases.jsonl"
    cases.write_text(cases.read_text("utf-8").replace("Chemical|C3", "Chemical|C33"), "utf-8")
    for told in rerun():
        assert (told.code, "cases.jsonl and instances.tsv beside it differ" in told.err) == (2, True), told.err


@pytest.mark.parametrize(("name", "edit"), EDITS.items(), ids=EDITS)
def test_a_set_that_differs_from_its_card_is_refused(run_bench, folder, server, name, edit):
    """Before a first run, only the card records what was built."""
    card(folder / "set")
    built = FileEntry.of(folder / "set" / name).sha256
    edit(folder / "set")
    told = run_bench()
    assert told.code == 2, told.err
    for seen in (name, built, FileEntry.of(folder / "set" / name).sha256, "restore the file, or build the set again"):
        assert seen in told.err
    assert server.requests == []
    assert not (folder / "out").exists()


def test_a_card_that_was_added_after_a_run_is_compared_too(rerun, folder):
    card(folder / "set")
    assert [told.code for told in rerun()] == [0, 0, 0]
    swap(folder / "set" / "instances.tsv", "stimulate", "inhibit")
    for told in rerun():
        assert (told.code, "was changed since the set was built" in told.err) == (2, True), told.err


def test_a_missing_file_of_the_card_is_named(run_bench, folder):
    card(folder / "set")
    (folder / "set" / "cases.jsonl").unlink()
    told = run_bench()
    assert (told.code, "cases.jsonl" in told.err) == (2, True), told.err


@pytest.mark.parametrize("line", [b"{}\n", b"\0\0\0\n", b'{"dataset": "set", "inst\n'])
def test_a_damaged_record_is_named_by_its_line(rerun, folder, line):
    records = folder / "out" / "records.jsonl"
    held = records.read_bytes()
    records.write_bytes(held + line)
    seen = f"records.jsonl:{held.count(bytes([10])) + 1} is not a record"
    for told in rerun():
        assert (told.code, seen in told.err) == (2, True), told.err
    assert records.read_bytes() == held + line, "what a person must look at is left alone"


def test_a_last_record_that_was_cut_off_is_answered_again(rerun, folder):
    records = folder / "out" / "records.jsonl"
    held = records.read_bytes()
    records.write_bytes(held[:-20])
    again, rescored, reported = rerun()
    assert again.json.items() >= {"kept": OF_RULES - 1, "written": 1}.items()
    assert rescored.json["missing"]["records"] == 0
    assert reported.code == 0
    assert sorted(keys(records.read_bytes())) == sorted(keys(held))


def test_an_incomplete_run_is_measured_with_a_warning(rerun, folder, command):
    records = folder / "out" / "records.jsonl"
    records.write_bytes(records.read_bytes()[:-20])
    told = command("bench", "rescore", folder / "out")
    assert told.code == 0
    assert f"1 of {OF_RULES} answers are not recorded yet" in told.json["warnings"]


@pytest.mark.parametrize("label", ["stimulate", "no_relation"])
def test_a_set_without_a_label_is_refused(run_bench, folder, server, label):
    """`bench build` reports a task without enough unrelated pairs. The remaining set may have none of them."""
    lose(folder / "set", label)
    told = run_bench(suite=small_set.suite(folder, **{"datasets.set": 'path = "set"'}))
    assert told.code == 2
    assert f"no instance of {label}" in told.err
    assert "build the set from a release that has them" in told.err
    assert server.requests == []
    assert not (folder / "out").exists()


def keys(records: bytes) -> list[tuple[str, str]]:
    return [(each["instance"], each["setting"]) for each in map(json.loads, records.splitlines())]


def card(folder: Path) -> None:
    """Write the card that `bench build` leaves beside a set, with only the fields that a run reads."""
    held = {"seen_to": 36600000, "mode": "paper", "probe": [], "files": {}}
    for name in ("instances.tsv", "cases.jsonl"):
        held["files"][name.partition(".")[0]] = {"path": name, "sha256": FileEntry.of(folder / name).sha256}
    (folder / "card.json").write_text(json.dumps(held), "utf-8")


def swap(table: Path, first: str, second: str) -> None:
    """Exchange the labels of two instances. The counts stay the same."""
    rows = table.read_text("utf-8").splitlines()
    places = [next(i for i, row in enumerate(rows) if f"\t{label}\t" in row) for label in (first, second)]
    for place, old, new in zip(places, (first, second), (second, first), strict=True):
        rows[place] = rows[place].replace(f"\t{old}\t", f"\t{new}\t")
    table.write_text("\n".join(rows) + "\n", "utf-8")


def lose(folder: Path, label: str) -> None:
    """Remove the instances of a label from a set."""
    table, cases = folder / "instances.tsv", folder / "cases.jsonl"
    head, *rows = table.read_text("utf-8").splitlines(keepends=True)
    kept = [f"\t{label}\t" not in row for row in rows]
    table.write_text(head + "".join(row for row, keep in zip(rows, kept, strict=True) if keep), "utf-8")
    shown = cases.read_text("utf-8").splitlines(keepends=True)
    cases.write_text("".join(case for case, keep in zip(shown, kept, strict=True) if keep), "utf-8")


@pytest.fixture
def asked(server, language_model_address) -> Loopback:
    """The real model, behind a server that stores the questions."""

    server.answering = passing_on(language_model_address)
    return server


@pytest.mark.slow
def test_a_killed_and_resumed_run_asks_nothing_twice_and_is_reported(asked, folder, command):
    dataset.write(folder / "three", small_set.instances()[:3])  # of one task, one of each label
    suite, out, home = folder / "suite.toml", folder / "out", ("--home", folder / "home")
    suite.write_text(SUITE, "utf-8")
    killed_at(out / "records.jsonl", 3 + 1, program("bench", "run", suite, "--out", out, *home))
    told = command("bench", "run", suite, "--out", out, *home)
    assert told.code in {0, 1}, told.err  # exit code 1: no reply was a usable answer
    assert told.json.items() >= {"records": BY_SMALL_MODEL, "kept": 4, "written": 2, "left": 0}.items()
    records = [json.loads(line) for line in (out / "records.jsonl").read_text("utf-8").splitlines()]
    assert len({(each["instance"], each["model"]) for each in records}) == len(records) == BY_SMALL_MODEL
    said = [each for each in records if each["model"] == "openai:smollm2"]
    assert all((each["answer"] is None) == (each["failure"] is not None) for each in said)
    questions = [json.dumps(each, sort_keys=True) for each in asked.requests]
    assert len(questions) - len(set(questions)) <= 1, "only what was under way when it was killed"
    assert command("bench", "rescore", out).json["missing"] == {"records": 0, "of": BY_SMALL_MODEL}
    reported = command("bench", "report", out, "--out", folder / "page.html")
    assert reported.code == 0, reported.err
    assert any("too few to separate models" in warning for warning in reported.json["warnings"])
