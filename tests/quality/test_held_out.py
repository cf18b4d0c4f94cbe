"""Hold edges out of graphs: the split, and scores by paths and by names."""

import json
from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks.quality.held_out import LEAST, POWER, alike, annotated
from benchmarks.quality.held_out_scores import Case, Statement, crossed, metapaths, ranked, split, topology
from groundwork.chance import belief, noisy_or
from truthhypo.bench.labelled import statement

#: a, b and c are joined to x, y and z; p has a name like a, q like x, and n like no other.
KEYS = {"a": 0, "b": 1, "c": 2, "x": 3, "y": 4, "z": 5, "n": 6}


def statements(count=300, nodes=40, seed=1):
    draws = np.random.default_rng(seed)
    rows = []
    for n in range(count):
        head, tail = f"Chemical|{draws.integers(nodes)}", f"Disease|{draws.integers(nodes)}"
        rows.append(Statement(head, "cause", tail, f"d{n // 4}"))
    return rows


@pytest.mark.parametrize("by", ["document", "edge"])
def test_the_remaining_graph_has_no_held_out_edge_and_no_document_states_a_non_edge(by):
    rows = statements()
    cut = split(rows, by)
    left, every = {s.pair for s in cut.left}, {s.pair for s in rows}
    for case in cut.cases:
        pair = tuple(sorted((case.head, case.tail)))
        assert pair not in left
        assert (pair in every) == case.edge
    assert len(cut.cases) % 2 == 0 and cut.cases
    if by == "document":
        assert not {s.document for s in cut.left} & {c.group for c in cut.cases}
    assert split(rows, by) == cut != split(rows, by, seed=1)


def test_a_non_edge_has_ends_of_the_same_types_and_bands():
    cut = split(statements(), "document")
    degree = Counter(end for pair in {s.pair for s in cut.left} for end in pair)
    for edge, other in zip(cut.cases[::2], cut.cases[1::2], strict=True):
        for a, b in zip(sorted((edge.head, edge.tail)), sorted((other.head, other.tail)), strict=True):
            assert a.partition("|")[0] == b.partition("|")[0]
            assert degree[a].bit_length() == degree[b].bit_length()


def test_the_area_equals_that_of_scikit_learn_also_with_ties():
    draws = np.random.default_rng(0)
    cases = [Case("a", "b", bool(draws.random() < 0.4), f"d{n // 3}") for n in range(300)]
    score = draws.integers(0, 7, 300) + 2.0 * np.array([case.edge for case in cases])
    found = ranked(cases, score)
    assert found.auroc == pytest.approx(roc_auc_score([c.edge for c in cases], score), abs=1e-12)
    assert 0.5 < found.low < found.auroc < found.high <= 1.0
    assert found.told == pytest.approx((score > score.min()).mean())


def test_a_constant_score_has_an_area_of_one_half():
    found = ranked([Case("a", "b", n % 2 == 0, str(n)) for n in range(20)], np.zeros(20))
    assert (found.auroc, found.low, found.high, found.told) == (0.5, 0.5, 0.5, 0.0)


def walked(left, case):
    """Return noisy-or and sum of beliefs, and sum of degree-weighted products, by trying every path up to 3 hops."""
    stated = {s.pair: set() for s in left}
    for s in left:
        stated[s.pair].add(s.document)
    degree = Counter(end for pair in stated for end in pair)
    nodes = sorted(degree)
    likely, damped = [], 0.0
    for length in (1, 2):
        for inner in permutations(nodes, length):
            path = [case.head, *inner, case.tail]
            pairs = [tuple(sorted(step)) for step in pairwise(path)]
            if len(set(path)) == len(path) and all(pair in stated for pair in pairs):
                likely.append(np.prod([belief(len(stated[pair])) for pair in pairs]))
                damped += np.prod([(degree[a] * degree[b]) ** -0.5 for a, b in pairs])
    return noisy_or(likely), sum(likely), damped


def test_scores_equal_those_of_trying_every_path():
    cut = split(statements(60, 9), "document")
    found = topology(cut.left, cut.cases)
    for n, case in enumerate(cut.cases):
        _, total, damped = walked(cut.left, case)
        assert found["path sum"][n] == pytest.approx(total, rel=1e-9)
        assert found["dwpc 0.5"][n] == pytest.approx(damped, rel=1e-9)
        assert (found["paths"][n] > 0) == (total > 0)
    assert found["path sum"].max() > 0
    typed = metapaths(cut.left, cut.cases)
    assert sum(typed.values()) == pytest.approx(found["dwpc 0.5"], rel=1e-9)


def test_no_document_is_scored_by_a_model_that_was_fitted_on_it():
    cases = [Case("a", "b", n % 2 == 0, f"d{n // 2}") for n in range(40)]
    noise = np.random.default_rng(3).random(40)
    told = crossed(cases, {"gold": np.array([float(c.edge) for c in cases]), "noise": noise})
    assert ranked(cases, told).auroc == 1.0
    assert ranked(cases, crossed(cases, {"noise": noise})).auroc < 0.75


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


def test_paths_rank_edges_well_if_held_out_at_random_and_hardly_if_held_out_by_document(data):
    _, statements = annotated(data)
    found = {}
    for by in ("edge", "document"):
        cut = split(statements, by)
        columns = topology(cut.left, cut.cases)
        found[by] = {name: ranked(cut.cases, columns[name]).auroc for name in ("paths", "dwpc 0.5", "adamic-adar")}
    # Measured: .757, .778, .656 at random; .539, .540, .507 by document.
    assert found["edge"]["paths"] >= 0.74 and found["edge"]["dwpc 0.5"] >= 0.76, found
    assert found["edge"]["adamic-adar"] < found["edge"]["paths"] - 0.05, found
    assert 0.525 <= found["document"]["paths"] <= 0.56, found
    assert found["document"]["adamic-adar"] < found["document"]["paths"], found


def test_questions_of_pubmedqa_become_statements(data):
    given = json.loads((data / "pubmedqa/pqal_dev.json").read_text("utf-8")).values()
    said = [statement(item["QUESTION"]) for item in given]
    assert not [text for text in said if "?" in text or not text.endswith(".")]
    begun = (
        "is ",
        "are ",
        "do ",
        "does ",
        "did ",
        "can ",
        "should ",
        "was ",
        "were ",
        "will ",
        "could ",
        "has ",
        "have ",
    )
    # Measured: 40 of 500 still begin with their verb.
    left = [text for text in said if text.lower().startswith(begun)]
    assert len(left) <= 45, len(left)
