"""."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhd.groundedness import aggregated, measure, measure_set
from knowhd.judge import SOURCES, Judgement

VERDICTS = st.sampled_from(["supported", "contradicted", "not_enough", "failed"])


@given(st.lists(st.tuples(VERDICTS, VERDICTS, VERDICTS)))
def test_groundedness_is_the_share_of_supported_claims_among_those_not_failed(rows):
    measured = measure([{s: Judgement(v, "", {}) for s, v in zip(SOURCES, row, strict=True)} for row in rows])
    for at, source in enumerate(SOURCES):
        column = [row[at] for row in rows if row[at] != "failed"]
        assert measured["claims_judged"][source] == len(column)
        assert measured["claims_failed"][source] == len(rows) - len(column)
        share = Fraction(column.count("supported"), len(column)) if column else None
        assert measured["groundedness"][source] == (float(share) if share is not None else None)
        assert measured["coverage"][source] == (len(column) / len(rows) if rows else None)
        interval = measured["intervals"][source]
        if share is None:
            assert interval is None
        else:
            assert interval is not None
            low, high = interval
            assert 0 <= low <= share <= high <= 1
            assert low < high


@pytest.mark.parametrize(
    ("verdicts", "mean", "strict", "majority"),
    [
        (["supported"] * 3, 1.0, 1.0, 1.0),
        (["supported", "supported", "contradicted"], 2 / 3, 0.0, 1.0),
        (["supported", "not_enough"], 0.5, 0.0, 0.0),
        (["supported", "failed"], 1.0, 1.0, 1.0),
        (["contradicted"], 0.0, 0.0, 0.0),
        (["failed"], None, None, None),
        ([], None, None, None),
    ],
)
def test_each_aggregate_of_verdicts_equals_the_value_by_hand(verdicts, mean, strict, majority):
    summed = aggregated(verdicts)
    assert (summed.mean, summed.strict, summed.majority) == (mean, strict, majority)
    if mean is None:
        assert summed.soft is None
    else:
        assert sum(summed.soft.values()) == pytest.approx(1)
        assert summed.soft["supported"] == mean


def report(*verdicts):
    return {"claims": [{"verdicts": dict.fromkeys(("graph", "literature", "both"), verdict)} for verdict in verdicts]}


SET = [
    report("supported", "supported", "supported", "supported"),
    report("supported", "contradicted", "failed"),
    report("not_enough"),
    report("failed", "failed"),
    report(),
]


def test_every_mean_is_reported_with_its_counts():
    both = measure_set(SET).sources["both"]
    assert (both.measured, both.coverage) == (3, 3 / 5)
    assert (both.claims_judged, both.claims_failed) == (7, 3)
    assert both.macro.value == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert both.micro.value == pytest.approx(5 / 7)
    assert both.strict.value == pytest.approx(1 / 3)
    assert both.majority.value == pytest.approx(1 / 3)
    for estimate in (both.macro, both.micro, both.strict, both.majority):
        low, high = estimate.interval
        assert low <= estimate.value <= high


def test_the_same_set_gives_the_same_intervals():
    assert measure_set(SET) == measure_set(SET)


def test_failed_and_empty_texts_are_not_zero():
    lost = measure_set([report("failed"), report()]).sources["graph"]
    assert (lost.measured, lost.coverage, lost.macro.value, lost.macro.interval) == (0, 0.0, None, None)
    assert measure_set([]).sources["graph"].coverage is None


def test_one_text_has_no_interval():
    alone = measure_set(SET[:1]).sources["both"]
    assert (alone.macro.value, alone.macro.interval) == (1.0, None)
