"""Spark gives the same rows as DuckDB, on real and generated files. If Spark cannot start, an error says so."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.performance.generate import generate as generate
from cypher.memory.graph import MemoryGraph
from groundwork.errors import InputError
from groundwork.settings import Settings
from ingest import kinds
from ingest.engine import Engine
from ingest.intake import Options, take_in
from ingest.load import load_relations
from ingest.spark import SparkEngine, _jvm
from tests.conftest import REPOSITORY

REAL = ["genuine_relation2pubtator3_lines.tsv", "derived_relation2pubtator3_from_api.tsv"]


@pytest.fixture(autouse=True)
def java(monkeypatch):
    """Spark runs on Java 17 only; the graph server's newer one may be the default."""
    found = sorted(Path("/usr/lib/jvm").glob("*17*/bin/java"))
    if found:
        monkeypatch.setenv("JAVA_HOME", str(found[0].parents[1]))


@pytest.fixture
def generated(tmp_path):
    """A release of some 20,000 rows with traps."""
    file = tmp_path / "release.gz"
    generate(
        ["relations", "--rows", "20000", "--concepts", "900", "--seed", "5", "--traps", "0.01", "--out", str(file)]
    )
    return file


def normalised(files, engine, folder, settings):
    """The edges of a release, normalised on some engine."""
    folder.mkdir()
    taken = take_in(
        "pubtator3",
        files,
        kinds.RELATIONS.reader(folder),
        kinds.RELATIONS.schema,
        settings,
        Options(max_rejects=10**6),
        folder,
    )
    with Engine(settings, folder) as own:
        _, table = kinds.RELATIONS.snapshot(taken, own, engine, folder / "snapshot")
    return pq.read_table(table)


@pytest.mark.models
@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,1024]"])
def test_spark_gives_the_same_rows_as_duckdb(tmp_path, data, generated, master):
    settings = Settings(home=tmp_path / "home", spark_master=master)
    with SparkEngine(settings, tmp_path) as spark, Engine(settings, tmp_path) as duckdb:
        for number, files in enumerate([[generated], [data / "pubtator3" / name for name in REAL]]):
            wanted = normalised(files, duckdb, tmp_path / f"duckdb{number}", settings)
            found = normalised(files, spark, tmp_path / f"spark{number}", settings)
            assert found.num_rows > 20
            assert found.equals(wanted)


@pytest.mark.models
def test_a_release_is_loaded_by_way_of_spark(tmp_path, generated):
    graphs = []
    for spark in (False, True):
        settings = Settings(home=tmp_path / f"home-{spark}", graph="memory:")
        graph = MemoryGraph(settings)
        receipt = load_relations([generated], graph, settings, max_rejects=10**6, spark=spark)
        graphs.append((receipt.rows, receipt.edges, graph.stats().digest))
    assert graphs[0] == graphs[1]


@pytest.mark.models
def test_a_spark_that_does_not_start_is_reported(tmp_path):
    (tmp_path / "f").write_text("1\ttreat\tGene|1\tGene|2\n")
    command = [
        str(Path(sys.executable).with_name("truthhypo")),
        "ingest",
        "relations",
        str(tmp_path / "f"),
        "--engine",
        "spark",
    ]
    environment = {**os.environ, "JAVA_HOME": str(tmp_path), "TRUTHHYPO_HOME": str(tmp_path / "home")}
    ran = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 3, ran.stderr
    assert "Java 17" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_without_the_extra_the_error_says_how_to_install_it(tmp_path, monkeypatch):
    for name in ("pyspark", "pyspark.errors", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=r"truthhypo\[spark\]"):
        SparkEngine(Settings(), tmp_path)


@pytest.mark.parametrize(("amount", "java"), [("2GB", "2g"), ("512 MB", "512m"), ("1GiB", "1g"), ("100KB", "100k")])
def test_memory_is_given_to_java_in_the_units_of_java(amount, java):
    assert _jvm(amount) == java
