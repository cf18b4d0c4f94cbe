"""Expected counts worked out by hand, and each limit alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.audit.audit_report import judge
from ingest.audit.census import Cell, Movement, Span, moves, summed, typical_growth
from ingest.receipt import Effect

TREAT, CAUSE, BIND = (
    Cell("Chemical", "treat", "Disease"),
    Cell("Chemical", "cause", "Disease"),
    Cell("Gene", "interact", "Gene"),
)
STILL = ({}, {}, {})


def moved(before, after, flows=STILL):
    found = moves(before, after, flows, typical_growth(before, after))
    return {Cell(move.head, move.relation, move.tail): move for move in found}


def test_a_shrunken_cell_is_compared_with_the_typical_growth():
    before, after = {TREAT: 10_000, CAUSE: 1_000, BIND: 400}, {TREAT: 11_000, CAUSE: 1_100, BIND: 100}
    found = moved(before, after)
    assert typical_growth(before, after) == 1.1
    assert next(iter(found)) == BIND
    assert found[BIND].expected == pytest.approx(440)
    assert found[BIND].relative == pytest.approx(-340 / 440)
    assert found[TREAT].relative == pytest.approx(0, abs=1e-9) == found[CAUSE].relative


def test_the_largest_cell_cut_in_half_does_not_make_the_others_look_grown():
    found = moved({TREAT: 480, CAUSE: 270, BIND: 250}, {TREAT: 240, CAUSE: 270, BIND: 250})
    assert {cell: move.relative for cell, move in found.items()} == {TREAT: -0.5, CAUSE: 0, BIND: 0}


def test_new_and_vanished_cells_have_finite_numbers():
    found = moved({TREAT: 1000, CAUSE: 50}, {TREAT: 1000, BIND: 150}, ({BIND: 150}, {TREAT: 7}, {CAUSE: 50}))
    came, went = found[BIND], found[CAUSE]
    assert (came.before, came.expected, came.relative, came.added) == (0, 0, 150, 150)
    assert (went.after, went.expected, went.relative, went.removed) == (0, 50, -1, 50)
    assert found[TREAT].changed == 7
    assert moves({}, {}, STILL, 1.0) == ()
    assert typical_growth({}, {BIND: 1}) == 1


@given(st.dictionaries(st.sampled_from([TREAT, CAUSE, BIND]), st.integers(1, 10**7), min_size=1))
def test_a_release_that_does_not_move_is_as_expected(cells):
    assert all(move.relative == 0 for move in moved(cells, cells).values())


def test_relations_add_up_over_types():
    assert summed({TREAT: 3, Cell("Gene", "treat", "Gene"): 4, BIND: 1}) == {
        Cell("", "treat", ""): 7,
        Cell("", "interact", ""): 1,
    }


def movement(**values) -> Movement:
    sound = {
        "edges": Effect(1000, 0, 0, 0, 1000),
        "lost_edge_share": 0.0,
        "growth": 1.0,
        "typical_growth": 1.0,
        "types": (),
        "new_concepts": 0,
        "lost_concepts": 0,
        "lost_concept_share": 0.0,
        "pmids": Span(1, 2),
    }
    nothing = dict.fromkeys(("relations", "pairs", "new", "lost"), ())
    return Movement(**sound | nothing | values)


def cells(before: dict, after: dict) -> tuple:
    return moves(before, after, STILL, 1.0)


BROKEN = {
    "rejected rows": {"rejected": 0.011},
    "largest hub": {"hubs": [("Gene|1", 501), ("Gene|2", 499)]},
    "lost edges": {"movement": movement(lost_edge_share=0.051)},
    "lost concepts": {"movement": movement(lost_concept_share=0.021)},
    "growth": {"movement": movement(growth=0.49)},
    "unexpected movement": {"movement": movement(pairs=cells({TREAT: 1000, CAUSE: 500}, {TREAT: 1000, CAUSE: 601}))},
}
KEPT = {
    "rejected rows": {"rejected": 0.01},
    "largest hub": {"hubs": [("Gene|1", 500), ("Gene|2", 500)]},
    "lost edges": {"movement": movement(lost_edge_share=0.05)},
    "lost concepts": {"movement": movement(lost_concept_share=0.02)},
    "growth": {"movement": movement(growth=1.5)},
    "unexpected movement": {"movement": movement(pairs=cells({TREAT: 1000, CAUSE: 500}, {TREAT: 1000, CAUSE: 600}))},
}


def judged(edges=10_000, rejected=0.0, hubs=(), movement=None):
    return {check.name: check for check in judge(edges, rejected, hubs, movement)}


@pytest.mark.parametrize("name", BROKEN)
def test_each_limit_can_break_alone_and_a_value_at_the_limit_passes(name):
    found = judged(**BROKEN[name])
    assert [check.name for check in found.values() if not check.passed] == [name]
    assert found[name].value > found[name].limit
    assert name in str(found[name])
    kept = judged(**KEPT[name])
    assert all(check.passed for check in kept.values())
    assert kept[name].value == pytest.approx(kept[name].limit)


def test_culprits_are_named():
    assert judged(**BROKEN["largest hub"])["largest hub"].culprits == ("Gene|1",)
    [culprit] = judged(**BROKEN["unexpected movement"])["unexpected movement"].culprits
    assert culprit == "Chemical cause Disease has 601 edges, 500 expected"


def test_a_broken_limit_is_one_line_whatever_the_key_holds():
    told = str(judged(hubs=[("Mutation|a\x0bb\x85c\u2028d\x1b[31m", 900)])["largest hub"])
    assert len(told.splitlines()) == 1
    assert told.isprintable()
    assert "Mutation|a" in told


def test_limits_on_cells_and_hubs_need_at_least_100_edges():
    for edges in (99, 100):
        small = movement(pairs=cells({TREAT: 100, CAUSE: edges}, {TREAT: 100}))
        assert judged(movement=small)["unexpected movement"].passed == (edges < 100)
    assert judged(edges=200, hubs=[("Gene|1", 99)])["largest hub"].value is None
    assert not judged(edges=200, hubs=[("Gene|1", 100)])["largest hub"].passed
