"""The reader by columns against a simple reader by lines, on rows with many faults."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundwork.ports import Silent
from groundwork.vocabulary import TYPES
from ingest import concepts, release
from ingest.rejects import Reason, Rejects, RowCount, visible
from ingest.release import SourceFile
from tests.ingest.reading import plain_keys

OVERLONG = "overlong_line"
MARK = b"\xef\xbb\xbf"


def by_line(data: bytes):
    """Counts by (key, name), pairs (pmid, key), rows kept, and rejects (line, reason, text)."""
    counts, pairs, kept, rejected = Counter(), [], 0, []
    for number, whole in enumerate(data.removeprefix(MARK).split(b"\n"), 1):
        line = whole.removesuffix(b"\r")
        if not line:
            continue
        found = row_or_reason(whole, line)
        if isinstance(found, str):
            rejected.append((number, found, shown(found, visible(line))))
            continue
        kept += 1
        pmid, keys, mentions = found
        pairs += [(pmid, key) for key in keys]
        for key in keys:
            counts[key, ""] += 0
            counts.update((key, mention) for mention in mentions)
    return counts, pairs, kept, rejected


def row_or_reason(whole: bytes, line: bytes):
    if len(whole) > release.LINE_LIMIT:
        return OVERLONG
    if b"\0" in line:
        return "nul_byte"
    try:
        fields = line.decode().split("\t")
    except UnicodeDecodeError:
        return "invalid_utf8"
    if len(fields) != 5:
        return "wrong_column_count"
    pmid, kind, ident, mentions, _ = fields
    if not pmid.isascii() or not pmid.isdigit() or len(pmid) > 18 or int(pmid) == 0:
        return "bad_pmid"
    if kind not in TYPES:
        return "unknown_type"
    keys = plain_keys(kind, ident)
    return keys if isinstance(keys, str) else (int(pmid), keys, [name for name in mentions.split("|") if name.strip()])


def shown(reason: str, text: str) -> str:
    """Return the text of a rejected row, or nothing for an overlong line. The file keeps only a part of such a line."""
    return "" if reason == OVERLONG else text


def by_column(reader, data: bytes, folder):
    """All batches of a reader as one table, the rows kept, and the rejects (line, reason, text)."""
    (folder / "f").write_bytes(data)
    count = RowCount()
    with Rejects(folder / "rejects.tsv") as rejects:
        batches = list(reader([SourceFile(folder / "f")], rejects, count, Silent()))
    lines = rejects.file.read_text("utf-8").splitlines() if rejects.file else []
    rejected = [line.split("\t") for line in lines]
    assert rejects.by_reason == Counter(reason for _, _, reason, _ in rejected)
    return (
        pa.Table.from_batches(batches),
        count.kept,
        [(int(line), why, shown(why, text)) for _, line, why, text in rejected],
    )


def check(data: bytes, folder) -> None:
    """Check that both readers by columns give what the reader by lines gives."""
    counts, pairs, kept, rejected = by_line(data)
    names, *account = by_column(concepts.read, data, folder)
    assert account == [kept, rejected]
    names.validate(full=True)
    found = Counter()
    for key, name, count in rows(names):
        found[key, name] += count
    assert dict(found) == dict(counts)
    joined, *account = by_column(concepts.read_pairs, data, folder)
    assert account == [kept, rejected]
    assert rows(joined) == pairs


def rows(table: pa.Table) -> list[tuple]:
    return list(zip(*table.to_pydict().values(), strict=True))


_PMIDS = ["1", "39999999", "007", "9" * 18, "9" * 19, "0", "", "-1", "+1", " 1", "1.0", "１", "x", "\ufeff1"]
_IDS = ["7", "MESH:D1", " 7 ", "é", "|", '"', "_", "x\r", "a|b;c", "tmVar:c|SUB|A|1|G;HGVS:c.1A&gt;G"]
_IDS += ["-", "", " ", ";", "-;-", "7;8", "7;-;7;", "é;é", "\u00a0", "\x85", "\x1c"]
_IDS += ["7(Tax:7227)", "7 (Tax:9606);8(Tax:1)", "D001", "C1", "CVCL_1", "MESH:", "MESH:-", "None", "x1:None", "RS#:-1"]
_IDS += [
    "7,8",
    "8 ",
    "x" * 507,
    "x" * 508,
    "MESH:1" + "0" * 501,
    "RS#:" + "é" * 252,
    "&gt;" * 508,
    "7\u2003",
    "\u20037",
]
_IDS += ["&", "&nbsp;", "&#45;", "&#59;", "&#9;", "&#10;", "&#0;", "a&#59;b", "a&amp;b", "A&gt;G", "A&gtG"]
_MENTIONS = ["p53", "-", '"', '"a', "é", "NA", "null", "a;b", "\\", "\r", "\x7f", "", " ", "\u2003", "\x1f"]
_RESOURCES = ["PubTator3", "", "x\r", "y|z", "\u2028"]
_PIECES = [b"1", b"Gene", b"\t", b"\t\t", b"\0", b"\xff", b"\xc3", b"\xc3\xa9", b"-", b"\r", b"&gt;", b"\\", MARK]
_PIECES += [b"\xed\xa0\x80"]  # half a surrogate pair

_odd = st.tuples(
    st.just("1") | st.just("39999999") | st.sampled_from(_PMIDS),
    st.sampled_from(["Gene", "SNP"])
    | st.sampled_from(sorted(TYPES))
    | st.sampled_from(["gene", "", "Strain", "Gene "]),
    st.sampled_from(_IDS),
    st.lists(st.sampled_from(_MENTIONS)).map("|".join),
    st.sampled_from(_RESOURCES),
).map(lambda row: "\t".join(row).encode())
_plain = st.sampled_from([b"1\tGene\t7\ta|b\tx", b"2\tChemical\t-\ta\tx", b"3\tGene\t7;8\tb\tx", b"4\tDisease\tD\t\tx"])
_noise = st.lists(st.sampled_from(_PIECES), max_size=9).map(b"".join)
_spoiled = st.tuples(_odd, _noise, st.integers(0, 40)).map(lambda x: x[0][: x[2]] + x[1] + x[0][x[2] :])
_line = _plain | _odd | _spoiled | _noise
_end = st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\r\r\n"])
_file = st.tuples(
    st.sampled_from([b"", MARK]),
    st.lists(st.tuples(_line, _end).map(b"".join), max_size=12).map(b"".join),
    _plain,  # a file without rows is a different case
    st.sampled_from([b"", b"\n", b"\r", b"\r\n"]),
).map(b"".join)


@settings(deadline=None, max_examples=150)
@given(_file)
@example(MARK + MARK + b"1\tGene\t7\ta\tx\n")
@example(b"\r\r\n\r\n\n1\tGene\t7\ta\tx\r")
def test_reading_entities_by_columns_equals_reading_them_by_lines(tmp_path_factory, data):
    check(data, tmp_path_factory.mktemp("r"))


@settings(deadline=None, max_examples=80)
@given(_file, st.integers(1, 20), st.integers(1, 60), st.integers(20, 60))  # a chunk is shorter than a line may be
def test_rows_and_line_numbers_do_not_depend_on_the_block_size_or_overlong_lines(
    tmp_path_factory, data, chunk, block, limit
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "_CHUNK", chunk)
        patch.setattr(release, "_BLOCK", block)
        patch.setattr(release, "LINE_LIMIT", limit)  # a byte order mark would count towards the length of its line
        check(data.lstrip(MARK), tmp_path_factory.mktemp("r"))


def test_an_invalid_id_that_repeats_is_parsed_once(tmp_path, monkeypatch):
    (tmp_path / "f").write_bytes(b"1\tChemical\t-\tBE9|x\tPubTator3\n" * 1000 + b"1\tGene\t7\ta\tx\n")
    looks = Counter()
    monkeypatch.setattr(concepts, "_parsed", lambda text: looks.update([text]) or Reason.EMPTY_ID)
    count = RowCount()
    with Rejects(tmp_path / "rejects.tsv") as rejects:
        list(concepts.read_entities([SourceFile(tmp_path / "f")], rejects, count, Silent()))
    assert (count.kept, rejects.total, looks) == (1, 1000, {"Chemical\t-": 1})
