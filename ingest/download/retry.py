"""Retry delays of downloads: exponential backoff, or as the server asks."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

#: Delays grow up to this many times the first delay.
_GROWTH = 60
#: If a server asks for a longer wait than this, in seconds, the download is given up.
_LONGEST = 900.0


class Broken(Exception):
    """An attempt that ended early; another one may succeed.

    Args:
        why: What happened, for the user.
        wait: Number of seconds that the server asked to wait; None if it did not say.
    """

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


def wait_before(failed: int, first: float, asked: float | None) -> float | None:
    """Return the seconds to wait before the next attempt; None if this is too long.

    Args:
        failed: Number of failed attempts so far, at least 1.
        first: The first delay; each further one is twice as long, up to 60 times the first.
        asked: The delay that the server asked for, if any; it is always respected.
    """
    if asked is not None and asked > _LONGEST:
        return None
    return max(first * min(2.0 ** min(failed - 1, 30), _GROWTH), asked or 0.0)


def asked_wait(header: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds in a Retry-After header (RFC 9110, 10.2.3: seconds or a date); None if it is not readable."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max((then - (now or datetime.now(UTC))).total_seconds(), 0.0)
