"""Suites, run folders, records and sets that cannot be used are refused with one clear message before any model is
asked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwork.manifest import FileEntry
from tests.truthhypo.bench import small_set

RULES = 'models = ["rules"]'
#: Records of the rules: 9 instances in three settings.
WHOLE = 9 * 3


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
    assert again.json.items() >= {"kept": WHOLE - 1, "written": 1}.items()
    assert rescored.json["missing"]["records"] == 0
    assert reported.code == 0
    assert sorted(keys(records.read_bytes())) == sorted(keys(held))


def test_an_incomplete_run_is_measured_with_a_warning(rerun, folder, command):
    records = folder / "out" / "records.jsonl"
    records.write_bytes(records.read_bytes()[:-20])
    told = command("bench", "rescore", folder / "out")
    assert told.code == 0
    assert f"1 of {WHOLE} answers are not recorded yet" in told.json["warnings"]


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
