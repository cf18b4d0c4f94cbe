"""Approximate search by cells: what it finds is exact, and it reports its recall."""

import sys

import numpy as np
import pytest

from fuzzygraph.approximate import search
from fuzzygraph.nearest import search as exact
from groundwork.errors import InputError


@pytest.fixture(scope="module")
def clusters():
    """2,000 vectors around 125 centres, in a random order."""
    random = np.random.default_rng(4)
    centres = random.standard_normal((125, 64), np.float32).repeat(16, 0)
    return (centres + 0.5 * random.standard_normal(centres.shape, np.float32))[random.permutation(2000)]


def as_dict(pairs):
    return dict(zip(zip(pairs.heads.tolist(), pairs.tails.tolist(), strict=True), pairs.cosines.tolist(), strict=True))


def test_all_cells_find_what_all_pairs_find(clusters):
    """No pair is lost if all cells are searched, and top k is so large that only the cut excludes pairs."""
    pairs, recall = search(clusters, above=0.5, top_k=64, probes=1000)
    wanted, _ = exact(clusters, above=0.5, top_k=64)
    assert as_dict(pairs) == as_dict(wanted) != {}
    assert recall == 1.0


def test_few_cells_find_less_and_the_recall_says_how_much(clusters):
    wanted = as_dict(exact(clusters, above=0.2, top_k=30)[0])
    pairs, recall = search(clusters, above=0.2, top_k=30, probes=1, measured=2000)
    found = as_dict(pairs)
    shared = wanted.keys() & found.keys()
    assert {pair: found[pair] for pair in shared} == {pair: wanted[pair] for pair in shared}  # equal to the last bit
    assert len(shared) < 0.99 * len(wanted)
    unit = clusters / np.linalg.norm(clusters, axis=1, keepdims=True)
    cosines = unit @ unit.T - 3 * np.eye(len(unit), dtype=np.float32)
    nearest = np.argsort(-cosines, axis=1)[:, :30]
    true = [(min(a, b), max(a, b)) for a in range(2000) for b in nearest[a].tolist() if cosines[a, b] > 0.2]
    assert recall == pytest.approx(sum(pair in found for pair in true) / len(true), abs=1e-3)


def test_more_cells_find_more(clusters):
    recalls = [search(clusters, above=0.2, top_k=30, probes=probes)[1] for probes in (1, 8, 200)]
    assert recalls == sorted(recalls)
    assert recalls[-1] > 0.98  # 8-bit numbers blur the last of the top k: measured 0.997


def test_the_same_seed_gives_the_same_pairs(clusters):
    first, second = (as_dict(search(clusters, above=0.5, top_k=5, probes=2, seed=9)[0]) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_few_vectors_are_one_cell(count):
    vectors = np.random.default_rng(1).standard_normal((count, 8)).astype(np.float32)
    pairs, recall = search(vectors, above=-2.0, top_k=40)
    assert as_dict(pairs) == as_dict(exact(vectors, above=-2.0, top_k=40)[0])
    assert recall == 1.0


@pytest.mark.parametrize("options", [{"top_k": 0}, {"top_k": 1, "probes": 0}, {"top_k": 1, "measured": 0}])
def test_numbers_below_one_are_refused(options):
    with pytest.raises(InputError, match="= 0"):
        search(np.ones((2, 2), np.float32), above=0.0, **options)


def test_without_the_extra_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(InputError, match=r"(?s)extra `ann`.*pip install 'truthhypo\[ann\]'"):
        search(np.ones((2, 2), np.float32), above=0.0, top_k=1)
