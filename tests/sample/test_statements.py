"""The graph and the abstracts of the sample give the demo's statements the verdicts that its README names."""

import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.sample.files import (
    RELEASES,
    concepts,
    edges,
    lines,
    mentions_of_keys,
    resolve,
    sentences,
    texts,
)

SIGNS = {
    "positive_correlate": 1, "stimulate": 1, "cause": 1,
    "negative_correlate": -1, "inhibit": -1, "treat": -1, "prevent": -1,
}  # fmt: skip

# The graph has what the tutorials show


def test_there_is_mixed_evidence_a_self_relation_and_beliefs_of_various_strength() -> None:
    relations: dict[tuple[str, str], set[str]] = defaultdict(set)
    for head, relation, tail in edges():
        relations[head, tail].add(relation)
    assert sum({"treat", "cause"} <= found for found in relations.values()) >= 2
    assert sum({"positive_correlate", "negative_correlate"} <= found for found in relations.values()) >= 2
    assert [pair for pair in relations if pair[0] == pair[1]] == [("Gene|7157", "Gene|7157")]
    assert {1, 2, 3, 4, 6} <= {len(pmids) for pmids in edges().values()}


def paths(name: str, head: str, tail: str, hops: int) -> Iterator[tuple[list[str], int]]:
    """Return the simple paths with their signs. The sign is 0 if a relation of the path has none."""
    steps: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for left, relation, right in edges(name):
        steps[left].add((right, SIGNS.get(relation, 0)))
        steps[right].add((left, SIGNS.get(relation, 0)))

    def walk(path: list[str], sign: int) -> Iterator[tuple[list[str], int]]:
        for concept, step in sorted(steps[path[-1]]):
            if concept == tail:
                yield [*path, concept], sign * step
            elif concept not in path and len(path) < hops:
                yield from walk([*path, concept], sign * step)

    return walk([head], 1)


def test_there_are_chains_of_one_to_three_hops() -> None:
    simvastatin, metformin, aspirin, captopril = (
        key for name in ("simvastatin", "metformin", "aspirin", "captopril") for key in resolve(name)
    )
    lengths = {len(path) - 1 for path, _ in paths(RELEASES[0], metformin, *resolve("type 2 diabetes mellitus"), hops=3)}
    assert lengths == {1, 2, 3}
    assert {1, 2} <= {len(path) - 1 for path, _ in paths(RELEASES[0], simvastatin, *resolve("cholesterol"), hops=3)}
    assert min(len(path) - 1 for path, _ in paths(RELEASES[0], captopril, aspirin, hops=3)) == 2


# The statements


def statements() -> list[tuple[str, str, str]]:
    return [re.fullmatch(r"(.+) (lowers|causes|treats) (.+)\.", line).groups() for line in lines("statements.txt")]


def ends(number: int) -> tuple[str, str]:
    subject, _, object_ = statements()[number]
    (head,), (tail,) = resolve(subject), resolve(object_)
    return head, tail


def names_in(text: str, key: str) -> bool:
    return any(re.search(rf"(?i)(?<!\w){re.escape(mention)}(?!\w)", text) for mention in mentions_of_keys()[key])


def naming_both(head: str, tail: str) -> list[str]:
    return [s for text in texts() for s in sentences(text) if names_in(s, head) and names_in(s, tail)]


def relations_between(name: str, head: str, tail: str) -> set[str]:
    return {relation for left, relation, right in edges(name) if {left, right} == {head, tail}}


def test_the_statements_names_resolve_to_one_concept_each() -> None:
    assert len(statements()) == 3
    for subject, _, object_ in statements():
        for name in (subject, object_):
            assert len(resolve(name)) == 1, name


@pytest.mark.parametrize("name", RELEASES)
def test_the_first_statement_is_supported_by_graph_and_abstracts(name: str) -> None:
    head, tail = ends(0)
    assert statements()[0][1] == "lowers"
    assert relations_between(name, head, tail) == {"negative_correlate"}
    assert {sign for path, sign in paths(name, head, tail, hops=3)} <= {-1, 0}
    assert len(naming_both(head, tail)) >= 2
    for sentence in naming_both(head, tail):
        assert re.search(r"\b(lowers|lowered|inhibits)\b", sentence), sentence
        assert " not " not in sentence


@pytest.mark.parametrize("name", RELEASES)
def test_the_second_statement_is_contradicted_by_graph_and_abstracts(name: str) -> None:
    head, tail = ends(1)
    assert statements()[1][1] == "causes"
    assert relations_between(name, head, tail) == {"treat"}
    assert any(re.search(r"\b(prevents|reduced)\b", sentence) for sentence in naming_both(head, tail))
    for sentence in naming_both(head, tail):
        assert not re.search(r"\b(causes?|caused|not)\b", sentence), sentence


def test_the_next_release_adds_indirect_supporting_paths_for_the_second_statement() -> None:
    head, tail = ends(1)
    signs = [[sign for _, sign in paths(name, head, tail, hops=3)] for name in RELEASES]
    assert 1 not in signs[0]
    assert signs[1].count(1) == 3


def test_the_third_statement_has_no_evidence_at_all() -> None:
    head, tail = ends(2)
    for name in RELEASES:
        assert list(paths(name, head, tail, hops=len(concepts()))) == []
    assert [text for text in texts() if names_in(text, head) and names_in(text, tail)] == []
    assert any(names_in(text, head) for text in texts())
    assert any(names_in(text, tail) for text in texts())
