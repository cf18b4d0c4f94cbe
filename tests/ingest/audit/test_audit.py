"""The audit's counts against a brute-force oracle, and its choice of releases."""

import re
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ingest
from groundwork.errors import InputError
from groundwork.records import Relation, split_key
from groundwork.settings import Settings
from groundwork.tables import EDGES, edge_batch
from groundwork.vocabulary import RELATIONS, canonical, order
from ingest.audit.audit import examine
from ingest.audit.census import Cell, Census, Distribution, Span, measure, take
from ingest.engine import Engine, write
from tests.ingest.oracle import KEYS, Load
from tests.ingest.test_load import Stores

Edges = dict[tuple[str, str, str], tuple[int, ...]]

_FRESH = count()
_pairs = st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS)).map(lambda pair: canonical(*pair))
_triples = st.builds(lambda pair, relation: (pair[0], relation, pair[1]), _pairs, st.sampled_from(RELATIONS[:5]))
releases = st.dictionaries(
    _triples, st.sets(st.integers(1, 9), min_size=1).map(lambda pmids: tuple(sorted(pmids))), min_size=1, max_size=25
)
often = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def engine(tmp_path):
    with Engine(Settings(home=tmp_path, threads=1), tmp_path) as engine:
        yield engine


def census(edges: Edges, engine: Engine, folder: Path) -> Census:
    place = folder / str(next(_FRESH))
    place.mkdir()
    rows = [Relation(*edge, pmids) for edge, pmids in sorted(edges.items())]
    return take(write([edge_batch(rows)], EDGES, place / "edges.parquet"), engine, place)


def kind(key: str) -> str:
    return split_key(key)[0]


def cell(edge: tuple[str, str, str]) -> tuple[str, str, str]:
    head, tail = sorted((kind(edge[0]), kind(edge[2])), key=lambda name: order(f"{name}|"))
    return head, edge[1], tail


def degrees(edges: Edges) -> Counter:
    return Counter(key for head, _, tail in edges for key in {head, tail})


@given(releases)
@often
def test_the_counts_of_a_census_equal_those_of_an_oracle(engine, tmp_path, edges):
    found = census(edges, engine, tmp_path)
    assert found.cells == Counter(map(cell, edges))
    assert found.total == len(edges)
    assert found.articles == Counter(map(len, edges.values()))
    assert found.selves == sum(head == tail for head, _, tail in edges)
    pmids = [pmid for held in edges.values() for pmid in held]
    assert found.pmids == Span(min(pmids), max(pmids))
    wanted = degrees(edges)
    assert found.concepts == Counter(wanted.values())
    assert found.types == {
        name: Counter(degree for key, degree in wanted.items() if kind(key) == name) for name in map(kind, wanted)
    }
    assert list(found.relations()) == sorted(
        {edge[1] for edge in edges}, key=lambda name: (-sum(edge[1] == name for edge in edges), name)
    )


@given(releases, releases)
@often
def test_the_counts_of_a_movement_equal_those_of_an_oracle(engine, tmp_path, before, after):
    old, new = census(before, engine, tmp_path), census(after, engine, tmp_path)
    place = tmp_path / str(next(_FRESH))
    place.mkdir()
    found = measure(old, new, 4, engine, place)
    added, removed = after.keys() - before.keys(), before.keys() - after.keys()
    changed = {edge for edge in after.keys() & before.keys() if after[edge] != before[edge]}
    assert found.edges == ingest.Effect.of(len(after), len(added), len(changed), len(removed))
    assert found.lost_edge_share == len(removed) / len(before)
    assert found.growth == len(after) / len(before)
    assert {Cell(move.head, move.relation, move.tail) for move in found.pairs} == set(map(cell, [*before, *after]))
    for move in found.pairs:
        flows = [sum(cell(edge) == (move.head, move.relation, move.tail) for edge in edges)
                 for edges in (before, after, added, changed, removed)]  # fmt: skip
        assert [move.before, move.after, move.added, move.changed, move.removed] == flows
    for move in found.relations:
        assert (move.head, move.tail) == ("", "")
        flows = [sum(edge[1] == move.relation for edge in edges) for edges in (before, after, added, changed, removed)]
        assert [move.before, move.after, move.added, move.changed, move.removed] == flows
    was, now = degrees(before), degrees(after)
    for one in found.types:
        mine = [{key for key in held if kind(key) == one.type} for held in (was, now)]
        counts = [len(held) for held in (*mine, mine[1] - mine[0], mine[0] - mine[1])]
        assert [one.before, one.after, one.new, one.lost] == counts
    assert [one.type for one in found.types] == sorted({kind(key) for key in was | now})
    assert (found.new_concepts, found.lost_concepts) == (len(now.keys() - was), len(was.keys() - now))
    assert found.lost_concept_share == len(was.keys() - now) / len(was)
    lost = sorted(was.keys() - now, key=lambda key: (-was[key], key))[:4]
    assert [(one.key, one.degree) for one in found.lost] == [(key, was[key]) for key in lost]
    came = sorted(now.keys() - was, key=lambda key: (-now[key], key))[:4]
    assert [(one.key, one.degree) for one in found.new] == [(key, now[key]) for key in came]


@given(st.dictionaries(st.integers(1, 40), st.integers(1, 6), min_size=1))
def test_a_distribution_has_the_statistics_of_its_values(counts):
    things = sorted(value for value, n in counts.items() for _ in range(n))
    found = Distribution.of(counts)
    assert found.max == things[-1]
    assert found.mean == pytest.approx(sum(things) / len(things), rel=1e-12)
    for quantile, share in ((found.median, 0.5), (found.p99, 0.99)):
        assert quantile == next(
            value for value in things if sum(other <= value for other in things) >= share * len(things)
        )


def test_a_distribution_of_nothing_is_zero():
    assert Distribution.of({}) == Distribution(0.0, 0, 0, 0)


@pytest.mark.parametrize(
    ("a", "relation", "b", "expected"),
    [
        ("Chemical", "treat", "Disease", True),
        ("Disease", "cause", "Chemical", True),
        ("Chemical", "positive_correlate", "Disease", False),
        ("Chemical", "positive_correlate", "Chemical", True),
        ("Gene", "treat", "Gene", False),
        ("Gene", "cause", "Gene", False),
        ("Disease", "stimulate", "Gene", True),
        ("Disease", "prevent", "SNP", True),
        ("DNAMutation", "inhibit", "Chemical", True),
        ("Gene", "inhibit", "Chemical", False),
        ("SNP", "negative_correlate", "ProteinMutation", True),
        ("Gene", "associate", "Species", True),
    ],
)
def test_a_relation_is_expected_if_the_rewriting_of_bulk_files_can_give_it(a, relation, b, expected):
    assert Cell.of(a, relation, b).expected is expected
    assert Cell.of(a, relation, b) == Cell.of(b, relation, a)


A = Load(
    "relations",
    [
        (1, "treat", "Chemical|MESH:D1", "Disease|MESH:D1"),
        (7, "treat", "Chemical|MESH:D1", "Disease|MESH:D1"),
        (3, "cause", "Chemical|MESH:D1", "Gene|1"),
        (4, "associate", "Gene|1", "Gene|1"),
    ],
)
B = Load("relations", [*A.rows[1:], (9, "associate", "Gene|1", "Gene|2"), (0, "associate", "Gene|1", "Gene|2")])
C = Load("relations", A.rows[:1])


@pytest.fixture
def stores(tmp_path) -> Stores:
    stores = Stores(tmp_path)
    for name, load in (("a", A), ("b", B), ("c", C)):
        stores.load(load, release=name)
    stores.load(Load("concepts", [(1, "Gene|1", ["one"]), (1, "Disease|MESH:D1", ["ache"])]), release="names")
    return stores


def audit(stores: Stores, id: str | None = None, **options):
    return examine(id, stores.graph, stores.settings, **options)


def test_the_live_release_is_audited_against_the_one_before(stores):
    found = audit(stores)
    assert (found.release.source, found.release.id, found.release.state) == ("pubtator3", "c", "live")
    assert (found.against.id, found.against.state) == ("b", "past")
    assert found.movement.edges == ingest.Effect(1, 0, 1, 3, 0)
    assert audit(stores, "pubtator3:b").against.id == "a"
    assert audit(stores, "c", against="a").movement.edges == ingest.Effect(1, 0, 1, 2, 0)
    ingest.activate("a", stores.graph, stores.settings)
    again = audit(stores)
    assert (again.release.id, again.against.id) == ("a", "c")


def test_the_first_release_is_audited_without_a_comparison(stores):
    found = audit(stores, "a")
    assert (found.against, found.movement) == (None, None)
    assert {check.name: check.value for check in found.limits} == {
        "rejected rows": 0.0,
        "largest hub": None,
        "lost edges": None,
        "lost concepts": None,
        "growth": None,
        "unexpected movement": None,
    }
    assert found.passed


def test_a_report_equals_one_worked_out_by_hand(stores):
    found = audit(stores, "b", top=2)
    assert (found.edges, found.self_relations, found.unexpected_pairs, found.concepts) == (4, 1, 1, 4)
    assert found.pmids == Span(3, 9)
    assert [(hub.key, hub.name, hub.degree, hub.share) for hub in found.hubs] == [
        ("Gene|1", "A1BG", 3, 0.75),
        ("Chemical|MESH:D1", None, 2, 0.5),
    ]
    assert {one.type: (one.concepts, one.single) for one in found.types if one.concepts} == {
        "Chemical": (1, 0),
        "Disease": (1, 1),
        "Gene": (2, 1),
    }
    assert len(found.types) == 9
    assert [one.edges for one in found.relations] == [2, 1, 1] + [0] * 10
    assert [(one.head, one.relation, one.tail, one.edges, one.expected) for one in found.pairs] == [
        ("Gene", "associate", "Gene", 2, True),
        ("Chemical", "cause", "Gene", 1, False),
        ("Chemical", "treat", "Disease", 1, True),
    ]
    assert (found.release.rows.rejected, found.release.reject_share) == (1, 0.2)
    [broken] = [check for check in found.limits if not check.passed]
    assert (broken.name, broken.value) == ("rejected rows", 0.2)
    assert not found.passed
    assert [(one.key, one.degree) for one in found.movement.new] == [("Gene|2", 1)]


def test_lost_concepts_keep_their_degree_but_not_their_name(stores):
    lost = audit(stores).movement.lost
    assert [(one.key, one.name, one.degree) for one in lost] == [("Gene|1", "A1BG", 3), ("Gene|2", None, 1)]


def test_releases_are_named_as_for_diff(stores, tmp_path):
    stores.load(A, release="b-side")
    stores.load(Load("relations", A.rows, "mine"), release="b")
    with pytest.raises(InputError, match="several") as caught:
        audit(stores, "b")
    assert re.search(r"mine:b \(\d+\.txt\), pubtator3:b \(\d+\.txt\)", caught.value.wanted)
    assert audit(stores).release.id == "b-side"
    assert audit(stores, "mine:b").release.source == "mine"
    for bad in ("z", "names"):
        with pytest.raises(InputError, match="no relation release"):
            audit(stores, bad)
    elsewhere = Settings(home=tmp_path / "another")
    with pytest.raises(InputError, match="has no snapshot of pubtator3:b-side"):
        examine(None, stores.graph, elsewhere)


def test_the_only_live_source_needs_no_name(tmp_path):
    stores = Stores(tmp_path)
    with pytest.raises(InputError, match="0 releases of other sources"):
        audit(stores)
    stores.load(Load("relations", A.rows, "mine"), release="x")
    assert audit(stores).release.source == "mine"
    stores.load(Load("relations", A.rows, "yours"), release="y")
    with pytest.raises(InputError, match="2 releases of other sources"):
        audit(stores)


@pytest.mark.parametrize(
    ("name", "edges"), [("genuine_relation2pubtator3_lines.tsv", 43), ("derived_relation2pubtator3_from_api.tsv", 770)]
)
def test_ncbis_own_rows_hold_no_unexpected_pair(tmp_path, data, name, edges):
    stores = Stores(tmp_path)
    ingest.load_relations([data / "pubtator3" / name], stores.graph, stores.settings, release="ncbi")
    found = audit(stores)
    assert (found.edges, found.unexpected_pairs, found.passed) == (edges, 0, True)
    assert sum(one.edges for one in found.pairs) == sum(one.edges for one in found.relations) == edges
