"""When to try again: after a break, and as the server asks."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

#: Waits grow from the first to so many times the first.
_GROWTH = 60
#: Whoever is asked to come back later than this, s, rather stops than waits.
_LONGEST = 900.0


class Broken(Exception):
    """A try that ended early; another one may do better.

    Args:
        why: What happened, for people.
        wait: Seconds the server asked to be left alone; None if it did not say.
    """

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


def wait_before(failed: int, first: float, asked: float | None) -> float | None:
    """Seconds to wait before the next try; None: too long to wait for.

    Args:
        failed: Tries in vain so far, at least 1.
        first: The first wait; each further one is twice as long, up to 60 times the first.
        asked: What the server asked for; it is never come back to earlier.
    """
    if asked is not None and asked > _LONGEST:
        return None
    return max(first * min(2.0 ** min(failed - 1, 30), _GROWTH), asked or 0.0)


def asked_wait(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); None if it says nothing."""
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
