"""Extend the error message of a store that fails during a load."""

from collections.abc import Iterator
from contextlib import contextmanager

from groundwork.errors import StoreBusy, StoreError

_AGAIN = "command again"


@contextmanager
def unfinished(load: str, readers: str) -> Iterator[None]:
    """Add to a store's error that the load is not finished, and how to finish it.

    A `StoreBusy` error is not changed, because the load that has taken over the store finishes this load as well.

    Args:
        load: The load, for example "documents:8f2a".
        readers: What look-ups see until the load is finished, in words for the message.
    """
    try:
        yield
    except StoreBusy:
        raise
    except StoreError as error:
        error.seen = f"{error.seen}\nThe load of {load} is not finished; until it is finished, look-ups see {readers}"
        if _AGAIN not in error.remedy:
            error.remedy = "; then ".join(
                filter(None, [error.remedy, f"run the same {_AGAIN}: it continues where this one stopped"])
            )
        raise
