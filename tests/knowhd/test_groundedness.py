from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhd.groundedness import aggregated, measure
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
