"""The engine keeps within its bounds, is quiet on stdout, and says what does not suffice."""

import ibis
import pytest

from groundwork.errors import InputError, Refused
from groundwork.settings import Settings
from ingest.engine import Engine


def test_no_progress_bar_is_drawn_on_stdout(tmp_path):
    """DuckDB draws one after two seconds, wherever stdout leads: it would stand in the JSON."""
    with Engine(Settings(), tmp_path) as engine:
        assert engine._backend.raw_sql("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)


def test_a_memory_limit_that_is_none_is_refused(tmp_path):
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


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    numbers = ibis.range(10).unnest().name("n").as_table()
    with Engine(Settings(), tmp_path) as engine, pytest.raises(Refused, match="cannot be written"):
        engine.write(numbers, tmp_path / "missing" / "n.parquet")
