"""Each measurement of speed runs at a small size, so that none falls behind the program."""

import subprocess
import sys

import pytest

from benchmarks.performance.measure import REPOSITORY

SMALL = (
    "load --store embedded --rows 20000 --concepts 800 --repeat 1 --work",
    "normalise --rows 20000 --concepts 800 --repeat 1 --work",
    "documents --store embedded --records 300 --repeat 1 --work",
    "search --store embedded --records 300 --questions 10 --repeat 1 --work",
    "bench --rows 30000 --concepts 1000 --records 300 --instances 64 --concurrency 16 --delay 0.05 --finished 96 --repeat 1 --work",
    "context --concepts 500 --edges 3000 --pairs 4 --seconds 0.3 --home",
    "paths --concepts 300 --degrees 6 --pairs 5 --seconds 0.3 --json",
)


@pytest.mark.slow
@pytest.mark.parametrize("asked", SMALL)
def test_a_measurement_runs(asked, tmp_path):
    command = [sys.executable, "-m", "benchmarks", *asked.split(), str(tmp_path / "out")]
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "━" in ran.stdout  # the table of results
