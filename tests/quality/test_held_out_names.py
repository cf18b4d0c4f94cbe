"""Scores by similar names, on a graph that is small enough to compute by hand."""

import numpy as np
import pytest

from benchmarks.quality.held_out_names import LEAST, POWER, alike
from benchmarks.quality.held_out_split import Case, Statement

#: a, b and c are joined to x, y and z; p has a name like a, q like x, and n like no other.
KEYS = {"a": 0, "b": 1, "c": 2, "x": 3, "y": 4, "z": 5, "n": 6}


def vectors() -> dict[str, np.ndarray]:
    found = {f"Gene|{key}": np.eye(8, dtype=np.float32)[place] for key, place in KEYS.items()}
    found["Gene|p"] = found["Gene|a"] * np.float32(0.8) + np.eye(8, dtype=np.float32)[7] * np.float32(0.6)
    return found | {"Gene|q": found["Gene|x"] * 2}


LEFT = [Statement(f"Gene|{a}", "associate", f"Gene|{b}", a) for a, b in (("a", "x"), ("b", "y"), ("c", "z"))]


@pytest.fixture
def found():
    cases = [Case(f"Gene|{a}", f"Gene|{b}", True, "1") for a, b in (("p", "q"), ("p", "y"), ("n", "q"))]
    return alike(vectors(), LEFT, cases)


def test_the_cosine_is_that_of_the_names(found):
    assert found["model's cosine"] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_an_edge_between_similar_names_is_counted(found):
    like = ((0.8 - LEAST) / (1 - LEAST)) ** POWER
    # One edge of weight like * 1, divided by the root of the product of the degrees like * 1 and 1 * 1.
    assert found["edges between names alike"][0] == pytest.approx(np.log(like / np.sqrt(like) + 1e-6))
    assert found["edges between names alike"][1] == pytest.approx(np.log(1e-6))
    assert found["degrees of names alike"][0] == pytest.approx(np.log1p(like) + np.log1p(1.0))
    assert found["edges between names alike"][2] == pytest.approx(np.log(1e-6))


def test_paths_take_similarity_edges_to_ends_that_the_graph_does_not_know(found):
    known, other, none = found["paths with the model's edges"]
    assert known > 0.3 and other == none == 0.0
