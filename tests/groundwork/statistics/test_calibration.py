"""Reliability diagrams and calibration errors by hand."""

import pytest

from groundwork.statistics import calibration_error, reliability


def test_the_reliability_diagram_equals_values_worked_out_by_hand():
    found = reliability([0.62, 0.68, 0.7, 1.0], [True, False, True, True])
    # 0.7 belongs to the bin that begins at 0.7, and 1 to the last bin.
    assert [(one.low, one.n, one.sure, one.right) for one in found] == [
        (0.6, 2, pytest.approx(0.65), 0.5),
        (0.7, 1, 0.7, 1.0),
        (0.9, 1, 1.0, 1.0),
    ]
    assert found[0].right_low < 0.5 < found[0].right_high
    assert reliability([], []) == ()


def test_the_calibration_error_equals_values_worked_out_by_hand():
    # Bin 0.6: one of two is right, mean .65. Bin 0.9: one, right, mean .95. The error is (2 * .15 + 1 * .05) / 3.
    found = calibration_error([0.62, 0.68, 0.95], [True, False, True])
    assert found == pytest.approx((0.3 + 0.05) / 3, abs=1e-6)
    # First bin: mean 0.05, half right; last bin (closed): mean 0.975, all right.
    found = calibration_error([0.05, 0.05, 0.95, 1.0], [True, False, True, True])
    assert found == pytest.approx(0.5 * 0.45 + 0.5 * 0.025, abs=1e-6)
    assert calibration_error([1.0], [True]) == 0
    assert calibration_error([], []) is None
