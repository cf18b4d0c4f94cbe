"""Embedded stores answer from an atlas, and servers if many look-ups are expected. The numbers are the same."""

import json
from contextlib import closing, suppress
from shutil import copytree, rmtree
from time import monotonic

import pytest

import cypher
from cypher.atlas.charts import ChartedGraph
from fuzzygraph.options import RiskOptions
from groundwork import manifest
from groundwork.errors import DatabaseDrawing
from groundwork.ports import Silent
from groundwork.records import Release
from groundwork.settings import Settings
from ingest.merged import MergeCache
from ingest.restoration import differences
from tests.contracts.graphs import copied, edge, fill, links_of
from tests.risks import checker_of
from truthhypo.charting import ServedGraph, ServedStores, charts_of, draw, reader, worth
from truthhypo.service.problems import Problem
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
def test_an_atlas_is_used_if_it_saves_time(look_ups, edges, there, wanted):
    assert worth(look_ups, edges, there=there) is wanted


@pytest.fixture
def loaded(settings, sample_home):
    """Settings of an embedded graph: a separate copy of the sample release."""
    copytree(sample_home, settings.home)
    return settings


def test_an_embedded_store_answers_from_its_own_atlas(loaded, monkeypatch):
    monkeypatch.setattr("cypher.atlas.charts.drawn", None)
    with World(loaded) as world:
        store = world.graph_store
        assert reader(store, loaded, 1) is reader(store, loaded, 1000) is store
        assert store.edges([concept.key for concept in store.every_concept()])


@pytest.mark.parametrize("merged", [True, False], ids=["merged state", "store"])
@pytest.mark.filterwarnings("ignore::groundwork.errors.AtlasMissing")
def test_edges_of_a_server_s_atlas_come_from_home_if_possible(loaded, monkeypatch, merged):
    """The store takes the place of a server. Once there is an atlas, only names are looked up in the store."""
    with World(loaded) as world:
        store = world.graph_store
        keys = [concept.key for concept in store.every_concept()]
        wanted = store.edges(keys)
        monkeypatch.setattr("truthhypo.charting.AtlasLookups", ChartedGraph)
        if merged:
            monkeypatch.setattr(type(store), "relations", None)
        else:
            monkeypatch.setattr(MergeCache, "kept", lambda *_: None)
        assert reader(store, loaded, 1) is store
        graph = reader(store, loaded, 1000)
        assert isinstance(graph, ChartedGraph)
        assert graph.edges(keys) == wanted != ()


def test_a_digest_kept_with_the_state_is_compared_with_the_edges(loaded):
    (path,) = loaded.home.glob("graph/state-*/manifest.json")
    noted = manifest.read(path)
    with World(loaded) as world:
        assert list(differences(world.graph_store, loaded)) == []
    manifest.write(path, {**noted, "summary": {**noted["summary"], "digest": "0" * 64}})
    with World(loaded) as world:
        assert world.graph_store.stats().digest == "0" * 64
        assert list(differences(world.graph_store, loaded)) == ["its counts and digest differ from the cached ones"]


def test_many_look_ups_in_a_memory_graph_use_an_atlas_that_follows_its_changes(tmp_path):
    settings = Settings(home=tmp_path, graph="memory:")
    store = cypher.connect("memory:", settings)
    edges = [edge("Gene|1", "associate", "Gene|2", 5), edge("Gene|2", "inhibit", "Gene|3", 6)]
    fill(store, edges[:1])
    assert reader(store, settings, 1) is store
    graph = reader(store, settings, 1000)
    assert isinstance(graph, ChartedGraph) and not list(tmp_path.iterdir())
    assert links_of(graph, "Gene|1", "Gene|2") == links_of(store, "Gene|1", "Gene|2") != ()
    fill(store, edges)
    charted = reader(store, settings, 1000)
    assert links_of(charted, "Gene|1", "Gene|3") == links_of(store, "Gene|1", "Gene|3") != ()


def test_a_service_answers_from_an_atlas_while_it_matches_the_server(settings, monkeypatch):
    """A store in memory takes the place of a server and records its look-ups."""
    monkeypatch.setattr("truthhypo.charting._PAUSE", 0.0)
    store = cypher.connect("memory:", settings)
    asked = []

    class Noted(type(store)):
        def chains(self, *ends, **options):
            asked.append(ends)
            return super().chains(*ends, **options)

    store.__class__ = Noted
    ends = "Gene|1", "Gene|3"
    charts = charts_of(store, settings)
    graph = ServedGraph(store, charts)

    def out_of_the_atlas():
        asked.clear()
        found = graph.chains(*ends), links_of(graph, *ends), graph.edges(ends), graph.network(*ends).links()
        passed_on = bool(asked)
        assert found == (store.chains(*ends), links_of(store, *ends), store.edges(ends), store.network(*ends).links())
        return not passed_on

    def load(state, number):
        with store.writing():
            store.put_release(Release("pubtator3", str(number), str(number), 1, 1, 0, state, "2026-01-01T00:00:00Z"))

    fill(store, [edge("Gene|1", "associate", "Gene|2", 5), edge("Gene|2", "inhibit", "Gene|3", 6)])
    load("live", 1)
    assert not out_of_the_atlas()
    charts.atlas(store.state(), Silent())
    assert out_of_the_atlas()
    load("loading", 2)
    fill(store, [edge("Gene|1", "treat", "Gene|3", 7)])
    assert not out_of_the_atlas()
    load("live", 2)
    assert not out_of_the_atlas()
    charts.atlas(store.state(), Silent())
    assert out_of_the_atlas()


def test_risks_from_an_atlas_are_those_of_the_memory_store(loaded):
    with World(loaded) as world:
        store = world.graph_store
        memory = copied(store, cypher.connect("memory:", loaded))
        statuses = []
        for text in TEXTS:
            for hops in (3, 4):
                one, other = (checker_of(graph).check(text, RiskOptions(hops=hops)) for graph in (store, memory))
                assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
                statuses.append(one.sentences[0].status)
        assert statuses.count("measured") >= 2


def test_a_service_does_not_hold_up_a_query_whose_database_is_drawn(loaded, monkeypatch):
    rmtree(loaded.home / "graph" / "drawn")
    monkeypatch.setattr("truthhypo.charting._DRAWING", 0.0)
    with closing(ServedStores(loaded)) as stores:
        with pytest.raises(DatabaseDrawing) as raised:
            stores.graph.query("RETURN 1")
        told = Problem.of(raised.value)
        assert (told.status, told.retry_after, told.drawing) == (503, 1, True)
        until = monotonic() + 60
        while monotonic() < until:
            with suppress(DatabaseDrawing):
                assert stores.graph.query("RETURN 1").rows == ((1,),)
                return
    raise AssertionError("the database was not drawn")


def test_a_service_draws_the_database_ahead_if_it_is_set(loaded):
    rmtree(loaded.home / "graph" / "drawn")
    draw(loaded)
    with closing(ServedStores(loaded)) as stores:
        stores.graph.waits = 0.0
        assert stores.graph.query("RETURN 1").rows == ((1,),)
