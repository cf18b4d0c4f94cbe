"""An atlas gives the memory store's answers and is never out of date, even after kills, damage and full disks."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import cypher
from cypher.atlas import files
from cypher.atlas.charted import ChartedGraph
from cypher.atlas.charts import charts
from cypher.atlas.drawing import drawn
from groundwork import compiled
from groundwork.errors import AtlasMissing
from groundwork.network import ArticleMask
from groundwork.ports import Silent
from groundwork.records import Similarity
from groundwork.tables import similarity_batch
from tests.contracts.graphs import ASPIRIN, COX1, COX2, EXAMPLE, FEVER, PAIN, concept, edge, fill, links_of, release

SIMILAR = [("m", COX1, COX2, 0.8), ("m", PAIN, FEVER, 0.3)]
MASK = ArticleMask.of([150, 160, 999])


def filled(address, settings):
    graph = cypher.connect(address, settings)
    return fill(graph, EXAMPLE, [concept("Gene|99", ("alone", 1))], SIMILAR, [(ASPIRIN, FEVER, "opposites")])


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "graph"


@pytest.fixture
def store(folder, settings):
    """A loaded embedded store."""
    with closing(filled(f"embedded:{folder}", settings)) as made:
        yield made


@pytest.fixture
def oracle(settings):
    """The same graph in memory."""
    return filled("memory:", settings)


def kept(folder):
    return sorted(path for path in (folder / "atlas").glob("*") if path.is_dir())


def reopened(store):
    return closing(cypher.connect(store.address, store.settings, read_only=True))


def answers(graph):
    pairs = [(ASPIRIN, PAIN), (ASPIRIN, FEVER), (COX1, FEVER), (PAIN, FEVER)]
    for head, tail in pairs:
        for before in (None, 180, 99):
            for rank in ("evidence", "dwpc", "hops"):
                yield graph.chains(head, tail, hops=4, before=before, rank=rank, similar=0.9).to_dict()
            yield links_of(graph, head, tail, hops=3, before=before)
    yield [hop.to_dict() for hop in graph.edges([ASPIRIN, COX1, COX2, PAIN, "Gene|99"], before=200)]


@pytest.mark.parametrize("fast", [False, True])
def test_a_mapped_atlas_answers_as_the_memory_store_does(store, oracle, folder, fast, monkeypatch):
    if fast:
        monkeypatch.setattr(compiled, "MANY", 0)
    assert list(answers(store)) == list(answers(oracle))
    assert store.chains(ASPIRIN, "Gene|99", hops=4).total == 0, "a concept without links is known too"
    (atlas,) = kept(folder)
    assert isinstance(files.opened(atlas).pmids.base, np.memmap)


@pytest.fixture
def atlas_unbuildable(monkeypatch):
    """Make every attempt to build an atlas fail."""
    for module in ("cypher.atlas.charts", "cypher.embedded.graph"):
        monkeypatch.setattr(f"{module}.drawn", None)


def test_a_load_builds_the_atlas_and_look_ups_map_it_wherever_the_folder_is_moved(
    store, settings, folder, atlas_unbuildable
):
    store.close()
    folder.rename(moved := folder.with_name("moved"))
    shutil.copytree(moved, copied := folder.with_name("copied"))
    for place in (moved, copied):
        with closing(cypher.connect(f"embedded:{place}", settings, read_only=True)) as graph:
            assert graph.chains(ASPIRIN, PAIN).total == 4


CHANGES = [
    lambda graph: fill(graph, [edge(ASPIRIN, "cause", PAIN, 7)], release="r2"),
    lambda graph: graph.put_similarities([similarity_batch([Similarity(COX1, FEVER, 0.8, "m")])]),
    lambda graph: graph.put_contradictions("opposites", []),
    lambda graph: graph.put_release(replace(release("pubtator3", "other"), state="past")),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.filterwarnings("ignore::groundwork.errors.AtlasMissing")
def test_any_change_of_the_store_builds_the_atlas_again(store, oracle, folder, change):
    before = kept(folder)
    for graph in (store, oracle):
        change(graph)
    assert list(answers(store)) == list(answers(oracle))
    assert len(kept(folder)) == 1 and kept(folder) != before
    with store.writing(), oracle.writing():
        for graph in (store, oracle):
            graph.put_similarities([similarity_batch([Similarity(COX1, PAIN, 0.5, "n")])])
        assert list(answers(store)) == list(answers(oracle)), "a load sees what it has written"


HARMS = {
    "shorter": lambda atlas: os.truncate(atlas / "target.npy", 40),
    "gone": lambda atlas: (atlas / "pmids.npy").unlink(),
    "other numbers": lambda atlas: flip(atlas / "target.npy"),
    "unreadable": lambda atlas: (atlas / "manifest.json").write_text("{", "utf-8"),
    "of an earlier layout": lambda atlas: atlas.rename(atlas.with_name("0" * 24)),
    "removed": shutil.rmtree,
}


def flip(path):
    content = path.read_bytes()
    path.write_bytes(content[:-8] + bytes(byte ^ 0xFF for byte in content[-8:]))


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_an_incomplete_atlas_is_reported_and_built_again(store, oracle, settings, folder, harm):
    (atlas,) = kept(folder)
    assert cypher.atlas_faults(store.address, settings) == []
    harm(atlas)
    told = cypher.atlas_faults(store.address, settings)
    assert [f"remove {atlas}" in fault.remedy for fault in told] == [True] * (atlas.is_dir())
    with reopened(store) as graph, pytest.warns(AtlasMissing, match="it is built now from 9 edges"):
        assert list(answers(graph)) == list(answers(oracle))
    assert cypher.atlas_faults(store.address, settings) == [] and kept(folder) == [atlas]


def test_counts_and_digest_are_kept_with_the_state(store, oracle, folder, monkeypatch):
    wanted = oracle.stats()
    assert store.stats() == store.stats(anew=True) == wanted
    monkeypatch.setattr(type(store), "relations", None)
    assert store.stats() == wanted
    with pytest.raises(TypeError):
        store.stats(anew=True)
    monkeypatch.undo()
    (kept(folder)[0] / "manifest.json").write_text("{", "utf-8")
    assert store.stats() == wanted


def test_without_room_for_an_atlas_answers_stay_the_same(store, oracle, folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    class Watched(Silent):
        def __init__(self):
            self.notes = []

        def note(self, text):
            self.notes.append(text)

    shutil.rmtree(folder / "atlas")
    monkeypatch.setattr(files, "save", full)
    watched = Watched()
    with store.writing(watched):
        pass
    assert "cannot be stored" in watched.notes[0] and "No space left" in watched.notes[0]
    with pytest.warns(AtlasMissing, match="cannot be stored"):
        assert list(answers(store)) == list(answers(oracle))
    assert kept(folder) == []


def test_an_atlas_that_cannot_be_written_beside_the_graph_is_kept_under_home(
    store, oracle, settings, folder, atlas_unbuildable, monkeypatch
):
    monkeypatch.undo()
    shutil.rmtree(folder / "atlas")
    (folder / "atlas").write_text("in the way")
    with reopened(store) as graph, pytest.warns(AtlasMissing, match="is built now"):
        assert list(answers(graph)) == list(answers(oracle))
    monkeypatch.setattr("cypher.atlas.charts.drawn", None)
    with reopened(store) as graph:
        assert list(answers(graph)) == list(answers(oracle))
    nowhere = settings.model_copy(update={"home": folder / "atlas"})
    monkeypatch.undo()
    with (
        closing(cypher.connect(store.address, nowhere, read_only=True)) as graph,
        pytest.warns(AtlasMissing, match="is built now"),
    ):
        assert list(answers(graph)) == list(answers(oracle))


def test_the_atlas_of_a_server_is_built_once_and_kept_under_home(oracle, settings, monkeypatch):
    with pytest.warns(AtlasMissing):
        assert charts(settings.home, oracle).graph().chains(ASPIRIN, PAIN).total == 4
    monkeypatch.setattr("cypher.atlas.charts.drawn", None)
    found = charts(settings.home, oracle)
    assert found.there() and found.graph().chains(ASPIRIN, PAIN).total == 4


class Counted:
    """An array that appends to `reads` how many elements each read returns."""

    def __init__(self, numbers, reads):
        self.numbers, self.reads = numbers, reads

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, at):
        found = self.numbers[at]
        self.reads.append(np.size(found))
        return found


def counted(edges, settings):
    """Return the example graph with many unrelated edges, read through an atlas, and a list of the numbers of array
    elements that it reads."""
    reads = []
    elsewhere = [edge(f"SNP|{n}", "associate", f"SNP|{n + 1}", n + 1) for n in range(edges)]
    store = fill(cypher.connect("memory:", settings), [*EXAMPLE, *elsewhere], similar=SIMILAR)
    atlas = drawn(store.relations(), store.beside())
    arrays = {
        field.name: Counted(getattr(atlas, field.name), reads)
        for field in fields(atlas)
        if field.name not in {"keys", "kinds", "shade"}
    }
    return ChartedGraph(store, lambda _: replace(atlas, **arrays)), reads


@pytest.mark.parametrize(
    "ask",
    [
        *(lambda graph, hops=hops: graph.chains(ASPIRIN, PAIN, hops=hops) for hops in (1, 2, 3, 4)),
        lambda graph: graph.chains(ASPIRIN, PAIN, hops=4, rank="dwpc", before=180, similar=0.9),
        lambda graph: graph.network(ASPIRIN, FEVER, hops=4, before=180).links(),
        lambda graph: links_of(graph, ASPIRIN, FEVER, hops=3),
        lambda graph: graph.edges([ASPIRIN, COX1, COX2]),
        lambda graph: graph.chains(ASPIRIN, PAIN, hops=4, rank="dwpc", before=180, without=MASK),
        lambda graph: graph.edges([ASPIRIN, COX1, COX2], without=MASK),
    ],
)
def test_a_look_up_reads_as_much_of_a_large_graph_as_of_a_small_one(settings, ask):
    (small, few), (large, many) = (counted(edges, settings) for edges in (200, 2000))
    assert ask(small) == ask(large)
    assert 0 < sum(many) == sum(few) < 600


KILLED = """
import sys, time
import cypher
from cypher.atlas import files
from groundwork.settings import Settings
from tests.contracts.graphs import COX1, FEVER, edge, fill
save = files.save
def slow(*given):
    save(*given)
    print("saved", flush=True)
    time.sleep(60)
files.save = slow
fill(cypher.connect(sys.argv[1], Settings()), [edge(COX1, "treat", FEVER, 5)], release="r2")
"""


def test_a_load_killed_while_it_builds_the_atlas_is_complete_and_the_next_look_up_builds_it(store, oracle, folder):
    store.close()
    command = [sys.executable, "-c", KILLED, store.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout.readline() == b"saved\n"
        fill(oracle, [edge(COX1, "treat", FEVER, 5)], release="r2")
        with reopened(store) as graph, pytest.warns(AtlasMissing):
            assert list(answers(graph)) == list(answers(oracle)), "another process does not wait for it"
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while [atlas.name.startswith("draft-") for atlas in kept(folder)] != [False] and time.monotonic() < deadline:
        with reopened(store) as graph, pytest.warns(AtlasMissing):
            assert list(answers(graph)) == list(answers(oracle))
    with reopened(store) as graph:
        assert list(answers(graph)) == list(answers(oracle))
