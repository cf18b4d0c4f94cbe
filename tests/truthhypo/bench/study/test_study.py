"""The open-ended study: pairs from a run, blind sheets, reading the choices, and the commands."""

import csv
import io
import json
from dataclasses import replace

import pytest

from groundwork.errors import InputError
from tests.truthhypo.bench.reported_runs import HOSTILE, MODEL, OTHER, run_of, set_of
from tests.truthhypo.bench.study.small_study import WHOLE, fill, sheet
from tests.truthhypo.bench.test_report import Page
from truthhypo.bench.study import sheets
from truthhypo.bench.study.ballots import AGREED
from truthhypo.bench.study.folder import design, read, write
from truthhypo.bench.study.hypothesis_pairs import find
from truthhypo.bench.study.study_results import score


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    place, instances = set_of(root / "set", each=4)
    return run_of(root / "run", place, instances, (MODEL, OTHER))


@pytest.fixture
def study(run, tmp_path):
    made = design(find(run, WHOLE), run, 2, seed=3)
    write(made, tmp_path / "study")
    return made, tmp_path / "study"


def test_pairs_are_the_best_and_the_worst_grounded_of_an_instance(run):
    found = find(run, WHOLE)

    # In these runs, wrong answers have a groundedness of 0.25, right answers 0.75. With kg+lit, every third answer of
    # the first model is wrong.
    assert found.instances == found.grounded == 35
    assert len(found.pairs) == 35
    for pair in found.pairs:
        assert (pair.high.groundedness, pair.low.groundedness) == (0.75, 0.25)
        assert pair.high.relation == pair.gold != pair.low.relation
        assert "\n" not in pair.high.text
    assert len({pair.instance for pair in found.pairs}) == 35
    assert find(run, replace(WHOLE, gap=50.0)).pairs == found.pairs  # 50 points are at least 50


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (replace(WHOLE, gap=51.0), "has a gap of 51 points"),
        (replace(WHOLE, gap=0.0), "--gap 0"),
        (replace(WHOLE, model=None), "2 models with judged answers"),
        (replace(WHOLE, setting="lit"), "--setting lit"),
        (replace(WHOLE, judge="nli:x"), "--judged-by nli:x"),
    ],
)
def test_a_study_that_a_run_cannot_give_is_refused(run, asked, told):
    with pytest.raises(InputError) as error:
        find(run, asked)
    assert told in str(error.value)
    assert error.value.remedy


def test_a_sheet_is_blind_and_safe_and_its_order_follows_from_the_seed(study, run):
    made, folder = study
    first, second = (sheet(folder, name) for name in made.annotators)

    assert list(first[0]) == list(sheets.COLUMNS)
    assert [row["pair"] for row in first] != [row["pair"] for row in second]
    assert {row["pair"] for row in first} == {row["pair"] for row in second} == {one.id for one in made.shown}
    for name, rows in zip(made.annotators, (first, second), strict=True):
        sides = [one.first[name] for one in made.shown]
        assert abs(sides.count("high") - sides.count("low")) == 1  # 35 pairs
        text = json.dumps(rows)
        assert not any(word in text for word in ("0.75", "0.25", "groundedness", "high", "low", "Gene|9", MODEL))
    assert any(a["hypothesis_1"] != b["hypothesis_1"] for a in first for b in second if a["pair"] == b["pair"])
    again, other = (design(find(run, WHOLE), run, 2, seed) for seed in (3, 4))
    assert again == made == read(folder)
    assert other != made
    raw = (folder / "sheets" / "annotator-1.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")


def test_formulas_and_control_characters_do_not_reach_a_spreadsheet():
    text = sheets.text([sheets.Row("p1", "=1+1", "+cmd|' /C calc'!A0\n\x07next", HOSTILE)])

    row = next(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert (row["question"], row["hypothesis_1"]) == ("'=1+1", "'+cmd|' /C calc'!A0 next")
    assert row["hypothesis_2"] == HOSTILE


def test_an_existing_study_is_kept_and_a_different_one_is_refused(study, run):
    made, folder = study
    fill(folder, "annotator-1", lambda row: "1")
    filled = (folder / "sheets" / "annotator-1.csv").read_bytes()

    write(made, folder)

    assert (folder / "sheets" / "annotator-1.csv").read_bytes() == filled
    with pytest.raises(InputError, match="another study"):
        write(design(find(run, WHOLE), run, 2, seed=4), folder)
    with pytest.raises(InputError, match="1 to 20"):
        design(find(run, WHOLE), run, 0, seed=0)


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_choices_come_back_whatever_the_spreadsheet_puts_between_cells(study, between):
    made, folder = study
    sides = {one.id: one.first["annotator-1"] for one in made.shown}
    fill(folder, "annotator-1", lambda row: " 1 " if sides[row["pair"]] == "high" else "2", between)

    (found,) = score(made, folder).annotators  # the other sheet is empty, and not counted

    assert (found.name, found.high, found.low, found.missing) == ("annotator-1", 35, 0, 0)
    assert found.first == sum(side == "high" for side in sides.values())
    assert (found.right, found.right_of) == (35, 35)


def test_faults_of_a_sheet_are_counted_and_named(study):
    made, folder = study
    path = folder / "sheets" / "annotator-1.csv"
    fill(folder, "annotator-1", lambda row: "maybe")
    with pytest.raises(InputError, match=r"35 rows with mistakes: line 2: choice 'maybe'.*and 30 more"):
        score(made, folder)

    fill(folder, "annotator-1", lambda row: "1")
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[1], "p-none,q,a,b,1,"]), "utf-8")
    with pytest.raises(InputError, match=r"2 rows with mistakes.*occurs twice.*unknown pair 'p-none'"):
        score(made, folder)

    path.write_text("\n".join(lines[:-3]), "utf-8")  # missing rows count as rows without a choice
    with pytest.raises(InputError, match="3 of 35 pairs have no choice"):
        score(made, folder)

    for text, told in (("a,b\n1,2\n", "columns pair and choice"), (None, "cannot be read")):
        path.write_text(text, "utf-8") if text else path.unlink()
        with pytest.raises(InputError, match=told):
            score(made, folder)


def test_a_study_without_a_filled_sheet_is_not_scored(study):
    made, folder = study
    with pytest.raises(InputError, match="no sheet"):
        score(made, folder)


def test_a_study_by_command_from_the_run_to_its_tests(run, tmp_path, command, monkeypatch):
    out = tmp_path / "study"
    asked = ("bench", "study", "pairs", run, "--out", out, "--answerer", MODEL, "--setting", "kg+lit", "--seed", 3)
    told = command(*asked)
    assert told.code == 0, told.err
    assert (told.json["pairs"], told.json["same_relation"], len(told.json["sheets"])) == (35, 0, 2)
    assert command("bench", "study", "score", out).code == 2
    key = {one["id"]: one for one in json.loads((out / "key.json").read_text("utf-8"))["shown"]}
    fill(out, "annotator-1", lambda row: "1" if key[row["pair"]]["first"]["annotator-1"] == "high" else "2")
    fill(out, "annotator-2", lambda row: "1")

    found = command("bench", "study", "score", out)
    assert found.code == 0, found.err
    assert json.loads((out / "study.json").read_text("utf-8")) == found.json
    by = {one["name"]: one for one in found.json["annotators"]}
    assert (by["annotator-1"]["high"], by["annotator-2"]["first"], by[AGREED]["low"]) == (35, 35, 0)
    assert by["annotator-2"]["high"] in {17, 18}

    page = tmp_path / "page.html"
    reported = command("bench", "report", out, "--out", page)
    assert reported.code == 0, reported.err
    assert reported.json["studies"] == ["study"]
    told = Page(page.read_text("utf-8"))
    assert (told.bad, told.open) == ([], [])
    for one in found.json["annotators"]:
        assert {one["share"], one["high"], one["missing"], one["sound"]["p"], one["paper"]["p"]} <= told.numbers
    for pair in found.json["agreement"]:
        assert {pair["share"], pair["kappa"]} - {None} <= told.numbers
    assert str(tmp_path) not in page.with_suffix(".json").read_text("utf-8")
    (out / "study.json").unlink()
    again = command("bench", "report", out, "--out", page)
    assert (again.code, "bench study score" in again.json["error"]["remedy"]) == (2, True)
