import pytest

from knowhd.groundedness import measure_set


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
