"""Belief propagation: the paper's example, the order of nodes, cycles, and bad files."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzygraph.belief import Network, propagate, read_network
from groundwork.errors import InputError

PAPER = {
    "alpha": 0.8,
    "nodes": {"S1": 0.7, "C2": 0.6, "S2": 0.9, "C1": 0.5},
    "supports": [["S1", "C2"], ["C2", "C1"], ["S2", "C1"]],
}


def after(network):
    return {node: belief["after"] for node, belief in propagate(Network.model_validate(network)).nodes.items()}


def test_the_papers_example_to_its_exact_value():
    """The paper prints 0.9516: it rounds 0.72 * 0.1704 = 0.122688 to 0.122."""
    beliefs = after(PAPER)
    assert beliefs["S1"] == pytest.approx(0.7)
    assert beliefs["C2"] == pytest.approx(0.824, abs=1e-12)
    assert beliefs["C1"] == pytest.approx(0.952288, abs=1e-12)
    assert round(0.8296 + 0.122, 4) == 0.9516 != round(beliefs["C1"], 4)


def test_nodes_are_updated_in_their_order_of_support_whatever_the_order_of_the_file():
    assert after({**PAPER, "supports": PAPER["supports"][::-1]}) == after(PAPER)
    wrong = 1 - (1 - 0.5) * (1 - 0.8 * 0.6) * (1 - 0.8 * 0.9)  # C2 passes on its belief before S1 has supported C2
    assert wrong == pytest.approx(0.9272)
    assert after(PAPER)["C1"] > wrong


@st.composite
def dags(draw):
    names = [f"n{i}" for i in range(draw(st.integers(1, 7)))]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return {
        "alpha": draw(st.floats(0.01, 1)),
        "nodes": {name: draw(st.floats(0, 1)) for name in names},
        "supports": draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [],
    }


@given(dags(), st.integers(0, 999))
def test_any_order_of_nodes_and_supports_gives_the_same_beliefs(network, seed):
    shuffled = random.Random(seed)
    nodes, supports = list(network["nodes"].items()), list(network["supports"])
    shuffled.shuffle(nodes)
    shuffled.shuffle(supports)
    assert after({**network, "nodes": dict(nodes), "supports": supports}) == after(network)


@given(dags())
def test_beliefs_follow_the_papers_update_and_only_grow(network):
    """The update is written as in the paper, node by node in the order drawn, which is topological."""
    mu = dict(network["nodes"])
    for node in mu:
        for supporter, supported in network["supports"]:
            if supported == node:
                mu[node] += network["alpha"] * mu[supporter] * (1 - mu[node])
    beliefs = after(network)
    assert beliefs == pytest.approx(mu, abs=1e-12)
    assert all(network["nodes"][node] - 1e-12 <= beliefs[node] <= 1.0 for node in beliefs)


def test_a_support_given_twice_counts_once():
    assert after({**PAPER, "supports": PAPER["supports"] * 2}) == after(PAPER)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"supports": [["C1", "C2"], ["C2", "C1"]]}, "cycle"),
        ({"supports": [["C1", "C1"]]}, "cycle: C1 -> C1"),
        ({"supports": [["S9", "C1"]]}, "no node 'S9'"),
    ],
)
def test_cycles_and_unknown_nodes_are_refused_by_name(change, message):
    with pytest.raises(InputError, match=message):
        after({**PAPER, **change})


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "byte order mark"])
def test_a_file_is_read_and_reported_as_json(tmp_path, mark):
    file = tmp_path / "network.json"
    file.write_text(mark + json.dumps(PAPER), "utf-8")
    report = propagate(read_network(file)).to_dict()
    assert report["nodes"]["C1"]["after"] == pytest.approx(0.952288)
    assert json.loads(json.dumps(report)) == report


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1: not JSON"),
        ("", "line 1: not JSON"),
        ("[" * 100_000, "nested too deep"),
        ('{"nodes": {"S": 0.1, "S": 0.9}}', "'S' twice in one object"),
        ("[]", "the document"),
        ('{"nodes": {"S": 1.5}}', "nodes.S"),
        ('{"nodes": {"S": NaN}}', "nodes.S"),
        ('{"nodes": {}, "alpha": 0}', "alpha"),
        ('{"nodes": {}, "weights": 1}', "weights"),
        ('{"nodes": {"S": 1}, "supports": [["S"]]}', "supports.0"),
    ],
)
def test_bad_files_say_what_is_wrong(tmp_path, content, message):
    file = tmp_path / "network.json"
    file.write_text(content)
    with pytest.raises(InputError, match=message):
        read_network(file)


def test_a_missing_file_and_a_folder_are_bad_input(tmp_path):
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(InputError, match="cannot be read"):
            read_network(path)


def test_a_belief_without_support_stays_as_given():
    beliefs = after({"nodes": {"A": 0.1, "B": 0.3, "none": 0.0}, "supports": [["none", "B"]]})
    assert beliefs == {"A": 0.1, "B": 0.3, "none": 0.0}


@pytest.mark.parametrize("given_value", ["true", '"0.5"', "NaN", "Infinity", "null", "1.5", "[0.5]"])
@pytest.mark.parametrize("where", ["nodes.A", "alpha"])
def test_a_value_that_is_no_probability_is_refused_with_its_place(tmp_path, given_value, where):
    values = {"alpha": "0.8", "nodes.A": "0.5", where: given_value}
    file = tmp_path / "network.json"
    file.write_text(f'{{"alpha": {values["alpha"]}, "nodes": {{"A": {values["nodes.A"]}}}}}')
    with pytest.raises(InputError) as refused:
        read_network(file)
    assert where in refused.value.seen
    assert "0.7" in refused.value.wanted


def test_a_network_without_nodes_is_refused():
    with pytest.raises(InputError, match="without nodes"):
        propagate(Network(nodes={}))
