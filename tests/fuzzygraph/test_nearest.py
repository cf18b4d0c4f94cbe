"""Exact search for near vectors: against the full matrix, in tiles of any size, with ties and zeros."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzygraph import approximate, nearest
from fuzzygraph.nearest import sampled, search
from fuzzygraph.nearest import search as exact
from groundwork.errors import InputError


def brute(vectors, above, top_k):
    """Return the pairs with their cosines, by a float64 matrix and a full sort of every row, and the matrix."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    unit = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines = (unit @ unit.T).round(12).clip(-1, 1)
    kept = {}
    for row in range(len(vectors)):
        ranked = sorted((-cosines[row, other], other) for other in range(len(vectors)) if other != row)
        kept |= {(min(row, other), max(row, other)): -c for c, other in ranked[:top_k] if -c > above}
    return kept, cosines


def found(vectors, above, top_k, **options):
    pairs, _ = search(vectors, above=above, top_k=top_k, **options)
    ends = list(zip(pairs.heads.tolist(), pairs.tails.tolist(), strict=True))
    assert ends == sorted(set(ends))
    assert all(head < tail for head, tail in ends)
    return dict(zip(ends, pairs.cosines.tolist(), strict=True))


def as_if_many(patch):
    """Make every search use the compiled code, as for many vectors."""
    patch.setattr(nearest, "_MANY_PAIRS", 0)
    patch.setattr(nearest, "_PASSING", 0)
    patch.setattr(nearest, "_MANY_AT_ONCE", 0)


def drawn(count, width, seed, tied):
    """Return random vectors. If tied, they hold small whole numbers, so that many are equal, opposite or zero."""
    random = np.random.default_rng(seed)
    if tied:
        return random.integers(-1, 2, (count, width)).astype(np.float32)
    return random.standard_normal((count, width)).astype(np.float32)


@settings(max_examples=150, deadline=None)
@given(
    count=st.integers(2, 30),
    width=st.integers(1, 5),
    top_k=st.integers(1, 8),
    above=st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0]) | st.floats(-1, 1),
    seed=st.integers(0, 999),
    tied=st.booleans(),
    block=st.integers(1, 40),
    waiting=st.sampled_from([1, 20, 1 << 20]),
    many=st.booleans(),
)
def test_search_finds_the_pairs_of_the_full_matrix_and_a_full_sort(
    count, width, top_k, above, seed, tied, block, waiting, many
):
    vectors = drawn(count, width, seed, tied)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_WAITING", waiting)  # a low number, so that pairs are dropped often
        if many:
            as_if_many(patch)
        kept = found(vectors, above, top_k, block=block)
    wanted, _ = brute(vectors, above, top_k)
    assert kept.keys() == wanted.keys()
    assert kept == pytest.approx(wanted, abs=1e-11)


@pytest.mark.parametrize("above", [-2.0, 0.0, 0.3])
@pytest.mark.parametrize("block", [7, 64, 1024])
def test_tiles_of_any_size_give_the_same_to_the_last_bit(block, above):
    """Half of the vectors are copies, so that float32 products of equal vectors could differ by their place."""
    vectors = drawn(100, 48, 5, tied=False)
    vectors = np.concatenate([vectors, vectors[::-1]])
    wanted, _ = search(vectors, above=above, top_k=4, block=1000)
    pairs, _ = search(vectors, above=above, top_k=4, block=block)
    for name in ("heads", "tails", "cosines"):
        assert (getattr(pairs, name) == getattr(wanted, name)).all()


def test_ties_go_to_the_lower_place():
    """Each vector takes the first of its equals as neighbour, and the first takes the second."""
    assert found(np.ones((5, 2), np.float32), 0.0, 1) == {(0, 1): 1.0, (0, 2): 1.0, (0, 3): 1.0, (0, 4): 1.0}


def test_a_pair_stays_if_it_is_among_the_nearest_of_either_end():
    """The nearest neighbour of 2 is 1, but 1 has a nearer one."""
    angles = np.radians([0, 10, 30])
    vectors = np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)
    assert found(vectors, 0.0, 1).keys() == {(0, 1), (1, 2)}


def test_a_cosine_equal_to_the_cut_is_not_above_the_cut():
    vectors = np.array([[1, 0], [3, 0], [1, np.sqrt(3)]], np.float32)
    assert found(vectors, 0.4999, 5).keys() == {(0, 1), (0, 2), (1, 2)}
    assert found(np.eye(3, dtype=np.float32), 0.0, 5) == {}
    assert found(vectors[:2], 1.0, 5) == {}


def test_vector_length_is_ignored_and_a_zero_vector_has_cosine_zero():
    vectors = np.array([[0, 0], [1e-30, 0], [1e30, 0], [0, 0]], np.float32)
    assert found(vectors, 0.5, 5) == {(1, 2): 1.0}
    pairs, extremes = search(vectors, above=-0.5, top_k=5)
    assert sorted(pairs.cosines) == [0, 0, 0, 0, 0, 1]
    assert extremes == (0.0, 1.0)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 90), st.integers(0, 999), st.booleans(), st.integers(1, 90), st.floats(-1, 1), st.booleans())
def test_spread_and_extremes_are_those_of_all_pairs(count, seed, tied, block, cosine, many):
    vectors = drawn(count, 6, seed, tied)
    with pytest.MonkeyPatch.context() as patch:
        if many:
            as_if_many(patch)
        _, extremes = search(vectors, above=0.9, top_k=1, block=block)
    spread = sampled(vectors)
    _, matrix = brute(vectors, 0.9, 1)
    every = matrix[np.triu_indices(count, 1)]
    assert spread.pairs == len(every)
    assert extremes == pytest.approx((every.min(), every.max()), abs=2e-6)
    assert (spread.quantile(0.0), spread.quantile(1.0)) == pytest.approx(extremes, abs=2e-6)
    assert spread.quantile(0.5) == pytest.approx(np.quantile(every, 0.5, method="lower"), abs=2e-6)
    bin_ = 2e-6
    share = spread.share_above(cosine)
    assert (every > cosine + bin_).mean() - 1e-12 <= share <= (every > cosine - bin_).mean() + 1e-12
    assert (spread.share_above(-2.0), spread.share_above(1.0)) == (1.0, 0.0)


@pytest.mark.parametrize("length", [1e-37, 1e-20, 1.0, 1e18])
def test_cosines_are_right_for_any_vector_length_in_float32(length):
    vectors = drawn(40, 12, 9, tied=False)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    wanted, _ = brute((vectors * np.float32(length)).astype(np.float64), 0.2, 5)
    assert found(vectors * np.float32(length), 0.2, 5) == pytest.approx(wanted, abs=1e-11)


def test_fewer_than_two_vectors_have_no_pairs():
    for count in (0, 1):
        vectors = np.ones((count, 3), np.float32)
        pairs, extremes = search(vectors, above=0.0, top_k=2)
        assert (len(pairs), extremes) == (0, (0.0, 0.0))
        assert (sampled(vectors).pairs, sampled(vectors).share_above(0.0), sampled(vectors).quantile(0.5)) == (0, 0, 0)


def test_progress_counts_every_pair():
    told = []

    class Watch:
        def begin(self, stage, total, unit):
            told.append(total)

        def advance(self, amount):
            told.append(amount)

    search(drawn(50, 3, 1, tied=False), above=0.0, top_k=2, block=16, progress=Watch())
    assert told[0] == sum(told[1:]) == 50 * 49 // 2


@pytest.mark.parametrize(
    ("find", "options"),
    [
        (search, {"top_k": 0}),
        (search, {"top_k": 1, "block": 0}),
        (approximate.search, {"top_k": 0}),
        (approximate.search, {"top_k": 1, "probes": 0}),
        (approximate.search, {"top_k": 1, "measured": 0}),
    ],
)
def test_numbers_below_one_are_refused(find, options):
    with pytest.raises(InputError, match="= 0"):
        find(np.ones((2, 2), np.float32), above=0.0, **options)


def test_quantiles_of_a_sample_are_close_to_those_of_all_pairs():
    vectors = drawn(300, 8, 3, tied=False)
    every, some = sampled(vectors), sampled(vectors, size=150)
    assert some.pairs == 150 * 149 // 2
    assert some.quantile(0.5) == pytest.approx(every.quantile(0.5), abs=0.05)
    assert some.quantile(0.95) == pytest.approx(every.quantile(0.95), abs=0.05)


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
    pairs, recall = approximate.search(clusters, above=0.5, top_k=64, probes=1000)
    wanted, _ = exact(clusters, above=0.5, top_k=64)
    assert as_dict(pairs) == as_dict(wanted) != {}
    assert recall == 1.0


def test_few_cells_find_less_and_the_recall_says_how_much(clusters):
    wanted = as_dict(exact(clusters, above=0.2, top_k=30)[0])
    pairs, recall = approximate.search(clusters, above=0.2, top_k=30, probes=1, measured=2000)
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
    recalls = [approximate.search(clusters, above=0.2, top_k=30, probes=probes)[1] for probes in (1, 8, 200)]
    assert recalls == sorted(recalls)
    assert recalls[-1] > 0.98  # 8-bit numbers blur the last of the top k: measured 0.997


def test_the_same_seed_gives_the_same_pairs(clusters):
    first, second = (as_dict(approximate.search(clusters, above=0.5, top_k=5, probes=2, seed=9)[0]) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_few_vectors_are_one_cell(count):
    vectors = np.random.default_rng(1).standard_normal((count, 8)).astype(np.float32)
    pairs, recall = approximate.search(vectors, above=-2.0, top_k=40)
    assert as_dict(pairs) == as_dict(exact(vectors, above=-2.0, top_k=40)[0])
    assert recall == 1.0


def test_without_the_extra_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(InputError, match=r"(?s)extra `ann`.*pip install 'truthhypo\[ann\]'"):
        approximate.search(np.ones((2, 2), np.float32), above=0.0, top_k=1)
