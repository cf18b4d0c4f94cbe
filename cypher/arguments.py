"""Which arguments of look-ups make sense; the others are refused in the same words on every store."""

from groundwork.errors import InputError
from groundwork.records import Rank

MAX_HOPS = 4
RANKS = ("evidence", "dwpc", "hops")


def check_chains(hops: int, limit: int, rank: Rank, pmids: int, similar: float | None) -> None:
    """Raise InputError for arguments that `chains` does not take."""
    check_hops(hops)
    check_pmids(pmids)
    if rank not in RANKS:
        raise InputError(f"rank {rank!r}", f"one of {', '.join(RANKS)}", "choose one of these")
    if limit < 0:
        raise InputError(f"limit {limit}", "0 or more chains", "leave it out for the default")
    if similar is not None and not 0.0 <= similar <= 1.0:
        raise InputError(f"alpha {similar}", "a number from 0 to 1", "correct it or leave it out")


def check_hops(hops: int) -> None:
    """Raise InputError for a number of hops that no look-up walks."""
    if not 1 <= hops <= MAX_HOPS:
        raise InputError(f"{hops} hops", f"1 to {MAX_HOPS} hops", "choose a number of hops in that range")


def check_pmids(pmids: int) -> None:
    """Raise InputError for a number of PMIDs that cannot be shown."""
    if pmids < 0:
        raise InputError(f"{pmids} PMIDs a hop", "0 or more", "leave it out for the default")
