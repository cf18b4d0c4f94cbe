"""When to try again: as the server says (Retry-After), else by exponential back-off with jitter."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from random import Random


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds a server asks us to wait: `retry-after-ms`, or Retry-After as seconds or as an HTTP date (RFC 9110).

    Args:
        headers: Of its answer; names are looked up in lower case.
        now: For tests.

    Returns:
        Seconds, >= 0; None if it says nothing that can be read.
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
    """Seconds before the next try: first * 2^(attempt - 1), of which a random half to all, so that calls spread.

    Args:
        attempt: Tries so far, >= 1.
        first: Seconds.
        random: Source of the jitter.
    """
    return first * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and isfinite(value) and value >= 0 else None
