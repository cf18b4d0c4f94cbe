"""The errors that all three literature stores raise, with the same wording."""

from groundwork.errors import InputError, StoreBusy, StoreError


def outside_of_a_load(address: str) -> StoreError:
    """Return the error for a write outside of a load."""
    return StoreError(
        f"a write to {address} outside of a load", "writes inside `with store.writing():`", "begin a load first"
    )


def read_only(address: str) -> StoreError:
    """Return the error for a load on a store that was opened read-only."""
    return StoreError(f"{address} was opened read-only", "a store opened for writing", "open it for writing")


def busy(address: str) -> StoreBusy:
    """Return the error for a load on a store that another load holds."""
    return StoreBusy(
        f"{address} is being loaded by another process",
        "one load at a time",
        "wait until the other load has ended, or stop it",
    )


def check_share(share: float) -> None:
    """Check a share of articles.

    Raises:
        InputError: The share is outside (0, 1].
    """
    if not 0 < share <= 1:
        raise InputError(f"a share of {share}", "a number above 0, up to 1", "correct share")
