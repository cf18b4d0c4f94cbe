"""Waiting times before a retry: as the server asks (Retry-After), otherwise by exponential backoff."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite


def backoff(attempt: int, first: float) -> float:
    """Return the seconds to wait after a failed attempt: first * 2^(attempt - 1), at most 64 * first.

    Args:
        attempt: Number of failed attempts so far, >= 1.
        first: The first wait in seconds.
    """
    return first * 2.0 ** min(attempt - 1, 6)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return how many seconds a server asks to wait, according to its headers.

    The header `retry-after-ms` has priority over Retry-After, which gives seconds or a date (RFC 9110).

    Args:
        headers: Headers of the answer; names are looked up in lower case.
        now: The present time, for tests.

    Returns:
        Seconds, >= 0; None if no header contains a readable time.
    """
    milliseconds, text = _number(headers.get("retry-after-ms")), headers.get("retry-after")
    if milliseconds is not None:
        return milliseconds / 1000
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        then = parsedate_to_datetime(text) if text else None
    except (ValueError, TypeError, OverflowError):
        return None
    if then is None:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and isfinite(value) and value >= 0 else None
