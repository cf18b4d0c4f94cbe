"""A load of many files is killed (SIGKILL) at random points: readers see all of it or nothing, and the same command
finishes it."""

import json
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

import ingest
import literature
from groundwork.settings import Settings
from literature import elastic
from literature.elastic_load import Lease
from tests.ingest.test_pubmed_load import file, told

#: A process that loads the files for each line of its input, in a child that kills itself at its Nth call of a function
#: within ingest or literature (0: never). The process answers with the child's status and the calls counted.
PROGRAM = """
import json, os, signal, sys
from pathlib import Path
import ingest, literature, literature.{adapter}, ingest.pubmed.pubmed_load
from groundwork.settings import Settings

ROOMS = tuple(str(Path(room.__file__).parent) for room in (ingest, literature))

def load(point, told, address, home, index, files):
    calls = 0
    def hook(frame, event, _):
        nonlocal calls
        if event in ("call", "c_call") and frame.f_code.co_filename.startswith(ROOMS):
            calls += 1
            if calls == point:
                os.kill(os.getpid(), signal.SIGKILL)
    settings = Settings(home=home, literature_index=index, threads=1)
    store = literature.connect(address, settings)
    sys.setprofile(hook)
    ingest.load_pubmed(files, store, settings)
    sys.setprofile(None)
    os.write(told, str(calls).encode())
    os._exit(0)

for line in sys.stdin:
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        load(*(lambda point, *rest: (point, told, *rest))(*json.loads(line)))
    os.close(told)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([status, int(os.read(heard, 20) or 0)]), flush=True)
    os.close(heard)
"""


class Loader:
    """Runs `PROGRAM` as a process that is controlled by lines of text."""

    def __init__(self, adapter: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.replace("{adapter}", adapter)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def load(self, point: int, store, settings: Settings, files: list[Path]) -> tuple[int, int]:
        asked = [point, store.address, str(settings.home), settings.literature_index, [str(path) for path in files]]
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        status, calls = json.loads(self._process.stdout.readline())
        return status, calls

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


@pytest.fixture
def loader(request):
    loader = Loader(request.param)
    yield loader
    loader.close()


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """Six files whose records revise and delete each other's."""
    chance = random.Random(1)
    return [
        file(
            tmp_path / "files",
            number,
            [(chance.randrange(1, 60), f"pain {number} {chance.choice('abcd')} word") for _ in range(25)]
            + chance.sample(range(1, 60), 4),
            broken=1,
        )
        for number in range(1, 7)
    ]


@pytest.fixture
def before(tmp_path) -> Path:
    return file(tmp_path / "before", 1, [(pmid, "old pain") for pmid in range(50, 70)], year=25)


def state(store) -> dict:
    return {pmid: replace(article, release="") for pmid, article in store.get(range(100)).items()}


def check_whole(store, memory, receipt, wanted) -> None:
    assert list(store.every_pmid()) == list(memory.every_pmid())
    assert store.get(range(100)) == memory.get(range(100))
    assert [(r.id, r.state) for r in store.releases()] == [(r.id, r.state) for r in memory.releases()]
    mine, oracle = store.search("pain word a", k=100).hits, memory.search("pain word a", k=100).hits
    assert [hit.pmid for hit in mine] == [hit.pmid for hit in oracle]
    assert [hit.score for hit in mine] == pytest.approx([hit.score for hit in oracle], rel=1e-5)
    if receipt.documents.added:  # otherwise the killed run had made its last write
        assert told(receipt) == told(wanted)
        assert len(Path(receipt.rejects_file).read_text().splitlines()) == 6


def oracle(settings, before, files):
    """The memory store after an undisturbed run, and that run's receipt."""
    memory = literature.connect("memory:", settings)
    ingest.load_pubmed([before], memory, settings)
    old = state(memory)
    return memory, old, ingest.load_pubmed(files, memory, settings)


@pytest.mark.parametrize("kills", [5, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("loader", ["embedded"], indirect=True)
def test_killed_at_random_points_on_the_embedded_store(loader, kills, tmp_path, settings, before, files):
    memory, old, wanted = oracle(settings.model_copy(update={"home": tmp_path / "calm"}), before, files)
    base = tmp_path / "base"
    ingest.load_pubmed([before], literature.connect(f"embedded:{base}/literature", settings), Settings(home=base))
    calls, chance, seen = 0, random.Random(2), set()
    for kill in range(kills):
        home = tmp_path / f"home-{kill}"
        shutil.copytree(base, home)
        own = Settings(home=home)
        store = literature.connect(own.literature_address, own)
        status, counted = loader.load(0 if not kill else chance.randrange(1, calls), store, own, files)
        if kill:
            assert status == -9
            if kill % 3 == 0:  # and the next run is killed, too
                loader.load(chance.randrange(1, calls), store, own, files)
            assert state(store) in (old, state(memory))
            seen.add(len(list((home / "loads").glob("*/*/ledger.sqlite"))))
        calls = calls or counted
        check_whole(store, memory, ingest.load_pubmed(files, store, own), wanted)
        assert not (home / "literature" / "draft").exists()
        shutil.rmtree(home)
    assert calls > 2000
    assert 1 in seen  # some runs were killed before their end


@pytest.mark.servers
@pytest.mark.slow
@pytest.mark.parametrize("loader", ["elastic"], indirect=True)
def test_killed_at_random_points_on_elasticsearch(
    loader, tmp_path, settings, before, files, elasticsearch_address, monkeypatch
):
    monkeypatch.setattr(elastic, "Lease", partial(Lease, patience=2.5))
    memory, old, wanted = oracle(settings.model_copy(update={"home": tmp_path / "calm"}), before, files)
    chance, calls = random.Random(3), 0
    for kill in range(8):
        own = settings.model_copy(update={"home": tmp_path / f"home-{kill}", "literature_index": f"test-{uuid4().hex}"})
        store = literature.connect(elasticsearch_address, own)
        try:
            ingest.load_pubmed([before], store, own)
            status, counted = loader.load(0 if not kill else chance.randrange(calls // 3, calls), store, own, files)
            assert status == (-9 if kill else 0)
            calls = calls or counted
            assert state(store) in (old, state(memory))
            check_whole(store, memory, ingest.load_pubmed(files, store, own), wanted)
        finally:
            store.close()
            with Elasticsearch(elasticsearch_address) as client:
                for index in client.indices.get(index=f"{own.literature_index}-*", expand_wildcards="all"):
                    client.indices.delete(index=index)
