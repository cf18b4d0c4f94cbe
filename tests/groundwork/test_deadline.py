"""A call's time limit: results and errors are returned, and no call is waited for longer than its limit."""

import time
from threading import Event

import pytest

from groundwork.threads import within


def test_a_result_is_returned():
    assert within(5, lambda: 7) == 7


def test_an_error_is_raised_unchanged():
    with pytest.raises(KeyError, match="lost"):
        within(5, lambda: {}["lost"])


def test_a_call_that_exceeds_its_limit_is_not_waited_for():
    release = Event()
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        within(0.05, release.wait)
    assert time.monotonic() - start < 2
    release.set()
