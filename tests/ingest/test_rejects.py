"""The file of rejects adds up, and shows any text readably on one line."""

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.rejects import TEXT_LIMIT, Reason, Rejects, decoded, visible


def test_nothing_rejected_leaves_no_file(tmp_path):
    with Rejects(tmp_path / "r" / "x.tsv") as rejects:
        assert rejects.total == 0
    assert rejects.file is None
    assert not (tmp_path / "r").exists()


def test_rejects_are_counted_and_written(tmp_path):
    with Rejects(tmp_path / "r" / "x.tsv") as rejects:
        rejects.add("a.tsv", 3, Reason.WRONG_COLUMN_COUNT, b"one\ttwo")
        rejects.add("a.tsv", 9, Reason.NUL_BYTE, b"\0\xff\\")
        rejects.add("b.tsv", 1, Reason.NUL_BYTE, "line\nend\r")
    assert rejects.by_reason == {"wrong_column_count": 1, "nul_byte": 2}
    assert rejects.file == (tmp_path / "r" / "x.tsv").absolute()
    assert rejects.file.read_text("utf-8").split("\n") == [
        "a.tsv\t3\twrong_column_count\tone\\ttwo",
        "a.tsv\t9\tnul_byte\t\\x00\\xff\\\\",
        "b.tsv\t1\tnul_byte\tline\\nend\\r",
        "",
    ]


@settings(deadline=None)
@given(st.binary() | st.text(st.characters()) | st.text(st.characters(categories=["Cs", "Cc", "Zl", "Zp"])))
def test_any_text_is_one_printable_field(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert "\t" not in shown


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(Reason)),
            st.binary()
            | st.text().map(str.encode)
            | st.sampled_from([b"a\tb", b"\\", b"x" * TEXT_LIMIT, b"x" * (TEXT_LIMIT + 1), bytes(range(256))]),
        )
    )
)
def test_rows_rejected_at_once_are_written_as_one_by_one(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("r")
    with Rejects(folder / "single") as single, Rejects(folder / "many") as many:
        for line, (reason, text) in enumerate(rows, 7):
            single.add("a\tb", line, reason, text)
        lines = pa.array(range(7, 7 + len(rows)), pa.int64())
        reasons = pa.array([reason.value for reason, _ in rows], pa.string())
        many.add_all("a\tb", lines, reasons, pa.array([text for _, text in rows], pa.binary()))
    assert many.by_reason == single.by_reason
    assert (many.file is None) == (not rows)
    if rows:
        assert many.file.read_bytes() == single.file.read_bytes()


def test_long_text_is_clipped():
    assert visible("x" * TEXT_LIMIT) == "x" * TEXT_LIMIT
    assert visible(b"x" * 10 * TEXT_LIMIT) == "x" * TEXT_LIMIT + "…"


def test_decoding_names_what_is_wrong():
    assert decoded("é".encode()) == "é"
    assert decoded(b"a\0b") is Reason.NUL_BYTE
    assert decoded(b"\xff") is Reason.INVALID_UTF8
