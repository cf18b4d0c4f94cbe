"""Memory does not grow with the file: four times the rows, about the same peak."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PROGRAM = """
import resource, sys
from pathlib import Path
from groundwork.settings import Settings
from ingest import kinds
from ingest.engine import Engine
from ingest.intake import Options, take_in
from ingest.workspace import workspace

kind = {"relations": kinds.RELATIONS, "concepts": kinds.NAMES}[sys.argv[1]]
settings = Settings(home=Path(sys.argv[3]), memory_limit="120MB", threads=1)
with workspace(settings.home) as folder, Engine(settings, folder) as engine:
    taken = take_in("x", [sys.argv[2]], kind.reader, kind.schema, settings, Options(), folder)
    manifest, table = kind.snapshot(taken, engine, folder / "snapshot")
print(taken.receipt.rows.kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

LINES = {
    "relations": lambda n: f"{n % 99_991 + 1}\ttreat\tChemical|MESH:D{n * 7919 % 5003}\tGene|{n * 104729 % 3001}\n",
    "concepts": lambda n: f"{n + 1}\tGene\t{n * 7919 % 5003}\tname {n * 13 % 999}|g{n % 7}\tx\n",
}


def peak(kind: str, rows: int, folder: Path) -> int:
    """Peak memory in MB of normalising so many rows in a process of its own."""
    file = folder / f"{rows}.tsv"
    with file.open("w") as out:
        out.writelines(map(LINES[kind], range(rows)))
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, kind, str(file), str(folder / "home")],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    kept, memory = map(int, ran.stdout.split())
    assert kept == rows
    return memory


@pytest.mark.parametrize("kind", LINES)
def test_peak_memory_is_flat(tmp_path, kind):
    small, large = peak(kind, 200_000, tmp_path), peak(kind, 800_000, tmp_path)
    assert large < small * 1.35, f"{small} MB for 200 thousand rows, {large} MB for 800 thousand"
