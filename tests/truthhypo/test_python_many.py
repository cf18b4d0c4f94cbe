"""Many texts and pairs from Python: what goes in, the table that comes out, interruption and resumption."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import truthhypo
from groundwork.errors import InputError
from truthhypo.judging import Judging

GOOD, BAD = "Simvastatin lowers cholesterol.", "Aspirin causes myocardial infarction."
TEXTS = [GOOD, None, "", float("nan"), 5, pd.NA, f"{GOOD} {BAD}", "half \ud800"]
LABELS = list("abcdefgh")


@pytest.fixture
def world(sample_home):
    with truthhypo.connect(home=sample_home) as world:
        yield world


@pytest.fixture(autouse=True)
def no_kept_runs(sample_home):
    yield
    for left in (sample_home / "cache" / "runs").glob("*"):
        left.unlink()


def errors(frame):
    return frame["error"].fillna("").tolist()


WANTED = ["", "a missing text", "an empty text", "a missing text", "a value of type int", "a missing text", "", ""]


@pytest.mark.parametrize(
    ("given", "column", "labels"),
    [
        (TEXTS, None, list(range(8))),
        (iter(TEXTS), None, list(range(8))),
        (np.array(TEXTS, dtype=object), None, list(range(8))),
        (pd.Series(TEXTS, index=LABELS, dtype=object), None, LABELS),
        (pd.DataFrame({"text": pd.Series(TEXTS, dtype=object)}).set_index([LABELS]), None, LABELS),
        *(
            (pd.DataFrame(zip(range(8), TEXTS, strict=True), columns=labels, dtype=object), labels[1], list(range(8)))
            for labels in (["n", "said"], [1, 0], [("a", "n"), ("a", "said")], [None, pd.Timestamp("2026-01-01")])
        ),
    ],
)
def test_every_row_of_the_input_has_rows_under_its_index(world, given, column, labels):
    many = world.ground_many(given, column, False)
    frame = many.claims()
    assert frame.index.tolist() == [*labels[:7], *labels[6:]]
    told = errors(frame)
    assert told[-1].startswith("a text that contains bytes that are not UTF-8")
    assert told[:-1] == WANTED
    assert frame["verdict_both"].fillna("").tolist() == ["supported", *[""] * 5, "supported", "contradicted", ""]
    texts = many.to_frame()
    assert texts.index.tolist() == labels
    assert (texts["text"].tolist()[0], errors(texts)) == (GOOD, [*WANTED[:7], told[-1]])
    assert texts["claims"].tolist() == [1, 0, 0, 0, 0, 0, 2, 0]
    assert texts["verdict_both"].fillna("").tolist() == ["supported", *[""] * 7]
    assert texts[["supported", "contradicted"]].loc[labels[6]].tolist() == [1, 1]
    assert texts["groundedness_both"].fillna(-1).tolist() == [1, *[-1] * 5, 0.5, -1]


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_missing_text_of_a_file_is_a_row_with_its_error(world, tmp_path, ending):
    given = tmp_path / f"in{ending}"
    if ending == ".jsonl":
        given.write_text(f'{{"text": "{GOOD}"}}\n{{"text": NaN, "id": NaN}}\n{{"text": "{BAD}", "id": NaN}}\n')
    else:
        pd.DataFrame({"text": [float("nan")] * 2}).to_parquet(given)
        with pytest.raises(InputError, match="contains no text"):
            world.ground_many(given, progress=False)
        pd.DataFrame({"text": [GOOD, float("nan"), BAD], "id": [float("nan")] * 3}).to_parquet(given)
    frame = world.ground_many(given, progress=False).to_frame()
    assert (frame.index.tolist(), errors(frame)) == ([0, 1, 2], ["", "an empty text", ""])
    given.with_suffix(".jsonl").write_text('{"head": "simvastatin", "tail": NaN}\n')
    assert errors(world.hypothesize_many(given.with_suffix(".jsonl"), progress=False).to_frame()) == ["a missing text"]


def test_means_by_group_weigh_each_text_once(world):
    answers = pd.DataFrame({"model": ["a", "a", "b"], "text": [f"{GOOD} {BAD} {BAD}", GOOD, BAD]})
    frame = world.ground_many(answers, progress=False).to_frame()
    means = answers.join(frame["groundedness_both"]).groupby("model")["groundedness_both"].mean()
    assert means.to_dict() == {"a": pytest.approx((frame["groundedness_both"][0] + 1) / 2), "b": 0.0}
    risks = world.risk_many(answers, progress=False)
    table = risks.to_frame()
    assert table.columns.tolist() == ["text", "claims", "measured", "hrs", "strength", "flags", "error"]
    assert table["claims"].tolist() == risks.claims().groupby(level=0).size().tolist()
    assert table["hrs"].tolist() == pytest.approx([record["hrs"] for record in risks.records()])


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".txt"])
def test_a_file_is_judged_as_the_command_judges_it(command, world, sample_home, tmp_path, ending):
    source, out, other = tmp_path / f"in{ending}", tmp_path / "out.jsonl", tmp_path / "other.jsonl"
    frame = pd.DataFrame({"claim": [GOOD, "", BAD], "id": ["x", "y", "z"]})
    match ending:
        case ".csv":
            frame.to_csv(source, index=False)
        case ".jsonl":
            frame.to_json(source, orient="records", lines=True)
        case ".parquet":
            frame.to_parquet(source)
        case _:
            source.write_text(f"{GOOD}\n\n{BAD}\n")
    many = world.ground_many(source, progress=False, out=out)
    assert command("--home", sample_home, "ground", "--file", source, "--out", other).code == 0
    assert out.read_bytes() == other.read_bytes()
    assert command("--home", sample_home, "ground", "--file", source, "--out", out).json["kept"] == 2
    frame = many.to_frame()
    blank = [] if ending == ".txt" else [1]
    assert frame.index.tolist() == [0, *blank, 2]
    assert errors(frame) == ["", *["an empty text"] * len(blank), ""]
    assert ("id" in frame) == (ending != ".txt")
    assert str(source) and world.ground_many(str(source), progress=False).to_frame().equals(frame)


def test_risks_of_a_file_resume_the_run_of_the_command(command, world, sample_home, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.csv"
    source.write_text(f"{GOOD}\n{BAD}\n")
    assert command("--home", sample_home, "risk", "--file", source, "--out", out).json["written"] == 2
    many = world.risk_many(source, progress=False, out=out)
    assert (many.summary["kept"], many.summary["written"]) == (2, 0)
    assert many.claims()["hrs"].round(3).tolist() == pd.read_csv(out)["hrs"].round(3).tolist()


class Breaking:
    """`Judging.grounded` that is interrupted at the n-th text, and counts the texts."""

    def __init__(self, at):
        self.at, self.texts, self.ground = at, [], Judging.grounded

    def __call__(self, judging, text, *asked):
        self.texts.append(text)
        if len(self.texts) == self.at:
            raise KeyboardInterrupt
        return self.ground(judging, text, *asked)


@pytest.mark.parametrize("out", [None, "out.jsonl", "out.csv"])
def test_an_interrupted_run_continues_where_it_stopped(world, sample_home, tmp_path, monkeypatch, out):
    texts = [GOOD, BAD, None, "Metformin treats type 2 diabetes mellitus."]
    out = out and tmp_path / out
    whole = world.ground_many(texts, progress=False).to_frame()
    breaking = Breaking(at=2)
    monkeypatch.setattr(Judging, "grounded", lambda *args: breaking(*args))
    with pytest.raises(KeyboardInterrupt) as stopped:
        world.ground_many(texts, progress=False, out=out)
    assert "the same call continues the run" in stopped.value.__notes__[0]
    many = world.ground_many(texts, progress=False, out=out)
    assert breaking.texts == [GOOD, BAD, BAD, texts[3]]
    assert (many.summary["kept"], many.summary["written"]) == (1, 2)
    assert many.to_frame().equals(whole)
    assert list((sample_home / "cache" / "runs").iterdir()) == []


def test_an_error_of_one_text_is_in_its_row_and_the_same_call_judges_it_again(world, monkeypatch):
    ground, faulty = Judging.grounded, [True]

    def breaking(self, text, *asked):
        if faulty and text == BAD:
            raise RuntimeError("boom")
        return ground(self, text, *asked)

    monkeypatch.setattr(Judging, "grounded", breaking)
    many = world.ground_many([GOOD, BAD], progress=False)
    assert errors(many.to_frame()) == ["", "an internal error: RuntimeError: boom"]
    faulty.clear()
    many = world.ground_many([GOOD, BAD], progress=False)
    assert (many.summary["kept"], errors(many.to_frame())) == (1, ["", ""])


@pytest.mark.parametrize("kind", ["list", "frame", ".csv", ".jsonl", ".parquet"])
def test_pairs_have_a_row_each_and_unknown_ones_their_error(world, tmp_path, kind):
    pairs = [("simvastatin", "HMGCR"), ("nothing", "HMGCR"), ("Chemical|MESH:D019821", "3156"), ("HMGCR", "HMGCR")]
    pairs += [("simvastatin", None), ("HFE", "hemochromatosis"), ("aspirin", "myocardial infarction")]
    frame = pd.DataFrame(pairs, columns=["head", "tail"])
    given = {"list": pairs, "frame": frame}.get(kind, tmp_path / f"in{kind}")
    match kind:
        case ".csv":
            frame.to_csv(given)
        case ".jsonl":
            frame.to_json(given, orient="records", lines=True)
        case ".parquet":
            frame.to_parquet(given)
    many = world.hypothesize_many(given, progress=False, out=tmp_path / "out.parquet")
    told = many.to_frame()
    assert told["relation"].fillna("").tolist() == ["negative_correlate", "", "negative_correlate", "", "", "", "treat"]
    assert told["head_name"].fillna("").tolist() == [
        "Simvastatin",
        "",
        "Simvastatin",
        "",
        "",
        "hemochromatosis",
        "aspirin",
    ]
    assert told["rationale"][5].startswith("No sign prevails. ") and errors(told)[5] in {"", None}
    assert told["head"].tolist()[1] == "nothing"
    assert errors(told)[1].startswith("the graph has no concept 'nothing'")
    assert "a pair that belongs to no task" in errors(told)[3]
    assert errors(told)[4] in {"a missing text", "an empty text"}
    kept = pd.read_parquet(tmp_path / "out.parquet")
    assert (errors(kept), kept["head"].tolist()) == (errors(told), told["head"].tolist())
    assert "7 pairs: 3 with an error" in repr(many) and "undecided      " in repr(many)


@pytest.mark.parametrize(("ending", "header", "sign"), [(".jsonl", "head,tail", ","), (".csv", "Head; TAIL", ";")])
def test_the_command_proposes_the_pairs_of_a_file_and_python_resumes_its_run(
    command, world, sample_home, tmp_path, ending, header, sign
):
    source, out = tmp_path / "pairs.csv", tmp_path / f"out{ending}"
    source.write_text(f"{header}\nsimvastatin{sign}HMGCR\nnothing{sign}HMGCR\nsimvastatin\n")
    hypothesize = "--home", sample_home, "hypothesize", "--file", source
    told = command(*hypothesize, "--out", out)
    assert (told.code, told.json["written"], told.json["failed"]) == (1, 1, 2)
    assert "2 pairs failed" in told.err
    again = world.hypothesize_many(source, progress=False, out=out)
    assert (again.summary["kept"], again.summary["failed"]) == (1, 2)
    records = command(*hypothesize).json
    assert [record["number"] for record in records] == [1, 2, 3]
    assert records == list(again.records())


@pytest.mark.parametrize(
    ("argv", "seen"),
    [
        (["simvastatin"], "1 concept without --file"),
        (["simvastatin", "--file", "pairs.csv"], "1 concept and --file"),
        (["simvastatin", "HMGCR", "--out", "out.csv"], "--out without --file"),
        (["--file", "none.csv"], "none.csv cannot be read"),
        (["--file", "pairs.txt"], "pairs.txt ends in '.txt'"),
        (["--file", "empty.csv"], "empty.csv contains no pair"),
        (["--file", "cut.csv"], "cut.csv is not CSV"),
    ],
)
def test_wrong_arguments_of_the_command_for_pairs_are_refused(command, sample_home, tmp_path, monkeypatch, argv, seen):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").write_text("head,tail\n")
    (tmp_path / "cut.csv").write_text('head,tail\n"simvastatin,HMGCR\n')
    told = command("--home", sample_home, "hypothesize", *argv)
    assert told.code == 2
    assert seen in told.json["error"]["seen"]


@pytest.mark.parametrize(
    ("ask", "seen"),
    [
        (lambda world: world.ground_many(GOOD), "one text or an unknown kind of file"),
        (lambda world: world.ground_many("none.csv"), "cannot be read"),
        (lambda world: world.ground_many({"a": GOOD}), "of type dict"),
        (lambda world: world.ground_many(7), "of type int"),
        (lambda world: world.ground_many([GOOD], "said"), "texts without columns"),
        (lambda world: world.ground_many(pd.DataFrame({"said": [GOOD]})), "the columns said"),
        (lambda world: world.ground_many(pd.DataFrame({"said": [GOOD]}), "sad"), "the columns said"),
        (lambda world: world.ground_many(pd.DataFrame([[GOOD]]), 1), "the columns 0"),
        (lambda world: world.risk_many(pd.DataFrame([[GOOD]]), ["text"]), "the columns 0"),
        (lambda world: world.risk_many(pd.DataFrame({("a", "b"): [1], ("a", "c"): [2]}), "a"), "several columns named"),
        (lambda world: world.ground_many("none.csv", 0), "column = 0 of a file"),
        (lambda world: world.hypothesize_many(pd.DataFrame([["a", "b"]])), "without the column head; it has 0, 1"),
        (lambda world: world.ground_many([GOOD], progress=dict), "progress = "),
        (lambda world: world.ground_many([GOOD], out="out.txt"), "the output file out.txt"),
        (lambda world: world.ground_many([GOOD], out=5), "out = 5"),
        (lambda world: world.ground_many([GOOD], k="8"), "k = '8'"),
        (lambda world: world.risk_many([GOOD], hops=9), "hops = 9"),
        (lambda world: world.hypothesize_many([("a", "b", "c")]), "the pair"),
        (lambda world: world.ground_many(pd.DataFrame([["a", "b"]], columns=["text", "text"])), "several columns"),
        (lambda world: world.hypothesize_many(pd.DataFrame({"head": ["a"]})), "without the column tail"),
        (
            lambda world: world.hypothesize_many(pd.DataFrame([["a"] * 3], columns=["head", "tail", "tail"])),
            "several columns",
        ),
    ],
)
def test_what_cannot_be_judged_is_reported_in_words_of_python(world, ask, seen):
    with pytest.raises(InputError) as refused:
        ask(world)
    assert seen in refused.value.seen
    assert "--" not in str(refused.value)


@pytest.mark.parametrize(
    ("judged", "shown"),
    [
        (
            lambda world: world.ground_many([GOOD, GOOD, BAD, f"{GOOD} {BAD}", None], progress=False),
            {"supported": "✔ 2", "contradicted": "✖ 1", "mixed": "○ 1", "error": "△ 1"},
        ),
        (
            lambda world: world.risk_many([GOOD, BAD, BAD, "Kibrelone treats marvose."], progress=False),
            {"HRS of 0.5 or more": "✖ 2", "HRS below 0.5": "✔ 1", "no risk": "△ 1"},
        ),
        (
            lambda world: world.hypothesize_many([("simvastatin", "HMGCR"), ("nothing", "HMGCR")], progress=False),
            {"negative_correlate": "→ 1", "error": "△ 1"},
        ),
    ],
)
def test_a_plot_counts_the_results(world, judged, shown):
    drawn = judged(world).plot().to_dict()
    (bars,) = drawn["datasets"].values()
    assert {bar["label"]: bar["told"] for bar in bars} == shown


def test_progress_goes_to_the_object_that_is_given(world):
    told = []

    class Receiver:
        def begin(self, stage, total, unit):
            told.append((stage, total, unit))

        def advance(self, amount):
            told.append(amount)

        def note(self, text):
            told.append(text)

    world.risk_many([GOOD, None, BAD], progress=Receiver())
    assert told == [("judging", 2, "texts"), 1, 1]


def test_a_report_has_its_records_and_shows_them(world, tmp_path):
    many = world.ground_many([None, GOOD, "<b>Aspirin</b> causes myocardial infarction."], progress=False)
    records = many.to_dict()["records"]
    assert [record["number"] for record in records] == [1, 2, 3]
    assert records[1]["claims"][0]["evidence"]["literature"]
    json.dumps(many.to_dict(), allow_nan=False)
    page = many._repr_html_()
    assert page.count("data-verdict=") == 3
    assert "&lt;b&gt;Aspirin" in page
    large = world.risk_many([GOOD] * 300, progress=False, out=Path(tmp_path / "out.jsonl"))
    assert len(repr(large)) <= 2000
    assert "more" in repr(large)
    assert "HRS 0.01, strength 0.84" in repr(large)
    assert len(large) == 300
