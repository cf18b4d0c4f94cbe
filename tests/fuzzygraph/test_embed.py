"""The embedder by spelling, and the messages if the extra or the model is missing."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzygraph.embed import TRIGRAM, Trigrams, connect
from groundwork.errors import InputError


def cosine(a: str, b: str) -> float:
    one, other = Trigrams().embed([a, b]).astype(float)
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_the_name_of_the_trigram_embedder_says_spelling():
    assert isinstance(connect(TRIGRAM), Trigrams)
    assert "spelling" in connect(" trigram ").name


def test_trigrams_know_spelling_and_no_meaning():
    assert cosine("tumour", "tumor") > 0.4
    assert cosine("hyperglycemia", "hypoglycemia") > 0.5  # opposites in meaning: polarity needs its own signal
    assert cosine("heart attack", "myocardial infarction") < 0.2
    assert cosine("Aspirin", " aspirin ") == pytest.approx(1.0)


def test_a_vector_is_the_same_on_every_machine():
    """The hash is CRC-32: 0x1856C560 for " ab", and 0xDAF151E8 for "ab ", where the first bit is set."""
    (row,) = Trigrams().embed(["ab"])
    assert {int(place): float(row[place]) for place in np.flatnonzero(row)} == {
        0x1856C560 % 512: -1.0,
        0xDAF151E8 % 512: 1.0,
    }


@given(st.lists(st.text(max_size=20), max_size=6), st.integers(1, 64))
def test_each_text_has_one_row_independent_of_the_other_texts(texts, size):
    embedder = Trigrams(size)
    rows = embedder.embed(texts)
    assert (rows.shape, rows.dtype) == ((len(texts), size), np.float32)
    assert np.isfinite(rows).all()
    for row, text in zip(rows, texts, strict=True):
        assert (row == embedder.embed([text])[0]).all()


def test_a_text_without_a_character_is_all_zero():
    assert not Trigrams().embed(["", "  "]).any()


def test_without_the_extra_a_model_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InputError, match=r"(?s)extra `models`.*pip install 'truthhypo\[models\]'.*trigram"):
        connect("dmis-lab/biobert-base-cased-v1.2")


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_refused(name):
    with pytest.raises(InputError, match="empty embedder name"):
        connect(name)
