"""Similarity edges as a release: what replaces them, what keeps them, how to go back, and what is reported."""

from dataclasses import replace

import pytest

import cypher
import ingest
from groundwork import tables
from groundwork.errors import InputError, Refused
from groundwork.records import Similarity, SimilaritySet
from groundwork.settings import Settings
from groundwork.tables import similarity_batch
from ingest.snapshot import Snapshots
from tests.contracts.conftest import STORES
from tests.contracts.graphs import similarity_keys
from tests.cypher.older import make_older
from tests.ingest.kinds import loaded
from tests.ingest.oracle import Load, similarities_of
from tests.ingest.test_load import Stores

A, B, C, D = (f"Gene|{n}" for n in range(1, 5))
ALL = Load("relations", [(1, "associate", A, B), (2, "associate", C, D)])
WITHOUT_D = Load("relations", [(1, "associate", A, B), (2, "associate", A, C)])
NEAR = Load("similarity", [(A, B, 0.5), (A, D, 0.25), (C, D, 1.0)], "m")
FEWER = Load("similarity", [(A, B, 0.75)], "m")
OTHER = Load("similarity", [(A, B, -0.5)], "n")


def of(*loads: Load) -> dict:
    return {(load.source, head, tail): cosine for load in loads for head, tail, cosine in load.rows}


@pytest.fixture(params=STORES)
def stores(request, tmp_path) -> Stores:
    """Stores of each kind of graph, with four concepts."""
    with loaded(request, tmp_path, ALL) as made:
        yield made


def test_a_set_replaces_the_set_of_its_model_and_activate_restores_it(stores):
    first = stores.load(NEAR)
    stores.load(OTHER)
    second = stores.load(FEWER)
    assert similarities_of(stores.graph) == of(FEWER, OTHER)
    assert second.similarities == ingest.Effect(total=2, added=0, changed=1, removed=2, unchanged=1)
    assert (second.edges.unchanged, second.concepts.unchanged) == (2, 4)
    assert (second.rows.read, second.rows.kept, second.rows.rejected) == (1, 1, 0)
    assert second.verified.similarities == 2
    back = ingest.activate(first.release, stores.graph, stores.settings)
    assert similarities_of(stores.graph) == of(NEAR, OTHER)
    assert back.similarities == ingest.Effect(total=4, added=2, changed=1, removed=0, unchanged=1)
    states = {release.id: release.state for release in stores.graph.releases() if release.source == "similarity"}
    assert states == {first.release: "live", second.release: "past", stores.load(OTHER).release: "live"}


def test_the_release_says_how_its_edges_were_made_in_the_graph_and_under_home(stores):
    receipt = stores.load(NEAR)
    (release,) = (one for one in stores.graph.releases() if one.source == "similarity")
    assert release.similarity == SimilaritySet("m", "", 12, "scaled", 0.5, 20, 13.4, 0.26, "default")
    snapshot = Snapshots(stores.settings.home).find("similarity", receipt.release)
    assert snapshot.manifest.similarity == release.similarity
    assert snapshot.manifest.rows == receipt.rows == ingest.receipt.Rows(3, 3, 0)
    assert release in ingest.releases(stores.graph, stores.literature)


def test_similarities_are_removed_with_a_concept_and_restored_with_it(stores):
    stores.load(NEAR)
    gone = stores.load(WITHOUT_D)
    assert similarities_of(stores.graph) == {("m", A, B): 0.5}
    assert gone.similarities == ingest.Effect(total=1, added=0, changed=0, removed=2, unchanged=1)
    again = stores.load(ALL)
    assert similarities_of(stores.graph) == of(NEAR)
    assert again.similarities.added == 2


def test_edges_of_missing_concepts_appear_when_the_concepts_are_loaded(tmp_path):
    stores = Stores(tmp_path)
    assert stores.load(NEAR).similarities is None
    assert stores.load(ALL).similarities.added == 3
    assert similarities_of(stores.graph) == of(NEAR)


def test_a_load_without_similarities_does_not_report_any(tmp_path):
    assert "similarities" not in Stores(tmp_path).load(ALL).to_dict()


def test_the_same_edges_made_with_other_parameters_are_another_release(tmp_path):
    stores = Stores(tmp_path)
    stores.load(ALL)
    file, made = NEAR.write(tmp_path), SimilaritySet("m", "", 4, "scaled", 0.5, 20, 99.0, 0.9, "labels")
    first = ingest.load_similarities(file, stores.graph, stores.settings)
    tables.write_similarities(file, made, [similarity_batch(Similarity(*row, "m") for row in NEAR.rows)])
    with pytest.raises(InputError, match="loaded before with other bytes"):
        ingest.load_similarities(file, stores.graph, stores.settings, release=first.release)
    second = ingest.load_similarities(file, stores.graph, stores.settings)
    assert (second.similarities.unchanged, second.similarities.total) == (3, 3)
    assert [one.similarity for one in stores.graph.releases() if one.state == "live" and one.similarity] == [made]


@pytest.mark.parametrize(
    "rows",
    [[(B, A, 0.5)], [(A, A, 0.5)], [(A, B, 0.5), (A, B, 0.6)], [(A, B, 1.5)], [(A, B, float("nan"))]],
)
def test_a_file_that_no_build_makes_is_refused(tmp_path, rows):
    stores = Stores(tmp_path)
    stores.load(ALL)
    with pytest.raises(InputError, match=r"Gene|twice"):
        stores.load(replace(NEAR, rows=rows))
    assert similarities_of(stores.graph) == {}
    assert not (stores.settings.home / "snapshots" / "similarity").exists()


@pytest.mark.parametrize(
    "harm",
    [
        lambda graph: graph.drop_similarities([similarity_keys(("m", A, D))]),
        lambda graph: graph.put_similarities([similarity_batch([Similarity(A, D, 0.26, "m")])]),
        lambda graph: graph.put_similarities([similarity_batch([Similarity(A, C, 0.5, "nobody's")])]),
    ],
)
def test_lost_wrong_and_unknown_edges_are_reported_and_repaired(stores, harm):
    class Disturbed:
        def __getattr__(self, name):
            return getattr(store, name)

        def drop_concepts(self, batches):
            store.drop_concepts(batches)
            harm(store)

    store, file = stores.graph, NEAR.write(stores.folder)
    with pytest.raises(Refused, match="similar_to") as refused:
        ingest.load_similarities(file, Disturbed(), stores.settings)
    assert "--rebuild" in refused.value.remedy
    assert "live" not in {one.state for one in store.releases() if one.source == "similarity"}
    ingest.load_similarities(file, store, stores.settings, rebuild=True)
    assert similarities_of(store) == of(NEAR)


def test_a_graph_of_an_earlier_version_is_read_and_accepts_similarities(tmp_path):
    """An earlier version wrote releases without the column that says how edges were made."""
    stores = Stores(tmp_path)
    stores.graph = cypher.connect(f"embedded:{tmp_path / 'graph'}", stores.settings)
    stores.load(ALL)
    stores.graph.close()
    make_older(tmp_path / "graph", stores.settings, changes=["ALTER TABLE Release DROP similarity"])
    read = cypher.connect(f"embedded:{tmp_path / 'graph'}", Settings(), read_only=True)
    assert [one.similarity for one in read.releases()] == [None]
    read.close()
    stores.load(NEAR)
    assert similarities_of(stores.graph) == of(NEAR)
    stores.graph.close()
