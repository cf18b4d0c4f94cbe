"""Records of a run are read once: what is appended is read on from there, and what is damaged is named by its line."""

import pytest

from groundwork.errors import InputError
from truthhypo.bench.entries import Entry
from truthhypo.bench.runs import Run
from truthhypo.record_file import RecordFile


def entry(instance, sample=0, answer="treat"):
    return Entry("set", instance, "m", "kg", sample, sample, answer)


def write(path, *records, mode="ab"):
    if mode == "wb":
        path.unlink()
    with RecordFile(path).appending() as append:
        for each in records:
            append(each.to_dict())


@pytest.fixture
def run(tmp_path):
    run = Run(tmp_path)
    write(run.records(), entry("a"), entry("b"))
    return run


def test_only_what_was_appended_is_read(run):
    path = run.records()
    assert [each.instance for each in run.entries()] == ["a", "b"]
    read = path.read_bytes()
    path.write_bytes(b"x" * (len(read) - 1) + b"\n")  # who reads it again stumbles
    write(path, entry("c"))
    assert [each.instance for each in run.entries()] == ["a", "b", "c"]
    with pytest.raises(InputError, match=r"records\.jsonl:1 is not a record"):
        list(Run(run.folder).entries())


def test_of_two_records_with_one_key_the_later_stands(run):
    list(run.entries())
    write(run.records(), entry("a", answer="inhibit"))
    assert [(each.instance, each.answer) for each in run.entries()] == [("a", "inhibit"), ("b", "treat")]
    write(run.records((1, 2)), entry("b", answer="inhibit"))
    assert {each.instance: each.answer for each in run.entries()} == {
        "a": "inhibit",
        "b": "treat",
    }  # records.jsonl last


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(run):
    path = run.records()
    whole = path.read_bytes()
    write(path, entry("c"))
    path.write_bytes(path.read_bytes()[:-5])
    assert len(list(run.entries())) == 2
    path.write_bytes(whole)
    write(path, entry("c"))
    assert len(list(run.entries())) == 3


def test_a_damaged_line_is_named_by_its_number_however_often_it_is_met(run):
    list(run.entries())
    with run.records().open("ab") as stream:
        stream.write(b"{}\n")
    for _ in range(2):
        with pytest.raises(InputError, match=r"records\.jsonl:3 is not a record"):
            list(run.entries())


def test_a_file_that_was_made_anew_is_read_anew(run):
    list(run.entries())
    write(run.records(), entry("z"), mode="wb")
    assert [each.instance for each in run.entries()] == ["z"]
