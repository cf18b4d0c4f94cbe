"""Reader of relations: every trap of the format, the quick way against the slow one, and NCBI's own lines."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwork.ports import Silent
from groundwork.vocabulary import RELATIONS, TYPES
from ingest import relations
from ingest.blocks import Block
from ingest.rejects import Reason, Rejects, RowCount
from ingest.release import SourceFile

GOOD = b"35378878\tassociate\tChemical|MESH:D003911\tDisease|MESH:D005334"


def read(path, folder):
    """Rows kept, and (line, reason) rejected."""
    rows = RowCount()
    with Rejects(folder / "rejects.tsv") as rejects:
        batches = list(relations.read([SourceFile(path)], rejects, rows, Silent()))
    kept = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    lines = rejects.file.read_text("utf-8").splitlines() if rejects.file else []
    assert rows.kept == len(kept)
    assert rejects.total == len(lines)
    return kept, [(int(line.split("\t")[1]), line.split("\t")[2]) for line in lines]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"1\tassociate\tGene|1", Reason.WRONG_COLUMN_COUNT),
        (GOOD + b"\textra", Reason.WRONG_COLUMN_COUNT),
        (b"1 associate Gene|1 Gene|2", Reason.WRONG_COLUMN_COUNT),
        (b" ", Reason.WRONG_COLUMN_COUNT),
        (b"1\tASSOCIATE\tGene|1\tGene|2", Reason.UNKNOWN_RELATION),
        (b"1\tAssociation\tGene|1\tGene|2", Reason.UNKNOWN_RELATION),
        (b"1\t\tGene|1\tGene|2", Reason.UNKNOWN_RELATION),
        (b"1\ttreat\tDrug|1\tGene|2", Reason.UNKNOWN_TYPE),
        (b"1\ttreat\tGene|2\tMESH:D1", Reason.UNKNOWN_TYPE),
        (b"1\ttreat\tGene|2\t", Reason.UNKNOWN_TYPE),
        (b"1\ttreat\tgene|2\tGene|1", Reason.UNKNOWN_TYPE),
        (b"1\ttreat\tGene\tGene|1", Reason.EMPTY_ID),
        (b"1\ttreat\tGene|\tGene|1", Reason.EMPTY_ID),
        (b"1\ttreat\tGene|1\tChemical|-", Reason.EMPTY_ID),
        (b"1\ttreat\tGene|1\tChemical| ", Reason.EMPTY_ID),
        *(
            (pmid + b"\ttreat\tGene|1\tGene|2", Reason.BAD_PMID)
            for pmid in (b"0", b"-5", b"1.5", b"abc", b"", b"+1", b" 1", b"1_0", b"0x10", "１".encode(), b"9" * 19)
        ),
        (b"1\ttreat\tGene|\xff\tGene|1", Reason.INVALID_UTF8),
        (b"\xff\ttreat\tGene|1\tGene|1", Reason.INVALID_UTF8),
        (b"1\ttr\xc3\tGene|1\tGene|1", Reason.INVALID_UTF8),
        (b"1\ttreat\tGene|1\0\tGene|1", Reason.NUL_BYTE),
        (b"1\ttreat\tGene|1\tGene|" + b"1" * 10_000_000, Reason.OVERLONG_LINE),
    ],
)
def test_a_bad_line_is_rejected_with_its_number_and_its_neighbours_are_kept(tmp_path, line, reason):
    (tmp_path / "f").write_bytes(GOOD + b"\n\n" + line + b"\n" + GOOD + b"\n")
    kept, rejected = read(tmp_path / "f", tmp_path)
    assert len(kept) == 2
    assert rejected == [(3, reason)]


@pytest.mark.parametrize("bad", [b"", b"oops\n"], ids=["columns", "lines"])
@pytest.mark.parametrize(
    ("line", "row"),
    [
        (GOOD + b"\r", (35378878, "Chemical|MESH:D003911", "associate", "Disease|MESH:D005334")),
        (b"7\ttreat\tGene|2\tGene|2", (7, "Gene|2", "treat", "Gene|2")),
        (b"007\ttreat\tGene|2\tGene|1", (7, "Gene|2", "treat", "Gene|1")),
        (b"1\tconvert\tGene|2\tGene|1", (1, "Gene|2", "convert", "Gene|1")),
        (b"1\tcause\tDNAMutation|HGVS:c.1385A&gt;G\tGene|1", (1, "DNAMutation|HGVS:c.1385A>G", "cause", "Gene|1")),
        (b"1\tcause\tMutation|tmVar:c|SUB|A|1|G\tGene|1", (1, "Mutation|tmVar:c|SUB|A|1|G", "cause", "Gene|1")),
        (b'1\tcause\tChemical|"x\tGene|1', (1, 'Chemical|"x', "cause", "Gene|1")),
        (b"1\tcause\tChemical|NA\tChemical|null", (1, "Chemical|NA", "cause", "Chemical|null")),
        ("1\tcause\tChemical|é\tGene|1".encode(), (1, "Chemical|é", "cause", "Gene|1")),
        (b"9" * 18 + b"\tcause\tGene|1\tGene|1", (10**18 - 1, "Gene|1", "cause", "Gene|1")),
    ],
)
def test_a_good_line_is_kept_as_it_is(tmp_path, line, row, bad):
    (tmp_path / "f").write_bytes(bad + line)
    kept, rejected = read(tmp_path / "f", tmp_path)
    assert kept == [row]
    assert len(rejected) == bool(bad)


def test_a_byte_order_mark_is_no_part_of_the_first_line_only(tmp_path):
    mark = b"\xef\xbb\xbf"
    (tmp_path / "f").write_bytes(mark + GOOD + b"\n" + mark + GOOD)
    kept, rejected = read(tmp_path / "f", tmp_path)
    assert len(kept) == 1
    assert rejected == [(2, "bad_pmid")]


_pieces = st.sampled_from(
    [
        *(name.encode() for name in (*RELATIONS[:3], *sorted(TYPES))),
        b"1", b"22", b"0", b"\t", b"\t", b"\t", b"|", b"|", b"\n", b"\r\n", b"\r", b'"', b"'", b",", b"-", b"&gt;", b"&#9;",
        b"&#10;", b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b" ", b"\\", b"1\ttreat\tGene|1\tGene|2\n",
        b"2\tcause\tSNP|RS#:1;HGVS:c.1A&gt;G\tDisease|OMIM:1\r\n", b"NULL", b"nan", b"#",
    ]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(_pieces, max_size=30).map(b"".join))
def test_the_quick_way_gives_what_the_slow_way_gives(tmp_path_factory, data):
    block = Block(1, data)
    quick = relations._columns(block, {})
    with Rejects(tmp_path_factory.mktemp("r") / "rejects.tsv") as rejects:
        slow = relations._lines("f", block, {}, rejects)
    if quick is None:
        return
    assert quick.equals(slow)
    assert not rejects.total


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10**9), st.sampled_from(RELATIONS), st.integers(0, 9)), min_size=1))
def test_ordinary_blocks_go_the_quick_way(rows):
    lines = b"".join(f"{pmid}\t{relation}\tGene|{n}\tSNP|RS#:{n};X&gt;\n".encode() for pmid, relation, n in rows)
    batch = relations._columns(Block(1, lines), {})
    assert [tuple(row.values()) for row in batch.to_pylist()] == [
        (pmid, f"Gene|{n}", relation, f"SNP|RS#:{n};X>") for pmid, relation, n in rows
    ]


@pytest.mark.parametrize("name", ["genuine_relation2pubtator3_lines.tsv", "derived_relation2pubtator3_from_api.tsv"])
def test_real_lines_are_all_kept(data, tmp_path, name):
    path = data / "pubtator3" / name
    kept, rejected = read(path, tmp_path)
    assert not rejected
    wanted = Counter(line.replace("&gt;", ">") for line in path.read_text("utf-8").splitlines())
    assert Counter(f"{pmid}\t{relation}\t{head}\t{tail}" for pmid, head, relation, tail in kept) == wanted
