"""Records of a run: the later of two counts, incomplete lines are left out, damaged ones are named."""

import pytest

from groundwork.errors import InputError
from truthhypo.bench.entries import Entry
from truthhypo.bench.runs import Run
from truthhypo.json_files import RecordFile


def entry(instance, sample=0, answer="treat"):
    return Entry("set", instance, "m", "kg", sample, sample, answer)


def write(path, *records):
    with RecordFile(path).appending() as append:
        for each in records:
            append(each.to_dict())


@pytest.fixture
def run(tmp_path):
    run = Run(tmp_path)
    write(run.records, entry("a"), entry("b"))
    return run


def test_of_two_records_with_one_key_the_later_counts(run):
    write(run.records, entry("a", answer="inhibit"))
    assert [(each.instance, each.answer) for each in run.entries()] == [("a", "inhibit"), ("b", "treat")]


def test_a_line_that_is_still_being_written_is_read_when_it_is_complete(run):
    path = run.records
    whole = path.read_bytes()
    write(path, entry("c"))
    path.write_bytes(path.read_bytes()[:-5])
    assert len(run.entries()) == 2
    path.write_bytes(whole)
    write(path, entry("c"))
    assert len(run.entries()) == 3


def test_a_damaged_line_is_named_by_its_number(run):
    with run.records.open("ab") as stream:
        stream.write(b"{}\n")
    with pytest.raises(InputError, match=r"records\.jsonl:3 is not a record"):
        run.entries()
