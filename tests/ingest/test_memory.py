"""Memory does not grow with the file: four times the rows, about the same peak, through the whole load."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PROGRAM = """
import resource, sys
from contextlib import nullcontext
from pathlib import Path
import ingest
from groundwork.settings import Settings

class Sink:
    '''A graph store that takes everything and keeps nothing, so that only the load itself needs memory.'''

    address = "sink:"

    def releases(self):
        return ()

    def writing(self):
        return nullcontext()

    def put_release(self, release):
        pass

    def put_concepts(self, batches):
        for _ in batches:
            pass

    def put_edges(self, batches, release):
        for _ in batches:
            pass

    drop_edges = drop_concepts = put_concepts

load = {"relations": ingest.load_relations, "concepts": ingest.load_concepts}[sys.argv[1]]
settings = Settings(home=Path(sys.argv[3]), memory_limit="120MB", threads=1)
receipt = load([sys.argv[2]], Sink(), settings)
print(receipt.rows.kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

LINES = {
    "relations": lambda n: f"{n % 99_991 + 1}\ttreat\tChemical|MESH:D{n * 7919 % 5003}\tGene|{n * 104729 % 3001}\n",
    "concepts": lambda n: f"{n + 1}\tGene\t{n * 7919 % 5003}\tname {n * 13 % 999}|g{n % 7}\tx\n",
}


def peak(kind: str, rows: int, folder: Path) -> int:
    """Peak memory in MB of loading so many rows in a process of its own."""
    file = folder / f"{rows}.tsv"
    with file.open("w") as out:
        out.writelines(map(LINES[kind], range(rows)))
    command = [sys.executable, "-c", PROGRAM, kind, str(file), str(folder / "home")]
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    kept, memory = map(int, ran.stdout.split())
    assert kept == rows
    return memory


@pytest.mark.parametrize("kind", LINES)
def test_peak_memory_is_flat(tmp_path, kind):
    small, large = peak(kind, 100_000, tmp_path), peak(kind, 400_000, tmp_path)
    assert large < small * 1.35, f"{small} MB for 100 thousand rows, {large} MB for 400 thousand"
