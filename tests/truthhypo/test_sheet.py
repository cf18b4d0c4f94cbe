"""CSV tables: legal files are read unchanged. Faults that would silently lose rows are refused, and the message names
the line."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import InputError
from truthhypo.sheet import read_sheet

CELLS = st.text(st.sampled_from('ab ",\n\r;é'), max_size=8)


def sheet(folder, content):
    path = folder / "a.csv"
    path.write_bytes(content.encode())
    return read_sheet(path)


def refused(folder, content):
    with pytest.raises(InputError) as told:
        sheet(folder, content)
    assert told.value.seen.startswith(f"{folder / 'a.csv'} is not CSV: ")
    return told.value


@given(st.lists(st.tuples(CELLS, CELLS), max_size=6))
def test_rows_written_by_the_csv_module_are_read_back(tmp_path_factory, rows):
    written = io.StringIO(newline="")
    csv.writer(written).writerows([("id", "text"), *rows])
    found = sheet(tmp_path_factory.mktemp("sheet"), written.getvalue())
    assert found.header == ("id", "text")
    assert [tuple(row.values()) for row in found.rows] == rows


@pytest.mark.parametrize(
    "text",
    [
        '"two\nlines"',
        '"two\r\nlines"',
        '"a ""quoted"" word"',
        '"commas, too"',
        'a 5" tube',
        ' "not at its start"',
        '""',
    ],
)
def test_what_is_legal_inside_a_field_is_kept(tmp_path, text):
    (row,) = sheet(tmp_path, f"id,text\n1,{text}\n").rows
    assert row["text"] == next(csv.reader(io.StringIO(f"1,{text}\n", newline="")))[1]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('text\n"never closed\ntwo\nthree\n', 2),
        ('text\none\ntwo\n"never closed', 4),
        ('id,text\n1,one\n2,"open\n3,"closed"\n', 3),  # the quote of the next text seems to close this one
        ('id,text\n1,"two\nlines"\n2,"open\n3,three\n', 4),
        ('id,text,more\n1,"two\nlines","open\n2,two\n', 3),  # two fields in one row: the second opens one line below
        ('text\r\n"open\r\ntwo\r\n', 2),
        ('text\n"Aspirin" treats pain\n', 2),  # text follows the closing quote
        ('text\n\n"' + "x" * 200_000, 3),
        ('"text\none\n', 1),
    ],
)
def test_an_open_quote_is_reported_by_the_line_where_it_opens(tmp_path, content, line):
    told = refused(tmp_path, content)
    assert f"line {line}: the quote that opens here" in told.seen
    assert f"close the quote in line {line}" in told.remedy


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("id,text\n1,Aspirin, given daily, treats pain.\n", 2),
        ('id,text\n1,"two\nlines"\n2,two\n3,three,\n', 5),
        ('id,text\n1,"two\nlines",more\n', 2),  # the line where the row begins
        ("text\n\none,two\n", 3),
    ],
)
def test_a_row_with_more_columns_than_the_header_is_reported_by_its_line(tmp_path, content, line):
    told = refused(tmp_path, content)
    assert f"line {line}: " in told.seen
    assert "but the header has" in told.seen
    assert "in quotes" in told.remedy


@pytest.mark.parametrize("content", ["id;text\n1;{}\n", "id\ttext\n1\t{}\n", "\n\ufeffid;text\r\n1;{}\r\n"])
@pytest.mark.parametrize(("written", "text"), [("a, b", "a, b"), ('"a; b\t"', "a; b\t"), ('"a\nb"', "a\nb")])
def test_semicolons_and_tabs_may_separate_columns(tmp_path, content, written, text):
    assert sheet(tmp_path, content.replace("\n\ufeff", "\ufeff\n").format(written)).rows == ({"id": "1", "text": text},)


@pytest.mark.parametrize(
    ("content", "header", "text"),
    [
        ("text\na; b\n", ("text",), "a; b"),
        ("text,a;b\na; b,\n", ("text", "a;b"), "a; b"),
        ('"text;id"\na; b\n', ("text;id",), "a; b"),
    ],
)
def test_other_signs_than_the_separator_of_the_header_belong_to_the_text(tmp_path, content, header, text):
    found = sheet(tmp_path, content)
    assert (found.header, found.rows[0][header[0]]) == (header, text)


def test_faults_of_files_with_semicolons_are_reported_like_others(tmp_path):
    assert "put texts with semicolons in quotes" in refused(tmp_path, "id;text\n1;a;b\n").remedy
    assert "line 2: the quote that opens here" in refused(tmp_path, 'id;text\n1;"a" b\n').seen


def test_a_row_may_have_fewer_columns_and_empty_lines_are_skipped(tmp_path):
    assert sheet(tmp_path, "\ufeff\nid,text\n\n1\n2,two\n").rows == (
        {"id": "1", "text": None},
        {"id": "2", "text": "two"},
    )
    assert sheet(tmp_path, "").header == ()


def test_a_field_beyond_the_size_limit_is_not_reported_as_an_open_quote(tmp_path):
    assert "line 2: field larger than field limit" in refused(tmp_path, "text\n" + "x" * 200_000).seen
