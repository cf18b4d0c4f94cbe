"""Run Ibis expressions on Spark instead of DuckDB, for releases that are normalised on a cluster (extra `spark`).

The workers read and write HOME, so on a cluster HOME must be on shared storage. A table is written as a folder of
Parquet files, and the names of the files give their order. `engine.read` reads files and such folders.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import ibis
import pyarrow as pa

from groundwork.errors import InputError, StoreUnreachable
from groundwork.settings import Settings
from ingest.engine import read


class SparkEngine:
    """A Spark session with the methods of `Engine`. It is a context manager.

    Args:
        settings: `spark_master`, and for a local master `memory_limit` and `threads`.
        spill: A folder for temporary data, which all workers share.

    Raises:
        InputError: If the extra `spark` is not installed.
        StoreUnreachable: If Spark does not start, because there is no suitable Java or no master at the address.
    """

    def __init__(self, settings: Settings, spill: Path) -> None:
        try:
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise InputError(
                f"--engine spark was given, but Spark is not installed ({error})",
                "the extra spark, and Java 17",
                "install it with: pip install 'truthhypo[spark]'; or leave out --engine",
            ) from error
        master = settings.spark_master or f"local[{settings.threads}]"
        options = {
            "spark.local.dir": str(spill.absolute()),
            "spark.driver.memory": _jvm(settings.memory_limit),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.parquet.compression.codec": "zstd",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.appName("truthhypo").master(master)
        for name, value in options.items():
            builder = builder.config(name, value)
        try:
            self._session: Any = builder.getOrCreate()
            self._session.sparkContext.setLogLevel("ERROR")
        except (PySparkException, OSError) as error:
            raise StoreUnreachable(
                f"Spark at {master} does not start: {str(error).splitlines()[0]}",
                "Java 17 (JAVA_HOME) and a master that answers",
                "check JAVA_HOME and the setting spark_master, or leave out --engine",
            ) from error
        self._backend = ibis.pyspark.connect(self._session)
        self._spill = spill

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.stop()

    def table(self, file: Path) -> ibis.Table:
        """Return a Parquet file, or a folder of Parquet files, as a table."""
        return self._backend.read_parquet(f"file://{file.absolute()}")

    def write(self, table: ibis.Table, file: Path) -> Path:
        """Run an expression and write its rows, in order, to a folder of Parquet files."""
        self._session.sql(self._backend.compile(table)).write.parquet(f"file://{file.absolute()}")
        return file

    def stream(self, table: ibis.Table, rows: int) -> Iterator[pa.RecordBatch]:
        """Run an expression and yield its rows, in order, in batches of at most `rows` rows.

        The rows are first written to a temporary folder.
        """
        with TemporaryDirectory(dir=self._spill) as folder:
            yield from read(self.write(table, Path(folder) / "rows"), rows)

    def remove(self, *folders: Path) -> None:
        """Remove folders that `write` wrote."""
        for folder in folders:
            shutil.rmtree(folder)


def _jvm(amount: str) -> str:
    """Return an amount of memory in Java's notation: `2g` for `2GB`."""
    return amount.strip().lower().replace(" ", "").removesuffix("ib").removesuffix("b") or amount
