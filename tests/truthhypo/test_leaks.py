"""The leak probe on small sets: what it finds, and what it says if the set is too small to tell."""

import numpy as np
import pytest

from truthhypo.hypotheses import leaks
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.leaks import Figure, Probe
from truthhypo.hypotheses.traits import Known


def instances(each: int, told) -> list[Instance]:
    """Return `each` pairs of either class. The second id of a pair is high if told(related, number) is true."""
    found = []
    for related in (True, False):
        for at in range(each):
            second = 500_000 + at if told(related, at) else 100 + at
            label = "stimulate" if related else "no_relation"
            keys = f"Disease|MESH:D{2 * at + related:05}", f"Gene|{second}"
            found.append(Instance(*keys, "Disease", "Gene", "Disease & Gene", label, "?"))
    return found


def probed(each, told):
    return leaks.probe(instances(each, told), Known({}))[0]


def test_a_boosted_tree_finds_a_leak_among_few_rows():
    found = probed(22, lambda related, at: related)
    assert found.auroc["gradient_boosting"].value > 0.95
    assert found.verdict == "leaks"


def test_a_set_too_small_to_show_a_leak_is_called_too_small():
    told = np.random.default_rng(0).integers(0, 2, (2, 120))
    assert probed(10, lambda related, at: told[int(related), at]).verdict == "too small", "it was not probed"
    small = probed(25, lambda related, at: told[int(related), at])
    assert small.auroc
    assert not small.leaks
    assert small.verdict == small.to_dict()["verdict"] == "too small"
    assert probed(120, lambda related, at: told[int(related), at]).verdict == "none found"


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.56, 0.9, "leaks"), (0.5, 0.75, "too small"), (0.45, 0.6, "none found")]
)
def test_the_verdict_depends_on_the_interval(low, high, verdict):
    figures = {"logistic": Figure(0.5, 0.45, 0.55), "gradient_boosting": Figure((low + high) / 2, low, high)}
    assert Probe("all", 100, 0.5, figures, {}, {}).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.551, 0.9, "leaks"), (0.55, 0.6, "none found"), (0.488, 0.537, "none found"), (0.3, 0.5, "too small")],
)
def test_each_figure_has_a_verdict_of_its_own(low, high, verdict):
    assert Figure(0.5, low, high).verdict == verdict
