"""Any transformers model as an embedder: a tiny one, made here with random weights (extra `models`)."""

import numpy as np
import pytest

from fuzzygraph.embed import connect as embedder
from groundwork.errors import ModelUnreachable
from tests.fuzzygraph.building import build
from tests.fuzzygraph.test_vectors import graph

pytestmark = pytest.mark.models

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "aeiourstn")]
NAMES = ["a b c", "a b d", "z", "x y z a very long name of a b c d e f g h i j k l m n o p q r s t u v w x y z" * 3]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a BERT with two layers, vectors of 16 numbers and 32 positions, saved like any model."""
    import torch
    import transformers

    path = tmp_path_factory.mktemp("tiny-bert")
    (path / "vocab.txt").write_text("\n".join(WORDS) + "\n", "utf-8")
    transformers.BertTokenizerFast(str(path / "vocab.txt")).save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        initializer_range=0.5,  # with the usual 0.02 all texts would have similar vectors
    )
    transformers.BertModel(config).save_pretrained(path)
    return path


def by_hand(folder, text, pooling):
    """Return the last layer of one text alone, pooled by the definition."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(text, truncation=True, max_length=32, return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0].numpy()
    return states[0] if pooling == "cls" else states.mean(0)


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("batch", [1, 3, 64])
def test_a_vector_is_the_pooled_last_layer_whatever_else_is_in_the_batch(folder, pooling, batch):
    rows = embedder(str(folder), pooling=pooling, batch=batch, device="cpu").embed(NAMES)
    assert (rows.shape, rows.dtype) == ((4, 16), np.float32)
    for row, text in zip(rows, NAMES, strict=True):
        assert row == pytest.approx(by_hand(folder, text, pooling), abs=1e-5)


def test_an_empty_list_of_texts_gives_no_rows(folder):
    assert embedder(str(folder), pooling="cls").embed([]).shape == (0, 16)


def test_a_plain_model_is_mean_pooled_by_default(folder):
    assert embedder(str(folder), device="cpu").embed(NAMES[:3]) == pytest.approx(
        embedder(str(folder), pooling="mean", device="cpu").embed(NAMES[:3]), abs=1e-5
    )


def test_each_pooling_has_its_own_set_of_edges(folder, settings, tmp_path):
    store = graph(settings, ["a b c", "a b d", "c d e", "z y x"])
    kinds = {
        pooling: build(store, embedder(str(folder), pooling=pooling, device="cpu"), home=tmp_path, force=True)
        for pooling in ("auto", "cls", "mean")
    }
    assert kinds["auto"].model == str(folder)
    assert kinds["cls"].model == f"{folder} (cls)"
    models = store.query("MATCH ()-[r:SIMILAR_TO]->() RETURN DISTINCT r.model").rows
    assert {model for (model,) in models} == {receipt.model for receipt in kinds.values() if receipt.edges}
    assert len(list((tmp_path / "vectors").iterdir())) == 3


def test_vectors_are_kept_for_one_version_of_a_folder(folder, settings, tmp_path):
    """A folder whose files were replaced counts as another model, although its name is the same."""
    from shutil import copytree

    copy = tmp_path / "model"
    copytree(folder, copy)
    store = graph(settings, ["a b c", "z y x"])
    options = {"home": tmp_path / "home", "force": True}
    embedded = [build(store, embedder(str(copy), pooling="cls", device="cpu"), **options).embedded for _ in range(2)]
    (copy / "vocab.txt").write_text("\n".join(reversed(WORDS)) + "\n", "utf-8")
    embedded.append(build(store, embedder(str(copy), pooling="cls", device="cpu"), **options).embedded)
    assert embedded == [2, 0, 2]


def test_a_folder_that_is_not_a_model_says_what_it_lacks(tmp_path):
    (tmp_path / "notes.txt").write_text("not a model", "utf-8")
    for pooling in ("auto", "cls"):
        with pytest.raises(ModelUnreachable, match=r"(?s)neither config\.json nor modules\.json.*biobert"):
            embedder(str(tmp_path), pooling=pooling)


@pytest.mark.parametrize("text", ["{}", "no json", '{"model_type": "no such kind"}', '{"model_type": "bert"}'])
def test_a_folder_with_a_config_and_no_model_is_reported(tmp_path, text):
    (tmp_path / "config.json").write_text(text, "utf-8")
    for pooling in ("auto", "cls"):
        with pytest.raises(ModelUnreachable, match="cannot be loaded"):
            embedder(str(tmp_path), pooling=pooling)
