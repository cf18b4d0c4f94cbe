"""Atlases under HOME: the store's own answers, mapped again, never out of date, whatever was killed."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cypher
from cypher.atlas.atlas import Atlas
from cypher.atlas.charted import ChartedGraph
from cypher.atlas.charts import Charts
from groundwork import compiled
from groundwork.records import Similarity
from groundwork.tables import similarity_batch
from tests.contracts.graphs import ASPIRIN, COX1, COX2, EXAMPLE, FEVER, PAIN, concept, edge, fill, release

SIMILAR = [("m", COX1, COX2, 0.8), ("m", PAIN, FEVER, 0.3)]


@pytest.fixture
def store(tmp_path, settings):
    with closing(cypher.connect(f"embedded:{tmp_path / 'graph'}", settings)) as made:
        fill(made, EXAMPLE, [concept("Gene|99", ("alone", 1))], SIMILAR, [(ASPIRIN, FEVER, "opposites")])
        yield made


def folders(settings):
    return sorted(path for path in (settings.home / "atlas").glob("*/*") if path.is_dir())


def answers(graph):
    pairs = [(ASPIRIN, PAIN), (ASPIRIN, FEVER), (COX1, FEVER), (PAIN, FEVER)]
    for head, tail in pairs:
        for before in (None, 180, 99):
            for rank in ("evidence", "dwpc", "hops"):
                yield graph.chains(head, tail, hops=4, before=before, rank=rank, similar=0.9).to_dict()
            yield graph.links(head, tail, hops=3, before=before)
    yield [hop.to_dict() for hop in graph.edges([ASPIRIN, COX1, COX2, PAIN, "Gene|99"], before=200)]


@pytest.mark.parametrize("fast", [False, True])
def test_a_mapped_atlas_answers_as_the_store_does(store, settings, fast, monkeypatch):
    if fast:
        monkeypatch.setattr(compiled, "MANY", 0)
    Charts(settings.home, store).atlas(store.state())
    (folder,) = folders(settings)
    mapped = Atlas.opened(folder)
    assert isinstance(mapped.pmids.base, np.memmap)
    graph = ChartedGraph(store, lambda _: mapped)
    assert list(answers(graph)) == list(answers(store))
    assert graph.chains(ASPIRIN, "Gene|99", hops=4).total == 0, "a concept without links is none that is unknown"


def test_it_is_drawn_once_and_then_mapped(store, settings, monkeypatch):
    charts = Charts(settings.home, store)
    assert not charts.there()
    charts.atlas(store.state())
    assert charts.there()
    monkeypatch.setattr("cypher.atlas.charts.drawn", None)  # drawing again would fail
    assert Charts(settings.home, store).graph().chains(ASPIRIN, PAIN).total == 4


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: fill(graph, [edge(ASPIRIN, "cause", PAIN, 7)], release="r2"),
        lambda graph: graph.put_similarities([similarity_batch([Similarity(COX1, FEVER, 0.8, "m")])]),
        lambda graph: graph.put_contradictions("opposites", []),
        lambda graph: graph.put_release(replace(release("pubtator3", "other"), state="past")),
    ],
)
def test_any_change_of_the_store_makes_it_anew(store, settings, change):
    graph = ChartedGraph(store, Charts(settings.home, store).atlas, trusted=-1.0)
    assert list(answers(graph)) == list(answers(store))
    before = folders(settings)
    change(store)
    assert list(answers(graph)) == list(answers(store))
    assert len(folders(settings)) == 1 and folders(settings) != before


@pytest.mark.parametrize("harm", ["shorter", "gone", "unreadable"])
def test_one_that_is_not_whole_is_drawn_again(store, settings, harm):
    charts = Charts(settings.home, store)
    charts.atlas(store.state())
    (folder,) = folders(settings)
    if harm == "shorter":
        os.truncate(folder / "target.npy", 40)
    elif harm == "gone":
        (folder / "pmids.npy").unlink()
    else:
        (folder / "manifest.json").write_text("{", "utf-8")
    assert not charts.there()
    assert charts.graph().chains(ASPIRIN, PAIN).total == 4
    assert charts.there()


def test_a_disk_that_takes_nothing_costs_time_and_no_answer(store, settings, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Atlas, "save", full)
    assert Charts(settings.home, store).graph().chains(ASPIRIN, PAIN).total == 4


KILLED = """
import sys, time
from pathlib import Path
import cypher
from cypher.atlas.atlas import Atlas
from cypher.atlas.charts import Charts
from groundwork.settings import Settings
home, graph = Path(sys.argv[1]), sys.argv[2]
save = Atlas.save
def slow(self, folder):
    save(self, folder)
    print("saved", flush=True)
    time.sleep(60)
Atlas.save = slow
store = cypher.connect(graph, Settings(home=home), read_only=True)
Charts(home, store).atlas(store.state())
"""


def test_a_process_killed_while_it_keeps_one_leaves_nothing_that_counts(store, settings):
    repository = Path(__file__).parents[2]
    command = [sys.executable, "-c", KILLED, str(settings.home), store.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=repository) as process:
        assert process.stdout.readline() == b"saved\n"
        charts = Charts(settings.home, store)
        assert not charts.there()
        assert charts.graph().chains(ASPIRIN, PAIN).total == 4, "another process does not wait for it"
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while not charts.there() and time.monotonic() < deadline:
        charts.atlas(store.state())
    assert [folder.name.startswith("draft-") for folder in folders(settings)] == [False]
