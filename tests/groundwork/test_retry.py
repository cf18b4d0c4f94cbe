"""How long to wait before a retry."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.threads import backoff, retry_after

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "9" * 4000}, None),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sunday, 22-Nov-26 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 22 Nov 2026 11:59:30 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Sun, 99 Nov 2026 12:00:30 GMT"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for_is_read(headers, seconds):
    assert retry_after(headers, NOW) == seconds


@given(st.text(max_size=40))
def test_any_header_is_read_without_an_error(text):
    found = retry_after({"retry-after": text}, NOW)
    assert found is None or found >= 0


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 2), (2, 4), (3, 8), (7, 128), (99, 128)])
def test_waits_double_up_to_a_limit(attempt, seconds):
    assert backoff(attempt, 2.0) == seconds
