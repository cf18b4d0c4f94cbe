"""Memory does not grow with the file: with four times the rows, a load has about the same peak."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

PROGRAM = """
import resource, sys
from contextlib import nullcontext
from pathlib import Path
import ingest
from groundwork.settings import Settings
from ingest import change, concepts, release
from ingest.receipt import Verification

release._BLOCK, concepts._HELD = 1 << 19, 20_000  # less than the files of this test hold
change.verify = lambda *_: Verification(0, 0, 0)  # nothing is kept that could be verified

class Sink:
    '''A graph store that takes everything and keeps nothing, so that only the load itself needs memory.'''

    address = "sink:"

    def releases(self):
        return ()

    def check_idle(self):
        pass

    def writing(self, progress):
        return nullcontext()

    def put_release(self, release):
        pass

    def put_concepts(self, batches):
        for _ in batches:
            pass

    def put_edges(self, batches, release, dropped):
        for _ in (*batches, *dropped):
            pass

    put_similarities = drop_edges = drop_similarities = drop_concepts = put_concepts

load = {"relations": ingest.load_relations, "concepts": ingest.load_concepts}[sys.argv[1]]
settings = Settings(home=Path(sys.argv[3]), memory_limit="120MB", threads=1)
receipt = load([sys.argv[2]], Sink(), settings)
print(receipt.rows.kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

READING = """
import resource, sys
from pathlib import Path
from groundwork.ports import Silent
from ingest import concepts, release
from ingest.engine import write
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile

release._BLOCK, concepts._HELD = 1 << 19, 20_000  # less than the files of this test hold
read, schema = {"names": (concepts.read, concepts.NAMES), "pairs": (concepts.read_pairs, concepts.PAIRS)}[sys.argv[1]]
rows, folder = RowCount(), Path(sys.argv[3])
folder.mkdir(exist_ok=True)
with Rejects(folder / "rejects.tsv") as rejects:
    write(read([SourceFile(sys.argv[2])], rejects, rows, Silent()), schema, folder / "rows.parquet")
print(rows.kept + rejects.total, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

LINES = {
    "relations": lambda n: f"{n % 99_991 + 1}\ttreat\tChemical|MESH:D{n * 7919 % 5003}\tGene|{n * 104729 % 3001}\n",
    "concepts": lambda n: f"{n + 1}\tGene\t{n * 7919 % 5003}\tname {n * 13 % 999}|g{n % 7}\tx\n",
}


def entity(n: int) -> str:
    """Return row n. Most rows name something new, and some have no id."""
    return f"{n + 1}\tChemical\t{'-' if n % 9 == 0 else n % 60_013}\tname {n * 13 % 999}|{n}\tx\n"


def peak(program: str, kind: str, line: Callable[[int], str], rows: int, folder: Path) -> int:
    """Peak memory in MB of a program that reads so many rows."""
    file = folder / f"{rows}.tsv"
    with file.open("w") as out:
        out.writelines(map(line, range(rows)))
    command = [sys.executable, "-c", program, kind, str(file), str(folder / "home")]
    ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    seen, memory = map(int, ran.stdout.split())
    assert seen == rows
    return memory


@pytest.mark.parametrize("kind", ["relations", pytest.param("concepts", marks=pytest.mark.slow)])
def test_peak_memory_is_flat(tmp_path, kind):
    small, large = (peak(PROGRAM, kind, LINES[kind], rows, tmp_path) for rows in (100_000, 400_000))
    assert large < small * 1.35, f"{small} MB for 100 thousand rows, {large} MB for 400 thousand"


@pytest.mark.parametrize("kind", ["names", pytest.param("pairs", marks=pytest.mark.slow)])
def test_peak_memory_of_reading_entities_is_flat(tmp_path, kind):
    small, large = (peak(READING, kind, entity, rows, tmp_path) for rows in (100_000, 500_000))
    assert large < small * 1.15, f"{small} MB for 100 thousand rows, {large} MB for 500 thousand"
