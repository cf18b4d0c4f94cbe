"""The rejects file adds up and shows anything readably on one line."""

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


def test_long_text_is_clipped():
    assert visible("x" * TEXT_LIMIT) == "x" * TEXT_LIMIT
    assert visible(b"x" * 10 * TEXT_LIMIT) == "x" * TEXT_LIMIT + "…"


def test_decoding_names_what_is_wrong():
    assert decoded("é".encode()) == "é"
    assert decoded(b"a\0b") is Reason.NUL_BYTE
    assert decoded(b"\xff") is Reason.INVALID_UTF8
