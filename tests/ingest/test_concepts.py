"""Reader of entity rows: ids that join several, variants that must not be split, mentions of every kind, and the sums.

While counts are summed in memory, no count is lost, and memory stays within its limit.
"""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.ports import Silent
from groundwork.records import split_key
from ingest import concepts, release
from ingest.concepts import NAMES
from ingest.rejects import Reason, Rejects, RowCount
from ingest.release import SourceFile

_rows = st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y", "-"]), st.integers(0, 3))


def read(path, folder):
    """Counts by (key, name), rows kept, and (line, reason) rejected."""
    rows, counts = RowCount(), Counter()
    with Rejects(folder / "rejects.tsv") as rejects:
        for batch in concepts.read([SourceFile(path)], rejects, rows, Silent()):
            for row in batch.to_pylist():
                counts[row["key"], row["name"]] += row["count"]
    lines = rejects.file.read_text("utf-8").splitlines() if rejects.file else []
    return dict(counts), rows.kept, [(int(line.split("\t")[1]), line.split("\t")[2]) for line in lines]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("100\tGene\t7157\tp53|TP53\tPubTator3|gene2pubmed", {"Gene|7157": {"p53": 1, "TP53": 1}}),
        ("100\tGene\t6900;1491938\tTax\tPubTator3", {"Gene|6900": {"Tax": 1}, "Gene|1491938": {"Tax": 1}}),
        (
            '200\tGene\t7099\tToll"-like receptor (4|TLR(4\tPubTator3',
            {"Gene|7099": {'Toll"-like receptor (4': 1, "TLR(4": 1}},
        ),
        (
            "100\tMutation\ttmVar:c|SUB|A|2063|G;HGVS:c.2063A&gt;G;VariantGroup:0\tA2063G\tPubTator3",
            {"Mutation|tmVar:c|SUB|A|2063|G;HGVS:c.2063A>G;VariantGroup:0": {"A2063G": 1}},
        ),
        ("200\tMutation\trs121434568\t\tClinVar|dbSNP", {"Mutation|rs121434568": {}}),
        ("1\tChemical\tMESH:D1\t-\tPubTator3", {"Chemical|MESH:D1": {"-": 1}}),
        ("1\tChemical\tMESH:D1\tNA|null|nan\t", {"Chemical|MESH:D1": {"NA": 1, "null": 1, "nan": 1}}),
        ("1\tGene\t7;-;7;\ta||b| \tx\r", {"Gene|7": {"a": 1, "b": 1}}),
        ("1\tGene\ta&amp;b&gtc\tx\tx", {"Gene|a&b>c": {"x": 1}}),
        ("1\tGene\ta&gtb\tx\tx", {"Gene|a>b": {"x": 1}}),
        ("1\tCellLine\tCVCL:B288\tMC38\tx", {"CellLine|CVCL:B288": {"MC38": 1}}),
    ],
)
def test_a_row_names_each_of_its_ids(tmp_path, row, named):
    (tmp_path / "f").write_text(row + "\n", "utf-8", newline="")
    counts, kept, rejected = read(tmp_path / "f", tmp_path)
    assert (kept, rejected) == (1, [])
    wanted = {(key, name): n for key, names in named.items() for name, n in {"": 0, **names}.items()}
    assert counts == wanted


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"1\tGene\t7\tp53", Reason.WRONG_COLUMN_COUNT),
        (b"1\tGene\t7\tp53\tx\ty", Reason.WRONG_COLUMN_COUNT),
        (b"x\tGene\t7\tp53\tx", Reason.BAD_PMID),
        (b"1\tStrain\t7\tp53\tx", Reason.UNKNOWN_TYPE),
        (b"100\tChemical\t-\tBE9|GCAL-9 bioactive extract\tPubTator3", Reason.EMPTY_ID),
        (b"1\tGene\t;-\tp53\tx", Reason.EMPTY_ID),
        (b"1\tMutation\t\tp53\tx", Reason.EMPTY_ID),
        (b"1\tMutation\tRS#:" + b"5" * 500 + b"\tp53\tx", Reason.LONG_KEY),
        (b"1\tGene\t7\tp\xff3\tx", Reason.INVALID_UTF8),
        (b"1\tGene\t7\tp\x003\tx", Reason.NUL_BYTE),
        (b"1\tGene\t7\t" + b"p" * 1_000_000 + b"\tx", Reason.OVERLONG_LINE),
    ],
)
def test_a_bad_row_is_rejected(tmp_path, row, reason):
    (tmp_path / "f").write_bytes(b"1\tGene\t1\ta\tx\n\n" + row + b"\n1\tGene\t1\ta\tx")
    counts, kept, rejected = read(tmp_path / "f", tmp_path)
    assert kept == 2
    assert rejected == [(3, reason)]
    assert counts == {("Gene|1", ""): 0, ("Gene|1", "a"): 2}


def test_counts_add_up_over_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "_BLOCK", 30)
    monkeypatch.setattr(release, "_CHUNK", 30)
    monkeypatch.setattr(concepts, "_HELD", 3)
    (tmp_path / "f").write_text("1\tGene\t1;2\ta|b\tx\n" * 7, "utf-8")
    counts, kept, _ = read(tmp_path / "f", tmp_path)
    assert kept == 7
    assert counts == {(f"Gene|{n}", name): 7 if name else 0 for n in (1, 2) for name in ("", "a", "b")}


def test_pairs_tell_which_document_holds_which_concept(tmp_path):
    (tmp_path / "f").write_text("7\tGene\t1;2;1\ta|b\tx\n8\tChemical\t-\ta\tx\n9\tSNP\trs1;x\t\tx\n7\tGene\t2\ta\tx\n")
    rows = RowCount()
    with Rejects(tmp_path / "rejects.tsv") as rejects:
        batches = list(concepts.read_pairs([SourceFile(tmp_path / "f")], rejects, rows, Silent()))
    assert [tuple(row.values()) for batch in batches for row in batch.to_pylist()] == [
        (7, "Gene|1"),
        (7, "Gene|2"),
        (9, "SNP|rs1;x"),
        (7, "Gene|2"),
    ]
    assert {batch.schema for batch in batches} == {concepts.PAIRS}
    assert (rows.kept, rejects.total) == (3, 1)


def test_real_rows(data, tmp_path):
    path = data / "pubtator3" / "derived_bioconcepts2pubtator3_from_api.tsv"
    counts, kept, rejected = read(path, tmp_path)
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    unnormalised = [number for number, row in enumerate(rows, 1) if row[2] == "-"]
    assert (kept, len(rejected)) == (1700 - 63, 63)
    assert rejected == [(number, "empty_id") for number in unnormalised]
    wanted = Counter()
    for _, kind, ident, mentions, _ in rows:
        for one in [ident] if kind == "Mutation" else ident.split(";"):
            if one != "-":
                wanted[kind] += len(mentions.split("|"))
    found = Counter()
    for (key, _), count in counts.items():
        found[split_key(key)[0]] += count
    assert found == wanted


def batch(rows):
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, NAMES, strict=True)], schema=NAMES
    )


def total(batches):
    counts = Counter()
    for found in batches:
        for row in found.to_pylist():
            counts[row["key"], row["name"]] += row["count"]
    return dict(counts)


@given(st.lists(st.lists(_rows, max_size=9).map(batch), max_size=9), st.integers(1, 12))
def test_totals_are_the_same_after_summing(batches, bound):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concepts, "_HELD", bound)
        added = list(concepts.summed(batches))
    assert total(added) == total(batches)
    for one in added:
        assert one.schema == NAMES
        assert one.num_rows == len(total([one]))  # no (key, name) occurs twice in a batch
        assert one.num_rows < bound + max(each.num_rows for each in batches)


def test_repeated_rows_are_held_and_yielded_once(monkeypatch):
    monkeypatch.setattr(concepts, "_HELD", 4)
    same = batch([("a", "x", 1)])
    assert [each.to_pylist() for each in concepts.summed([same] * 100)] == [[{"key": "a", "name": "x", "count": 100}]]


def test_rows_that_do_not_repeat_are_yielded_before_all_is_read(monkeypatch):
    monkeypatch.setattr(concepts, "_HELD", 4)
    read = []

    def batches():
        for number in range(100):
            read.append(number)
            yield batch([("a", str(number), 1)])

    assert next(concepts.summed(batches())).num_rows == 4
    assert len(read) == 4
