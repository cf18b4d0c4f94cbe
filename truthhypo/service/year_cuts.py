"""The PMID up to which an article counts as known by the end of a year.

PubMed numbers articles in the order in which it adds them, and it also adds old articles later. So the newest PMID of a
year is no useful limit. The cut of a year is the 95 % quantile of the PMIDs of the loaded articles of that year, or the
cut of the next year if that is smaller.
"""

from collections.abc import Mapping
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

from groundwork import manifest
from groundwork.records.release import fingerprint
from truthhypo.world import World

#: The file under HOME that keeps the quantiles.
FILE = Path("cache", "years.json")
#: The share of a year's articles that the cut must include.
SHARE = 0.95


def year_cuts(world: World) -> dict[int, int]:
    """Return the PMID cut of each year for which the literature has articles, in the order of the years.

    The quantiles are kept under HOME for the current state of the literature, because it takes long to compute them:
    an embedded index of an older format reads every article, and Elasticsearch needs several requests.
    """
    state = fingerprint(world.literature_store.releases())
    kept = world.settings.home / FILE
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # a file of another form counts as damaged
        held = manifest.read(kept)
        if state and held["state"] == state:
            return monotone({int(year): int(pmid) for year, pmid in held["years"].items()})
    years = world.literature_store.pmid_by_year(SHARE)
    if state:
        with suppress(OSError):  # if HOME is read-only, the years are computed each time
            kept.parent.mkdir(parents=True, exist_ok=True)
            manifest.write(kept, {"state": state, "years": years})
    return monotone(years)


def monotone(years: Mapping[int, int]) -> dict[int, int]:
    """Return values that never fall from year to year: each is the minimum over its own year and all later years.

    Articles that PubMed added late make the quantile of an early year too large. So the values of early years are
    lowered, and the values of later years are not raised.
    """
    newest_first = sorted(years, reverse=True)
    lowest = accumulate((years[year] for year in newest_first), min)
    return dict(sorted(zip(newest_first, lowest, strict=True)))
