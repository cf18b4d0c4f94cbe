"""Retry delays: as the server asks (Retry-After), otherwise exponential backoff with jitter."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from random import Random


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return how long a server asks to wait: `retry-after-ms`, or Retry-After in seconds or as a date (RFC 9110).

    Args:
        headers: Headers of the answer, with names in lower case.
        now: The current time; for tests.

    Returns:
        Seconds, >= 0; None if the headers contain no readable value.
    """
    milliseconds, said = _number(headers.get("retry-after-ms")), headers.get("retry-after")
    if milliseconds is not None:
        return milliseconds / 1000
    if (seconds := _number(said)) is not None:
        return seconds
    try:
        then = parsedate_to_datetime(said) if said else None
    except (ValueError, TypeError, OverflowError):
        return None
    if then is None:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def pause(attempt: int, first: float, random: Random) -> float:
    """Return the delay before the next attempt: first * 2^(attempt - 1) times a random factor in [0.5, 1], in seconds.

    Args:
        attempt: Number of attempts so far, >= 1.
        first: First delay in seconds.
        random: Source of the jitter, which spreads concurrent calls.
    """
    return first * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and isfinite(value) and value >= 0 else None
