"""The errors that all three stores raise, with the same wording."""

from groundwork.errors import StoreBusy, StoreError


def outside_of_a_load(address: str) -> StoreError:
    """Return the error for a write outside of a load."""
    return StoreError(
        f"a write to {address} outside of a load", "writes inside `with store.writing():`", "hold the store first"
    )


def read_only(address: str) -> StoreError:
    """Return the error for a load on a store that was opened read-only."""
    return StoreError(f"{address} was opened read-only", "a store opened for writing", "open it for writing")


def busy(address: str) -> StoreBusy:
    """Return the error for a load on a store that another load holds."""
    return StoreBusy(
        f"{address} is being loaded by another run",
        "one load at a time",
        "wait until the other load is over, or stop it",
    )
