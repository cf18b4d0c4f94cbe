"""Summing counts in memory: no count is lost, and memory stays within its limit."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import concepts
from ingest.concepts import NAMES

_rows = st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "y", "-"]), st.integers(0, 3))


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
