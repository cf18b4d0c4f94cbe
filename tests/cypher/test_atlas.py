"""An atlas gives the memory store's answers and is never out of date, even after damage and on full disks."""

import os
import shutil
from contextlib import closing
from dataclasses import fields, replace

import numpy as np
import pytest

import cypher
from cypher.atlas import files
from cypher.atlas.charts import ChartedGraph, charts
from cypher.atlas.drawing import drawn
from groundwork import compiled
from groundwork.errors import AtlasMissing, DamagedStore, Refused
from groundwork.network import ArticleMask
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


def states(folder):
    """The states of an embedded graph."""
    return sorted(folder.glob("state-*"))


def kept(home):
    """The atlases of servers under a HOME."""
    return sorted(path for path in (home / "atlas").glob("*/*") if path.is_dir())


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
    (state,) = states(folder)
    assert isinstance(files.opened(state).pmids.base, np.memmap)


def test_a_graph_can_be_moved_and_copied(store, settings, folder):
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
def test_a_change_of_links_makes_another_state(store, oracle, folder, change):
    before = states(folder)
    for graph in (store, oracle):
        change(graph)
    assert list(answers(store)) == list(answers(oracle))
    assert len(states(folder)) == 1
    assert (states(folder) == before) is (change is CHANGES[-1]), "the record of a release is no part of the state"
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


@pytest.mark.filterwarnings("ignore::groundwork.errors.AtlasMissing")
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_an_incomplete_atlas_of_a_server_is_reported_and_built_again(oracle, settings, harm):
    charts(settings.home, oracle).graph().chains(ASPIRIN, PAIN)
    (atlas,) = kept(settings.home)
    assert cypher.atlas_faults("memory:", settings) == []
    harm(atlas)
    told = cypher.atlas_faults("memory:", settings)
    assert [f"remove {atlas}" in fault.remedy for fault in told] == [True] * (atlas.is_dir())
    with pytest.warns(AtlasMissing, match="it is built now from 9 edges"):
        assert list(answers(charts(settings.home, oracle).graph())) == list(answers(oracle))
    assert cypher.atlas_faults("memory:", settings) == [] and kept(settings.home) == [atlas]


@pytest.mark.parametrize("harm", [harm for name, harm in HARMS.items() if name != "of an earlier layout"])
def test_a_damaged_state_is_refused(store, settings, folder, harm):
    store.close()
    assert cypher.file_faults(store.address, settings) == []
    (state,) = states(folder)
    harm(state)
    assert cypher.file_faults(store.address, settings)
    with closing(cypher.connect(store.address, settings)) as graph:
        for use in (graph.stats, lambda: graph.chains(ASPIRIN, PAIN), lambda: fill(graph, EXAMPLE)):
            with pytest.raises(DamagedStore, match=str(folder)) as refused:
                use()
            assert "ingest rebuild" in refused.value.remedy


def test_counts_and_digest_are_kept_with_the_state(store, oracle, monkeypatch):
    wanted = oracle.stats()
    assert store.stats() == store.stats(anew=True) == wanted
    monkeypatch.setattr(type(store), "relations", None)
    assert store.stats() == wanted
    with pytest.raises(TypeError):
        store.stats(anew=True)


def test_without_room_for_an_atlas_answers_stay_the_same(oracle, settings, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "save", full)
    with pytest.warns(AtlasMissing, match=r"cannot be stored.*No space left"):
        assert list(answers(charts(settings.home, oracle).graph())) == list(answers(oracle))
    assert kept(settings.home) == []


def test_a_load_without_room_leaves_the_graph_as_it_was(store, oracle, folder, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "save", full)
    with pytest.raises(Refused, match="No space left"):
        fill(store, [edge(ASPIRIN, "cause", PAIN, 7)])
    monkeypatch.undo()
    assert list(answers(store)) == list(answers(oracle)) and len(states(folder)) == 1


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
