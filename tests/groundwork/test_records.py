"""Records become plain JSON."""

import json
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass

import pytest

from groundwork import records
from groundwork.records import Abstract, Concept, Record, Stats, Table, Text, plain, split_key

ALL = [kind for kind in vars(records).values() if isinstance(kind, type) and is_dataclass(kind)]


@dataclass(frozen=True, slots=True)
class Inner(Record):
    items: tuple[int, ...]
    hidden: frozenset[int] = field(default=frozenset(), metadata={"private": True})


@dataclass(frozen=True, slots=True)
class Outer(Record):
    name: str
    inner: Inner
    by_key: dict[str, Inner]
    nothing: None = None


def test_a_record_becomes_plain_json_in_its_own_order():
    inner = Inner((1, 2), frozenset({3}))
    shape = Outer("a", inner, {"k": inner}).to_dict()
    assert shape == {"name": "a", "inner": {"items": [1, 2]}, "by_key": {"k": {"items": [1, 2]}}, "nothing": None}
    assert list(shape) == ["name", "inner", "by_key", "nothing"]
    assert json.loads(json.dumps(shape)) == shape


def test_sets_become_lists_and_keys_become_strings():
    assert plain({1: (True, None), "b": frozenset({2})}) == {"1": [True, None], "b": [2]}


@pytest.mark.parametrize("kind", ALL)
def test_every_record_is_frozen_slotted_and_documented(kind):
    assert issubclass(kind, Record)
    assert kind.__doc__
    assert hasattr(kind, "__slots__")
    values = kind(**dict.fromkeys(f.name for f in fields(kind)))
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(values, fields(kind)[0].name, 1)


def test_a_key_is_split_at_its_first_bar_only():
    assert split_key("ProteinMutation|p|SUB|V|600|E") == ("ProteinMutation", "p|SUB|V|600|E")
    concept = Concept("Gene|7157", "TP53", ("TP53", "p53"), (3, 2))
    assert (concept.type, concept.id, concept.mentions) == ("Gene", "7157", 5)


def test_the_text_of_pubmed_takes_precedence_over_a_documents_own():
    ours, theirs = Text("t", "a"), Text("T", "A", retracted=True)
    assert Abstract(1, theirs, ours).text is theirs
    assert Abstract(1, None, ours).text is ours
    with pytest.raises(ValueError, match="1 has no text"):
        _ = Abstract(1, None, None).text


def test_a_table_is_a_data_frame():
    frame = Table(("a", "b"), ((1, "x"), (2, "y")), truncated=False).to_frame()
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_the_counts_of_a_graph_are_a_data_frame():
    frame = Stats({"Gene": 2, "Disease": 1}, {"cause": 3}, (), "").to_frame()
    assert frame.values.tolist() == [["concept", "Gene", 2], ["concept", "Disease", 1], ["edge", "cause", 3]]
    assert list(Stats({}, {}, (), "").to_frame()) == ["kind", "name", "count"]
