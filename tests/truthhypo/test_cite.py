"""Citations from the command line, from Python for many rows, and as a condition of a pipeline."""

import json

import pandas as pd
import pytest

from groundwork.errors import InputError
from groundwork.settings import Settings
from truthhypo.connection import connect
from truthhypo.lookups import cited_pmids
from truthhypo.world import World

TRIAL = 990000005
PREVENTS, CAUSES = "Aspirin prevents myocardial infarction.", "Aspirin causes myocardial infarction."


@pytest.mark.parametrize(
    ("given", "pmids"),
    [
        ([5, "6", "PMID: 7", "pmid 8", "9.2", " 5 "], (5, 6, 7, 8, 9)),
        ([], ()),
        *(([wrong], None) for wrong in ("abc", 0, -1, "PMC12", "1e5", True, "", "12 13", 1.5, None)),
    ],
)
def test_pmids_are_read_in_their_usual_forms(given, pmids):
    if pmids is not None:
        assert cited_pmids(given) == pmids
        return
    with pytest.raises(InputError, match="PMID"):
        cited_pmids(given)


@pytest.mark.parametrize(
    ("argv", "code", "verdicts"),
    [
        ((PREVENTS, "--pmid", TRIAL), 0, ["supported"]),
        ((CAUSES, "--pmid", TRIAL, "--pmid", 4), 0, ["contradicted", "not_loaded"]),
        ((CAUSES, "--pmid", TRIAL, "--fail-on", "contradicted"), 1, ["contradicted"]),
        ((PREVENTS, "--pmid", TRIAL, "--fail-on", "unsupported"), 0, ["supported"]),
        ((PREVENTS, "--pmid", 4, "--fail-on", "contradicted"), 0, ["not_loaded"]),
        ((PREVENTS, "--pmid", 4, "--fail-on", "unsupported"), 1, ["not_loaded"]),
        (("Aspirin was studied with myocardial infarction.", "--pmid", TRIAL), 1, ["not_stated"]),
    ],
)
def test_the_command_says_whether_articles_state_a_claim(command, sample_home, argv, code, verdicts):
    found = command("--home", sample_home, "cite", *argv)
    assert found.code == code, found.err
    assert [cited["verdict"] for cited in found.json["citations"]] == verdicts


@pytest.mark.parametrize(
    ("argv", "seen"),
    [
        ((), "neither CLAIM nor --file nor --manuscript"),
        ((PREVENTS,), "neither PMIDs nor a text"),
        ((PREVENTS, "--pmid", "x"), "the PMID 'x'"),
        ((PREVENTS, "--file", "rows.csv"), "CLAIM and --file"),
        ((PREVENTS, "--pmid", TRIAL, "--out", "x.csv"), "--out with a claim"),
        ((PREVENTS, "--pmid", TRIAL, "--bib", "x.bib"), "--bib together with CLAIM"),
        (("--file", "rows.csv", "--pmid", TRIAL), "--pmid together with --file"),
        ((PREVENTS, "--evidence", "none.txt"), "none.txt cannot be read"),
        ((PREVENTS, "--pmid", TRIAL, "--fail-on", "x"), "--fail-on 'x'"),
        (("--manuscript", "x.md", "--out", "x.csv"), "ends in '.csv'"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(command, sample_home, argv, seen):
    found = command("--home", sample_home, "cite", *argv)
    assert (found.code, found.json["error"]["seen"].count(seen)) == (2, 1), found.json


def test_a_file_of_evidence_is_judged(command, sample_home, tmp_path):
    (tmp_path / "part.txt").write_text("Aspirin reduced the rate of myocardial infarction.")
    found = command("--home", sample_home, "cite", PREVENTS, "--evidence", tmp_path / "part.txt")
    assert [(cited["pmid"], cited["verdict"]) for cited in found.json["citations"]] == [(None, "supported")]


ROWS = [
    {"claim": PREVENTS, "pmid": str(TRIAL)},
    {"claim": "", "pmid": "5"},
    {"claim": CAUSES, "pmid": f"{TRIAL}; PMID: 4"},
    {"claim": PREVENTS, "pmid": "PMC5"},
    {"claim": PREVENTS, "pmid": ""},
]
#: Verdicts of each row, or a part of its error.
TOLD = [["supported"], "empty", ["contradicted", "not_loaded"], "the PMID 'PMC5'", "without a PMID"]


def told(record):
    return (record.get("error") or {}).get("seen") or [cited["verdict"] for cited in record["citations"]]


def written(folder, ending):
    path = folder / f"rows{ending}"
    match ending:
        case ".csv":
            pd.DataFrame(ROWS).to_csv(path, index=False)
        case ".parquet":
            pd.DataFrame(ROWS).to_parquet(path)
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_broken_row_has_its_error_and_the_others_are_judged(command, sample_home, tmp_path, ending):
    out = tmp_path / "out.jsonl"
    found = command("--home", sample_home, "cite", "--file", written(tmp_path, ending), "--out", out)
    assert found.code == 1, found.err
    assert (found.json["texts"], found.json["written"], found.json["failed"]) == (5, 2, 3)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["number"] for record in records] == [1, 2, 3, 4, 5]
    for record, expected in zip(records, TOLD, strict=True):
        assert told(record) == expected if isinstance(expected, list) else expected in told(record)
    again = command("--home", sample_home, "cite", "--file", written(tmp_path, ending), "--out", out)
    assert (again.json["written"], again.json["kept"]) == (0, 2)


def test_rows_are_written_as_a_table_with_a_row_per_citation(command, sample_home, tmp_path):
    argv = ("cite", "--file", written(tmp_path, ".csv"), "--out", tmp_path / "out.csv", "--fail-on", "contradicted")
    found = command("--home", sample_home, *argv)
    assert "1 of 5 rows met --fail-on contradicted" in found.err
    table = pd.read_csv(tmp_path / "out.csv")
    assert table["verdict"].fillna("").tolist() == ["supported", "", "contradicted", "not_loaded", "", ""]
    assert table["pmid"].dropna().tolist() == [TRIAL, TRIAL, 4]


def test_a_line_that_is_no_json_or_has_no_pmid_is_the_error_of_its_row(sample_home, tmp_path):
    path = tmp_path / "rows.jsonl"
    lines = [f'{{"claim": "{PREVENTS}", "cited": {cited}}}' for cited in (f'[{TRIAL}, "4"]', "4.5")]
    path.write_text("\n".join((*lines, '{"claim"', "[1]", "")))
    with connect(home=sample_home) as world:
        many = world.cite_many(path, "cited", progress=False)
    frame = many.to_frame()
    assert frame["pmids"].map(list).tolist()[0] == [TRIAL, 4]
    assert frame["error"].notna().tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    "rows",
    [
        [(PREVENTS, TRIAL), (CAUSES, [TRIAL, 4])],
        pd.DataFrame({"statement": [PREVENTS, CAUSES], "PMID": [float(TRIAL), f"{TRIAL},4"]}, index=["a", "b"]),
    ],
    ids=["list", "frame"],
)
def test_rows_of_python_are_judged(sample_home, rows):
    with connect(home=sample_home) as world:
        many = world.cite_many(rows, progress=False)
    assert many.to_frame()["verdict"].fillna("").tolist() == ["supported", ""]
    assert many.claims()["verdict"].tolist() == ["supported", "contradicted", "not_loaded"]
    assert many.to_frame().index.tolist() == (["a", "b"] if isinstance(rows, pd.DataFrame) else [0, 1])


def test_a_table_without_the_columns_is_refused(sample_home, tmp_path):
    (tmp_path / "rows.csv").write_text("claim,source\na,1\n")
    with connect(home=sample_home) as world, pytest.raises(InputError, match="a column named pmid or pmids"):
        world.cite_many(tmp_path / "rows.csv", progress=False)


@pytest.mark.parametrize(("condition", "code"), [("contradicted", 1), ("unsupported", 1), (None, 0)])
def test_ground_ends_with_1_if_a_claim_meets_the_condition(command, sample_home, tmp_path, condition, code):
    asked = () if condition is None else ("--fail-on", condition)
    assert command("--home", sample_home, "ground", CAUSES, *asked).code == code
    (tmp_path / "texts.txt").write_text(f"{PREVENTS}\n{CAUSES}\n")
    for out in ((), ("--out", tmp_path / f"{condition}.jsonl")):
        assert command("--home", sample_home, "ground", "--file", tmp_path / "texts.txt", *out, *asked).code == code


def test_citations_of_memory_and_embedded_stores_are_equal(sample_home):
    from truthhypo.faces.demo import load_sample

    settings = Settings(home=sample_home.parent / "unused", graph="memory:", literature="memory:")
    with World(settings, read_only=False, loading=True) as memory, connect(home=sample_home) as embedded:
        load_sample(memory)
        for claim in (PREVENTS, CAUSES):
            one, other = (world.cite(claim, [TRIAL, 4]).citations for world in (memory, embedded))
            assert [(c.verdict, c.sentence, c.place) for c in one] == [(c.verdict, c.sentence, c.place) for c in other]
