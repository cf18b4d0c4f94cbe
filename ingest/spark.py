"""The same Ibis expressions on Spark, for releases that are normalised on a cluster (extra `spark`).

Workers read and write HOME, so on a cluster it lies on storage that all of them share. A table that is written is a
folder of Parquet files, in order; `engine.read` reads either.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import ibis
import pyarrow as pa

from groundwork.errors import InputError, StoreUnreachable
from groundwork.settings import Settings
from ingest.engine import read


class SparkEngine:
    """A Spark session that runs what `Engine` runs. A context manager.

    Args:
        settings: `spark_master`, and for a local one `memory_limit` and `threads`.
        spill: A folder for what does not fit, which the workers share.

    Raises:
        InputError: The extra `spark` is not installed.
        StoreUnreachable: Spark does not start: no Java that it runs on, or no master at that address.
    """

    def __init__(self, settings: Settings, spill: Path) -> None:
        try:
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise InputError(
                f"--engine spark without Spark ({error})",
                "the extra spark, and Java 17",
                "pip install 'truthhypo[spark]', or leave --engine out",
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
                "check JAVA_HOME and the setting spark_master, or leave --engine out",
            ) from error
        self._backend = ibis.pyspark.connect(self._session)
        self._spill = spill

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.stop()

    def table(self, file: Path) -> ibis.Table:
        """A Parquet file, or a folder of them, as a table."""
        return self._backend.read_parquet(f"file://{file.absolute()}")

    def write(self, table: ibis.Table, file: Path) -> Path:
        """Run an expression and write its rows, in its order, to a folder of Parquet files."""
        self._session.sql(self._backend.compile(table)).write.parquet(f"file://{file.absolute()}")
        return file

    def stream(self, table: ibis.Table, rows: int) -> Iterator[pa.RecordBatch]:
        """Run an expression and give its rows, in its order, in batches of at most so many, by way of the disk."""
        with TemporaryDirectory(dir=self._spill) as folder:
            yield from read(self.write(table, Path(folder) / "rows"), rows)

    def remove(self, *folders: Path) -> None:
        """Remove what `write` wrote."""
        for folder in folders:
            shutil.rmtree(folder)


def _jvm(amount: str) -> str:
    """An amount of memory as Java writes it: `2GB` is `2g`."""
    return amount.strip().lower().replace(" ", "").removesuffix("ib").removesuffix("b") or amount
