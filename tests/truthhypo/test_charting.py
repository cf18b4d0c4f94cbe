"""Many texts are measured on an atlas of the graph, with the store's own numbers; few are not."""

import json
from shutil import copytree

import pytest

import cypher
import ingest.merged
from cypher.atlas.charted import ChartedGraph
from groundwork.settings import Settings
from tests.contracts.graphs import edge, fill
from truthhypo.charting import reader, worth
from truthhypo.world import World

TEXTS = ["Simvastatin lowers cholesterol.", "Aspirin causes myocardial infarction.", "Aspirin treats headache."]


@pytest.mark.parametrize(
    ("look_ups", "edges", "there", "wanted"),
    [
        (1, 0, True, False),
        (60, 1_500_000, True, False),
        (100, 1_500_000, True, True),
        (100, 1_500_000, False, False),
        (400, 1_500_000, False, True),
    ],
)
def test_an_atlas_is_taken_where_it_saves_time(look_ups, edges, there, wanted):
    assert worth(look_ups, edges, there=there) is wanted


@pytest.fixture
def loaded(settings, sample_home):
    """Settings of an embedded graph with the sample release, a copy of its own."""
    copytree(sample_home, settings.home)
    return settings


def test_few_look_ups_go_to_the_store_and_many_to_an_atlas_out_of_home(loaded, monkeypatch):
    with World(loaded) as world:
        store = world.graph_store
        assert reader(store, loaded, 1) is store
        monkeypatch.setattr(type(store), "relations", None)  # the edges come from the merged state, not from the store
        graph = reader(store, loaded, 1000)
        assert isinstance(graph, ChartedGraph)
        keys = [concept.key for concept in store.every_concept()]
        assert graph.edges(keys) == store.edges(keys) != ()


def test_without_the_merged_state_the_edges_come_from_the_store(loaded, monkeypatch):
    monkeypatch.setattr(ingest.merged.Merged, "kept", lambda *_: None)
    with World(loaded) as world:
        graph = reader(world.graph_store, loaded, 1000)
        keys = [concept.key for concept in world.graph_store.every_concept()]
        assert graph.edges(keys) == world.graph_store.edges(keys) != ()


def test_many_look_ups_into_a_graph_in_memory_go_to_an_atlas_that_follows_it(tmp_path):
    settings = Settings(home=tmp_path, graph="memory:")
    store = cypher.connect("memory:", settings)
    edges = [edge("Gene|1", "associate", "Gene|2", 5), edge("Gene|2", "inhibit", "Gene|3", 6)]
    fill(store, edges[:1])
    assert reader(store, settings, 1) is store
    graph = reader(store, settings, 1000)
    assert isinstance(graph, ChartedGraph) and not list(tmp_path.iterdir())
    assert graph.links("Gene|1", "Gene|2") == store.links("Gene|1", "Gene|2") != ()
    fill(store, edges)
    charted = reader(store, settings, 1000)
    assert charted.links("Gene|1", "Gene|3") == store.links("Gene|1", "Gene|3") != ()


def test_risks_out_of_an_atlas_are_those_of_the_store(loaded, monkeypatch):
    asked = []
    whole = ChartedGraph.network
    monkeypatch.setattr(ChartedGraph, "network", lambda *args, **more: asked.append(1) or whole(*args, **more))
    with World(loaded) as few, World(loaded) as many:
        many.expect(1000)
        for text in TEXTS:
            for hops in (3, 4):
                one, other = few.risk(text, hops=hops), many.risk(text, hops=hops)
                assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert asked, "the atlas was asked"
