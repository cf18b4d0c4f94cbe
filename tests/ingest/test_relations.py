"""The reader of relations: every trap of the format, the fast path against the slow one, and lines of NCBI's file."""

import re
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ingest.columns
from groundwork.ports import Silent
from groundwork.vocabulary import RELATIONS, TYPES
from ingest import relations
from ingest.columns import Keys
from ingest.rejects import Reason, Rejects, RowCount, decoded
from ingest.relations import RelationReader, keys_file
from ingest.release import Block, SourceFile
from tests.ingest.reading import plain_keys

GOOD = b"35378878\tassociate\tChemical|MESH:D003911\tDisease|MESH:D005334"


def read(path, folder):
    """Rows kept, and (line, reason) rejected."""
    rows = RowCount()
    with Rejects(folder / "rejects.tsv") as rejects:
        batches = list(RelationReader(folder)([SourceFile(path)], rejects, rows, Silent()))
    kept = spelled(batches, folder)
    lines = rejects.file.read_text("utf-8").splitlines() if rejects.file else []
    assert rows.kept == len(kept)
    assert rejects.total == len(lines)
    return kept, [(int(line.split("\t")[1]), line.split("\t")[2]) for line in lines]


def spelled(batches, folder):
    """Rows with keys and names in place of their numbers."""
    keys = dict(zip(*pq.read_table(keys_file(folder)).to_pydict().values(), strict=True))
    return [
        (row["pmid"], keys[row["head"]], RELATIONS[row["relation"]], keys[row["tail"]])
        for batch in batches
        for row in batch.to_pylist()
    ]


def line_by_line(data):
    """Rows kept and (line, reason) rejected, as plain Python reads them."""
    kept, rejected = [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        row = _judged(line.removesuffix(b"\r"))
        if isinstance(row, Reason):
            rejected.append((number, row))
        elif row:
            kept.append(row)
    return kept, rejected


def _judged(line):
    if not line:
        return None
    text = decoded(line)
    if isinstance(text, Reason):
        return text
    fields = text.split("\t")
    if len(fields) != 4:
        return Reason.WRONG_COLUMN_COUNT
    if not re.fullmatch("[0-9]{1,18}", fields[0]) or not int(fields[0]):
        return Reason.BAD_PMID
    if fields[1] not in RELATIONS:
        return Reason.UNKNOWN_RELATION
    ends = []
    for end in fields[2:]:
        kind, _, ident = end.partition("|")
        if kind not in TYPES:
            return Reason.UNKNOWN_TYPE
        keys = plain_keys(kind, ident)
        if isinstance(keys, str):
            return Reason(keys)
        if len(keys) > 1:
            return Reason.AMBIGUOUS_ID
        ends += keys
    return int(fields[0]), ends[0], fields[1], ends[1]


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
        (b"1\ttreat\tGene|1\tChemical|MESH:-", Reason.EMPTY_ID),
        (b"1\ttreat\tGene|1;2\tChemical|MESH:D1", Reason.AMBIGUOUS_ID),
        (b"1\ttreat\tGene|1\tChemical|" + b"x" * 504, Reason.LONG_KEY),
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
        (b"1\tcause\tChemical|" + b"x" * 503 + b"\tGene|1", (1, "Chemical|" + "x" * 503, "cause", "Gene|1")),
        (b"1\tcause\tGene|41614(Tax:7227)\tGene| 1 ", (1, "Gene|41614", "cause", "Gene|1")),
        ("1\tcause\tChemical|é\tGene|1".encode(), (1, "Chemical|é", "cause", "Gene|1")),
        (b"9" * 18 + b"\tcause\tGene|1\tGene|1", (10**18 - 1, "Gene|1", "cause", "Gene|1")),
    ],
)
def test_a_good_line_is_kept_as_a_row(tmp_path, line, row, bad):
    (tmp_path / "f").write_bytes(bad + line)
    kept, rejected = read(tmp_path / "f", tmp_path)
    assert kept == [row]
    assert len(rejected) == bool(bad)


def test_a_byte_order_mark_is_removed_from_the_first_line_only(tmp_path):
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
        b"2\tcause\tSNP|RS#:1;HGVS:c.1A&gt;G\tDisease|OMIM:1\r\n", b"NULL", b"nan", b"#", b";", b"(Tax:1)", b"None", b"MESH:",
    ]
)  # fmt: skip


def _block(data, folder):
    """Return the rows kept and the (line, reason) rejected of a block."""
    with Rejects(folder / "rejects.tsv") as rejects, Keys(keys_file(folder)) as keys:
        batch = relations.read_block(Block(1, data), keys, "f", rejects)
    lines = rejects.file.read_text("utf-8").splitlines() if rejects.file else []
    return spelled([batch], folder), [(int(line.split("\t")[1]), line.split("\t")[2]) for line in lines]


@settings(deadline=None, max_examples=300)
@given(st.lists(_pieces, max_size=30).map(b"".join))
@example(b"\x001\ttreat\tGene|1\tGene|2\n\xef\xbb\xbf")
@example(b"\x001\ttreat\tGene|1\tGene|2\n\xef\xbb\xbf1\ttreat\tGene|1\tGene|2\n")
def test_reading_relations_by_columns_equals_reading_them_by_lines(tmp_path_factory, data):
    kept, rejected = _block(data, tmp_path_factory.mktemp("r"))
    wanted, wanted_rejected = line_by_line(data)
    assert Counter(kept) == Counter(wanted)
    assert rejected == wanted_rejected


def _never(line, keys):
    raise AssertionError(f"{line} was read by itself")


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10**9), st.sampled_from(RELATIONS), st.integers(0, 9)), min_size=1))
def test_ordinary_lines_are_read_by_columns(tmp_path_factory, rows):
    lines = b"".join(f"{pmid}\t{relation}\tGene|{n}\tSNP|RS#:{n};X&gt;\n".encode() for pmid, relation, n in rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(relations, "_row", _never)
        kept, _ = _block(lines, tmp_path_factory.mktemp("r"))
    assert kept == [(pmid, f"Gene|{n}", relation, f"SNP|RS#:{n};X>") for pmid, relation, n in rows]


@pytest.mark.parametrize("often", [0, 4, 1000])
def test_keys_keep_their_meaning_when_memory_for_texts_is_cleared(tmp_path, monkeypatch, often):
    monkeypatch.setattr(ingest.columns, "_OFTEN", often)
    monkeypatch.setattr(ingest.columns, "_REMEMBERED", 3)
    monkeypatch.setattr(ingest.columns, "_WRITTEN", 2)
    rows = [(n + 1, f"Gene|{n % 7}", "treat", f"SNP|{n % 5}&gt;") for n in range(50)]
    (tmp_path / "f").write_text("".join("\t".join(map(str, (p, r, h, t))) + "\n" for p, h, r, t in rows))
    kept, _ = read(tmp_path / "f", tmp_path)
    assert kept == [(pmid, head, relation, tail.replace("&gt;", ">")) for pmid, head, relation, tail in rows]


@pytest.mark.parametrize("often", [0, 4, 1000])
def test_keys_have_one_number_each_from_block_to_block(tmp_path, monkeypatch, often):
    monkeypatch.setattr(ingest.columns, "_OFTEN", often)
    texts = [["Gene|1", "Gene|2", "none"], ["Gene|3", "Gene|1", "SNP|A&gt;G"], ["SNP|A&gt;G", "none", "Gene|4"]]
    with Keys(tmp_path / "keys.parquet") as keys:
        found = [keys.codes(pa.array(some[:1]), pa.array(some[1:])) for some in texts]
    numbers = dict(zip(*pq.read_table(tmp_path / "keys.parquet").to_pydict().values(), strict=True))
    names = [[numbers.get(int(code), "none") for column in columns for code in column] for columns in found]
    assert names == [[text.replace("&gt;", ">") for text in some] for some in texts]
    assert len(numbers) == len(set(numbers.values())) == 5


@pytest.mark.parametrize("name", ["genuine_relation2pubtator3_lines.tsv", "derived_relation2pubtator3_from_api.tsv"])
def test_real_lines_are_all_kept(data, tmp_path, name):
    path = data / "pubtator3" / name
    kept, rejected = read(path, tmp_path)
    assert not rejected
    wanted = Counter(line.replace("&gt;", ">") for line in path.read_text("utf-8").splitlines())
    assert Counter(f"{pmid}\t{relation}\t{head}\t{tail}" for pmid, head, relation, tail in kept) == wanted
