"""Elasticsearch is killed (SIGKILL) during a load: the same command finishes the load, and no record is lost or
doubled.

The test starts two servers, so it is slow. Faster tests always run: test_pubmed_killed.py kills the loader on the
embedded store, and in tests/literature/test_bulk.py a server answers with errors.
"""

import os
import shutil
import signal
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import ingest
import literature
from groundwork.errors import StoreError
from literature import elastic, elastic_load
from literature.elastic_load import Lease
from tests.ingest.test_pubmed_load import file, reading, told
from tests.servers import elasticsearch, process

FLAGS = ("-Xms512m", "-Xmx512m", "-XX:TieredStopAtLevel=1")


def start(port: int, data: Path | None = None) -> process.Server:
    """Start a node on a port, if given with the data of an earlier node."""

    def prepare(folder: Path) -> process.Command:
        command = elasticsearch.prepare(folder, port, "", FLAGS)
        if data:
            shutil.copytree(data, folder / "home/data")
            for path in (folder / "home/data", *(folder / "home/data").rglob("*")):
                if command.user:
                    shutil.chown(path, command.user)
        return command

    def probe(_folder: Path) -> str | None:
        address = f"http://127.0.0.1:{port}"
        return address if elasticsearch.answers(address) else None

    return process.start("Elasticsearch", prepare, probe, elasticsearch.START_SECONDS)


def crash(server: process.Server, data: Path) -> None:
    """Kill a node, and copy the data that are on its disk at that moment."""
    os.kill(server.pid, signal.SIGSTOP)
    shutil.copytree(server.folder / "home/data", data, ignore=shutil.ignore_patterns("node.lock", "write.lock"))
    os.kill(server.pid, signal.SIGKILL)
    server.stop()


@pytest.mark.slow
@pytest.mark.servers
def test_a_server_killed_in_the_middle_of_a_load(settings, tmp_path, monkeypatch, elasticsearch_address):
    assert urlsplit(elasticsearch_address).port  # this machine can run one
    for name, value in (("FIRST_PAUSE", 0.05), ("LONGEST_PAUSE", 0.1), ("DOCUMENTS", 50)):
        monkeypatch.setattr(elastic_load, name, value)
    monkeypatch.setattr(elastic, "Lease", partial(Lease, patience=2.5))
    settings = settings.model_copy(update={"literature_retry": 0.5})
    files = [
        file(tmp_path / "files", number, [(pmid, f"pain {number}") for pmid in range(number, 900, number)] + [number])
        for number in range(1, 6)
    ]
    memory = literature.connect("memory:", settings)
    wanted = ingest.load_pubmed(files, memory, settings.model_copy(update={"home": tmp_path / "calm"}))
    (port,) = process.free_ports(1)
    server, data = start(port), tmp_path / "data"
    try:
        store, once = literature.connect(server.address, settings), elastic_load._Sender._once
        asked = []

        def dying(self, items):
            asked.append(len(items))
            if len(asked) == 30:
                crash(server, data)
            return once(self, items)

        monkeypatch.setattr(elastic_load._Sender, "_once", dying)
        with pytest.raises(StoreError):
            ingest.load_pubmed(files, store, settings)
        monkeypatch.setattr(elastic_load._Sender, "_once", once)
        store.close()
        server = start(port, data)
        store = literature.connect(server.address, settings)
        assert (store.info().documents, store.releases()) == (0, ())
        parsed = reading(monkeypatch)
        assert told(ingest.load_pubmed(files, store, settings)) == told(wanted)
        assert len(parsed) == 3  # the server was killed while the third of five files was written
        assert list(store.every_pmid()) == list(memory.every_pmid())
        assert store.get(range(1000)) == memory.get(range(1000))
        assert store.info().documents == memory.info().documents
        store.close()
    finally:
        server.stop()
