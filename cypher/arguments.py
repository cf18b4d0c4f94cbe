"""Check the arguments of look-ups, with the same error messages on every store."""

from groundwork.errors import InputError
from groundwork.records import Rank

MAX_HOPS = 4
RANKS = ("evidence", "dwpc", "hops")


def check_chains(hops: int, limit: int, rank: Rank, pmids: int, similar: float | None) -> None:
    """Raise InputError for invalid arguments of `chains`."""
    check_hops(hops)
    check_pmids(pmids)
    if rank not in RANKS:
        raise InputError(f"the rank {rank!r}", f"one of {', '.join(RANKS)}", "choose one of these ranks")
    if limit < 0:
        raise InputError(f"limit {limit}", "0 or more chains", "give a limit of 0 or more, or leave it out")
    if similar is not None and not 0.0 <= similar <= 1.0:
        raise InputError(f"alpha {similar}", "a number from 0 to 1", "correct alpha, or leave it out")


def check_hops(hops: int) -> None:
    """Raise InputError for an invalid number of hops."""
    if not 1 <= hops <= MAX_HOPS:
        raise InputError(f"{hops} hops", f"1 to {MAX_HOPS} hops", "choose a number of hops in that range")


def check_pmids(pmids: int) -> None:
    """Raise InputError for a negative number of PMIDs."""
    if pmids < 0:
        raise InputError(f"{pmids} PMIDs per hop", "0 or more", "give 0 or more PMIDs, or leave the number out")
