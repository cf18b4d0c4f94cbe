"""What a load says when a store fails in the middle of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from groundwork.errors import StoreBusy, StoreError

_AGAIN = "command again"


@contextmanager
def unfinished(load: str, readers: str) -> Iterator[None]:
    """Add to the error of a store that fails meanwhile that the load is unfinished, and how to finish it.

    A store that another load has taken over is left alone: that load finishes this one too.

    Args:
        load: The load, for example "documents:8f2a".
        readers: What look-ups see until the load is finished.
    """
    try:
        yield
    except StoreBusy:
        raise
    except StoreError as error:
        error.seen = f"{error.seen}\nThe load of {load} is unfinished; until it is finished, look-ups see {readers}"
        if _AGAIN not in error.remedy:
            error.remedy = "; then ".join(
                filter(None, [error.remedy, f"run the same {_AGAIN}: it goes on where this one stopped"])
            )
        raise
