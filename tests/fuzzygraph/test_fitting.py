"""Fits of k and s0 for `scaled`: they recover known values, and are refused if the data cannot determine them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzzygraph.embed import Trigrams
from fuzzygraph.membership import S0, K, Membership
from fuzzygraph.nearest import Spread
from fuzzygraph.options import FORMS
from fuzzygraph.similarity import OUT, STEEP, by_background, by_labels, labelled
from groundwork.errors import InputError


def spread_of(cosines):
    return Spread(np.asarray(cosines, np.float32))


@pytest.mark.parametrize(("k", "s0"), [(13.4, 0.26), (40.0, 0.9), (3.0, 0.0)])
def test_labels_drawn_from_a_curve_give_back_the_curve(k, s0):
    random = np.random.default_rng(2)
    cosines = np.clip(s0 + 4 / k * random.standard_normal(20_000), -1, 1)
    related = random.random(20_000) < Membership("scaled", k, s0).mus(cosines)
    found = by_labels(cosines, related)
    assert found.k == pytest.approx(k, rel=0.05)
    assert found.s0 == pytest.approx(s0, abs=0.2 / k)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(-1, 1), st.booleans()), min_size=4, max_size=40))
def test_the_fitted_k_and_s0_minimise_the_loss(pairs):
    cosines, related = np.array([c for c, _ in pairs]), np.array([r for _, r in pairs])
    try:
        found = by_labels(cosines, related)
    except InputError:
        return

    def loss(k, s0):
        z = np.where(related, 1, -1) * k * (cosines - s0)
        return np.logaddexp(0, -z).sum() + 0.5e-3 * k * k

    best = loss(found.k, found.s0)
    for step in (0.99, 1.01):
        assert loss(found.k * step, found.s0) >= best - 1e-6 * (1 + best)
    for step in (-0.01, 0.01):
        assert loss(found.k, found.s0 + step) >= best - 1e-6 * (1 + best)


def test_perfectly_separable_labels_give_a_finite_slope():
    found = by_labels([0.1, 0.2, 0.8, 0.9], [False, False, True, True])
    assert 0 < found.k < 1e4
    assert found.s0 == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("cosines", "related", "seen"),
    [
        ([], [], "0 of 0 pairs"),
        ([0.1, 0.2], [True, True], "2 of 2 pairs"),
        ([0.9, 0.1], [False, True], "labelled 1 do not have higher cosines"),
    ],
)
def test_labels_from_which_nothing_can_be_learnt_are_refused(cosines, related, seen):
    with pytest.raises(InputError, match=seen):
        by_labels(cosines, related)


def test_a_fit_on_the_background_follows_the_cosines_of_the_model():
    """Cosines between 0.8 and 0.95, like those of CLS vectors: the default s0 would keep every pair."""
    normal = np.random.default_rng(3).standard_normal(100_000)
    wide, narrow = (by_background(spread_of(middle + width * normal)) for middle, width in ((0.1, 0.1), (0.87, 0.03)))
    assert (narrow.k / wide.k, wide.k) == pytest.approx((10 / 3, STEEP / 0.1645), rel=0.02)
    assert (wide.s0, narrow.s0) == pytest.approx((0.1 + OUT * 0.1645, 0.87 + OUT * 0.04935), abs=0.003)
    assert spread_of(0.87 + 0.03 * normal).share_above(narrow.s0) == pytest.approx(0.063, abs=0.005)
    assert spread_of(0.87 + 0.03 * normal).share_above(S0) == 1.0


def test_cosines_that_are_all_alike_are_refused():
    with pytest.raises(InputError, match="within"):
        by_background(spread_of([0.9] * 50))


def test_a_file_of_labelled_names_is_read(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("tumour\ttumor\t1\nfever\tfevers\t1\naspirin\tzebra\t0\nfever\taspirin\t0\n", "utf-8")
    found = labelled(path, Trigrams())
    cosines = np.array([0.0, 1.0])
    assert found.mus(cosines)[0] < 0.5 < found.mus(cosines)[1]


@pytest.mark.parametrize("line", ["a\tb", "a\tb\t2", "\tb\t1", "a b 1"])
def test_a_line_of_another_kind_is_named(tmp_path, line):
    path = tmp_path / "pairs.tsv"
    path.write_text(f"tumour\ttumor\t1\n{line}\n", "utf-8")
    with pytest.raises(InputError, match="line 2"):
        labelled(path, Trigrams())


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"pairs\.tsv"):
        labelled(tmp_path / "pairs.tsv", Trigrams())


@given(st.sampled_from(FORMS), st.lists(st.floats(-1, 1), max_size=20), st.floats(0.1, 100), st.floats(-1, 1))
def test_many_memberships_at_once_equal_single_ones(form, cosines, k, s0):
    membership = Membership(form, k, s0)
    found = membership.mus(np.array(cosines, float))
    assert found == pytest.approx([membership.mu(c) for c in cosines], rel=1e-12, abs=1e-300)
    assert Membership(form).k == K
