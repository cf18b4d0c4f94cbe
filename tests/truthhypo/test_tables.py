"""`--out` as .csv and .parquet: one row per claim or sentence, which pandas can read; texts from .parquet files;
--column."""

import json
import re

import pandas as pd
import pytest
import typer

from groundwork import readable
from groundwork.errors import InputError, TooLarge
from truthhypo.faces.cli.options import end
from truthhypo.faces.many.batch import Batch
from truthhypo.faces.many.report import records_of, table_for
from truthhypo.faces.many.sources import Said, read_texts
from truthhypo.judging import Judging

TEXTS = [
    "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction.",
    "Hello there.",
    '=1+1, "quoted"\tMetformin treats type 2 diabetes mellitus.',
]


def read(path):
    """A table as pandas reads it. Lists in .csv are parsed, and the ' that protects a spreadsheet is removed."""
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
        listed = [name for name in frame if any(hasattr(cell, "tolist") for cell in frame[name])]
        return frame.assign(**{name: [None if c is None else c.tolist() for c in frame[name]] for name in listed})
    assert not re.search(r'(^|,)"?=', path.read_text(), re.MULTILINE)
    frame = pd.read_csv(path, dtype={"id": str}).replace({r"^'(?==)": ""}, regex=True)
    listed = [name for name in ("concepts", "names", "flags", "flags_text", "cited") if name in frame]
    return frame.assign(
        **{name: [json.loads(c) if isinstance(c, str) else None for c in frame[name]] for name in listed}
    )


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("kind", ["ground", "risk"])
def test_a_table_has_the_content_of_the_records(command, sample_home, tmp_path, kind, ending):
    source, out = tmp_path / "in.parquet", tmp_path / f"out{ending}"
    pd.DataFrame({"id": [7, 8, 9], "said": TEXTS}).to_parquet(source)
    ask = ("--home", sample_home, kind, "--file", source, "--column", "said", "--out", out)
    told = command(*ask)
    assert told.code == 0, told.err
    assert (told.json["out"], told.json["records"]) == (str(out), f"{out}.jsonl")
    records = [json.loads(line) for line in (tmp_path / f"out{ending}.jsonl").read_text().splitlines()]
    frame = read(out)
    parts = [
        (record, part) for record in records for part in record["claims" if kind == "ground" else "sentences"] or [{}]
    ]
    assert frame["number"].tolist() == [record["number"] for record, _ in parts]
    assert frame["id"].tolist() == [str(record["id"]) for record, _ in parts]
    assert frame["text"].tolist() == [record["text"] for record, _ in parts]
    assert frame["error"].isna().all()
    for row, (record, part) in zip(
        frame.astype(object).where(frame.notna(), None).to_dict("records"), parts, strict=True
    ):
        if not part:
            continue
        if kind == "ground":
            assert (row["claim"], row["concepts"], row["flags"]) == (part["text"], part["concepts"], part["flags"])
            assert row["names"] == [{m["key"]: m["name"] for m in part["mentions"]}[key] for key in row["concepts"]]
            assert row["verdict_both"] == part["verdicts"]["both"]
            assert row["groundedness_graph"] == record["groundedness"]["graph"]
            assert [row["start"], row["end"]] == part["span"]
        else:
            assert (row["object_key"], row["object_name"]) == (part["object"]["key"], part["object"]["name"])
            assert [row["hrs"], row["strength"], row["status"]] == [part["hrs"], part["strength"], part["status"]]
            assert row["support_noisy_or"] == part["support"]["noisy_or"]
            assert (row["negated"], row["hrs_text"]) == ((part["triple"] or {}).get("negated"), record["hrs"])
            assert (row["strength_text"], list(row["flags_text"])) == (record["strength"], record["flags"])
    held = out.read_bytes()
    out.unlink()
    assert command(*ask).json["kept"] == 3
    assert out.read_bytes() == held


def echo(text):
    claim = {"text": text, "sentence": text, "span": [0, len(text)], "concepts": [], "verdicts": {"both": "supported"}}
    return {"text": text, "claims": [claim | {"reason": "half \ud800", "flags": [], "cited": [], "mentions": []}]}


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_killed_at_any_byte_the_second_run_ends_in_the_same_table(tmp_path, ending):
    texts, out = [Said(1, "one", "a"), Said(2, "zwei ü"), Said(4, "four")], tmp_path / f"out{ending}"
    records, table = records_of(out), table_for(out, "ground")
    Batch(records, {}, table).run(texts, echo)
    content, held = records.read_bytes(), out.read_bytes()
    for cut in range(0, len(content) + 1, 7):
        records.write_bytes(content[:cut])
        if cut % 2:
            out.unlink()
        Batch(records, {}, table).run(texts, echo)
        assert (records.read_bytes(), out.read_bytes()) == (content, held)


def test_a_run_that_is_stopped_leaves_its_records_and_the_next_makes_the_table(tmp_path):
    out = tmp_path / "out.csv"

    def stopping(text):
        if text == "two":
            raise KeyboardInterrupt
        return echo(text)

    batch = Batch(records_of(out), {}, table_for(out, "ground"))
    with pytest.raises(KeyboardInterrupt):
        batch.run([Said(1, "one"), Said(2, "two")], stopping)
    assert not out.exists()
    assert batch.run([Said(1, "one"), Said(2, "two")], echo)["kept"] == 1
    assert read(out)["claim"].tolist() == ["one", "two"]


def test_a_table_that_no_run_made_is_not_overwritten(command, sample_home, tmp_path):
    source = tmp_path / "texts.csv"
    source.write_text("text\nSimvastatin lowers cholesterol.\n")
    told = command("--home", sample_home, "ground", "--file", source, "--out", source)
    assert (told.code, "texts.csv.jsonl does not" in told.err) == (2, True)
    assert source.read_text() == "text\nSimvastatin lowers cholesterol.\n"


@pytest.mark.parametrize("name", ["out", "out.tsv", "out.json", "out.jsonl.gz"])
def test_another_ending_is_refused_before_anything_is_read(command, sample_home, tmp_path, name):
    for kind in ("ground", "risk"):
        told = command("--home", sample_home, kind, "--file", tmp_path / "none.txt", "--out", tmp_path / name)
        assert (told.code, "a .jsonl, .csv or .parquet file" in told.err) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"failed": 1}, "1 text failed"),
        ({"failed": 2}, "2 texts failed"),
        ({"failed": 1, "item": "pair"}, "1 pair failed"),
        ({"unusable": 1}, "no usable reply to 1 text,"),
    ],
)
def test_a_count_at_the_end_agrees_with_its_noun(capsys, counts, said):
    with pytest.raises(typer.Exit):
        end({}, **counts)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ""])
def test_an_error_of_one_text_is_in_its_record_and_the_run_continues(
    command, sample_home, tmp_path, monkeypatch, ending
):
    ground, faulty = Judging.grounded, [True]

    def breaking(judging, text, *asked):
        if faulty and text == "Hello there.":
            raise RuntimeError("generator raised StopIteration")
        return ground(judging, text, *asked)

    monkeypatch.setattr(Judging, "grounded", breaking)
    source, out = tmp_path / "in.txt", tmp_path / f"out{ending}"
    source.write_text(f"Hello there.\n{TEXTS[0]}\nHello there.\n")
    ask = ("--home", sample_home, "ground", "--file", source, *(["--out", out] if ending else []))
    told = command(*ask)
    assert told.code == 1, told.err
    assert "2 texts failed" in told.err
    shown = told.json
    if ending:
        assert told.json.items() >= {"written": 1, "failed": 2, "left": 0}.items()
        shown = [json.loads(line) for line in records_of(out).read_text().splitlines()]
    assert [len(record.get("claims", ())) for record in shown] == [0, 2, 0]
    assert shown[0]["error"]["seen"] == "an internal error: RuntimeError: generator raised StopIteration"
    if ending == ".csv":
        assert read(out)["error"].tolist()[0] == shown[0]["error"]["seen"]
    faulty.clear()
    told = command(*ask)
    assert told.code == 0, told.err


def test_a_text_that_cannot_be_judged_has_a_record_with_its_error(command, sample_home, tmp_path, monkeypatch):
    monkeypatch.setattr(readable, "LONGEST", 60)
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text(f"Simvastatin lowers cholesterol and {'aspirin ' * 10} lowers glucose.\nHello there.\n")
    for kind in ("ground", "risk"):
        told = command("--home", sample_home, kind, "--file", source, "--out", out)
        assert told.json.items() >= {"written": 1, "failed": 1}.items()
        assert json.loads(out.read_text().splitlines()[0])["error"]["seen"].startswith("a text of ")
        out.unlink()


@pytest.mark.parametrize("error", [InputError("an option out of range"), KeyboardInterrupt()])
def test_an_error_that_affects_every_text_ends_the_run(tmp_path, error):
    def check(text):
        raise error

    with pytest.raises(type(error)):
        Batch(tmp_path / "out.jsonl", {}).run([Said(1, "one"), Said(2, "two")], check)
    assert (tmp_path / "out.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("frame", "column", "seen"),
    [
        ({"words": ["x"]}, None, "has the columns words"),
        ({"text": ["x"]}, "said", "has the columns text"),
        ({"text": [1]}, None, "row 1: the column 'text' holds int"),
        ({"text": ["x", "y"], "id": [1, 2.5]}, None, "row 1 has an id"),
        ({"text": [None, " "]}, None, "contains no text"),
    ],
)
def test_a_bad_parquet_file_is_reported(tmp_path, frame, column, seen):
    pd.DataFrame(frame).to_parquet(tmp_path / "in.parquet")
    with pytest.raises(InputError, match=seen):
        read_texts(tmp_path / "in.parquet", column)


@pytest.mark.parametrize("frame", [{"text": ["x" * 1000] * 100}, {"text": [""] * 60_000}])
@pytest.mark.parametrize("kind", ["string", "category"])
def test_a_small_parquet_file_with_large_texts_is_refused_where_the_size_is_limited(tmp_path, frame, kind):
    path = tmp_path / "in.parquet"
    pd.DataFrame({**frame, "other": "y" * 60_000}, dtype=kind).to_parquet(path)
    assert path.stat().st_size < 10_000
    with pytest.raises(TooLarge, match="more than 50,000 characters"):
        read_texts(path, most=50_000)
    pd.DataFrame({"text": ["x" * 1000] * 10, "other": "y" * 60_000}, dtype=kind).to_parquet(path)
    assert len(read_texts(path, most=50_000)) == 10


def test_a_file_that_is_not_parquet_or_has_no_columns_is_reported(tmp_path):
    (tmp_path / "in.parquet").write_text("text\nx\n")
    (tmp_path / "in.txt").write_text("x\n")
    with pytest.raises(InputError, match="is not Parquet"):
        read_texts(tmp_path / "in.parquet")
    with pytest.raises(InputError, match="column 'text'"):
        read_texts(tmp_path / "in.txt", "text")


def test_the_column_may_be_named_in_every_kind_of_file(tmp_path):
    frame = pd.DataFrame({"text": ["no", "no", "no"], "said": ["one", None, "three"], "id": ["a", None, "c"]})
    frame.to_parquet(tmp_path / "in.parquet")
    frame.to_csv(tmp_path / "in.csv", index=False)
    frame.fillna("").to_json(tmp_path / "in.jsonl", orient="records", lines=True)
    for ending in ("parquet", "csv", "jsonl"):
        for column in ("said", " SAID"):
            found = read_texts(tmp_path / f"in.{ending}", column)
            assert (found, found.empty) == ([Said(1, "one", "a"), Said(3, "three", "c")], 1)
