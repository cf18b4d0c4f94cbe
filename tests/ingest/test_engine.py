"""The engine keeps its limits, writes nothing to stdout, and says which limit is too small."""

import resource

import ibis
import pytest

from groundwork.errors import InputError, Refused
from groundwork.settings import Settings
from ingest.engine import Engine


def test_no_progress_bar_is_drawn_on_stdout(tmp_path):
    """DuckDB draws a progress bar on stdout after two seconds. It would be part of the JSON."""
    with Engine(Settings(), tmp_path) as engine:
        assert engine._backend.raw_sql("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)


def test_an_invalid_memory_limit_is_refused(tmp_path):
    with pytest.raises(InputError, match="memory_limit"), Engine(Settings(memory_limit="lots"), tmp_path):
        pass


def test_too_little_memory_names_the_setting(tmp_path):
    numbers = ibis.range(2_000_000).unnest().name("n").as_table()
    everything = numbers.agg(every=numbers.n.cast("string").collect())
    with (
        Engine(Settings(memory_limit="20MB", threads=1), tmp_path) as engine,
        pytest.raises(InputError, match="memory_limit 20MB"),
    ):
        engine.write(everything, tmp_path / "n.parquet")


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    numbers = ibis.range(10).unnest().name("n").as_table()
    with Engine(Settings(), tmp_path) as engine, pytest.raises(Refused, match="cannot be written"):
        engine.write(numbers, tmp_path / "missing" / "n.parquet")


def test_a_stream_keeps_the_order_in_batches_of_at_most_so_many_rows(tmp_path):
    numbers = ibis.range(50_000).unnest().name("n").as_table()
    with Engine(Settings(threads=1), tmp_path) as engine:
        batches = list(engine.stream(numbers.order_by(ibis.desc("n")), 7_000))
    assert [n for batch in batches for n in batch.column("n").to_pylist()] == list(range(49_999, -1, -1))
    assert max(batch.num_rows for batch in batches) <= 7_000


def test_a_stream_with_too_little_memory_names_the_setting(tmp_path):
    numbers = ibis.range(2_000_000).unnest().name("n").as_table()
    everything = numbers.agg(every=numbers.n.cast("string").collect())
    with (
        Engine(Settings(memory_limit="20MB", threads=1), tmp_path) as engine,
        pytest.raises(InputError, match="memory_limit 20MB"),
    ):
        list(engine.stream(everything, 10))


def test_a_stream_that_cannot_spill_is_reported(tmp_path):
    (tmp_path / "file").touch()
    numbers = ibis.range(3_000_000).unnest().name("n").as_table()
    texts = numbers.select(text=numbers.n.cast("string") + " and so on")
    with (
        Engine(Settings(memory_limit="40MB", threads=1), tmp_path / "file") as engine,
        pytest.raises(Refused, match="cannot be written"),
    ):
        list(engine.stream(texts.order_by(texts.text.hash(), "text"), 10_000))


def test_too_many_open_files_are_not_reported_as_a_full_disk(tmp_path):
    numbers = ibis.range(10).unnest().name("n").as_table()
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Engine(Settings(), tmp_path) as engine:
        engine.write(numbers, tmp_path / "first.parquet")  # imports all modules while files can still be opened
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
        try:
            with pytest.raises(Refused, match="Too many open files") as caught:
                engine.write(numbers, tmp_path / "second.parquet")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert "ulimit -n" in caught.value.remedy
