"""Evidence over time: articles for and against each claim of a text by year, and the verdict after each year.

The verdict of a year uses the articles up to a PMID. PubMed numbers articles in the order in which it adds them, and it
also adds old articles later. So the newest PMID of a year is no useful limit. The cut of a year is the 95 % quantile of
the PMIDs of the loaded articles of that year, or the cut of the next year if that is smaller.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from groundwork import manifest
from groundwork.ports import Progress
from groundwork.records import Record
from groundwork.records.release import fingerprint
from knowhd.ground_report import ClaimReport
from knowhd.judge import CONTRARY, Source, Stance, Verdict, articles, pieces_of
from knowhd.options import GroundOptions, Scope
from truthhypo.lookups import meanings
from truthhypo.world import World


@dataclass(frozen=True, slots=True)
class Year(Record):
    """The evidence on a claim in one year.

    Attributes:
        year: The year.
        before: The PMID cut of the year: the judgement of the year uses only articles with a PMID up to this one.
        supports: Number of articles of this year that support the claim.
        contradicts: Number of articles of this year that contradict the claim.
        verdict: The verdict from both sources with the evidence up to the cut.
        changed: Whether this verdict differs from that of the year before. The first year is compared with
            `not_enough`, or with `failed` if the claim cannot be read.
    """

    year: int
    before: int
    supports: int
    contradicts: int
    verdict: Verdict
    changed: bool


@dataclass(frozen=True, slots=True)
class ClaimTimeline(Record):
    """The evidence on one claim over time.

    Attributes:
        text: The claim.
        verdicts: The verdicts per source with all evidence, including articles after the cut of the last year.
        years: The years, ascending, from the first with evidence on the claim to the last for which the literature has
            articles.
        changed_in: The years in which the verdict changed, ascending.
        changed_since: Whether the verdict with all evidence differs from the verdict of the last year; False if no
            article in the literature has a year.
        undated: Number of articles for or against the claim for which the literature has no year. They count in the
            first year whose cut includes them, if any article in the literature has a year.
    """

    text: str
    verdicts: Mapping[Source, Verdict]
    years: tuple[Year, ...]
    changed_in: tuple[int, ...]
    changed_since: bool
    undated: int


@dataclass(frozen=True, slots=True)
class Timeline(Record):
    """The evidence on the claims of a text over time.

    Attributes:
        text: The text.
        claims: The claims of the text.
        cuts: The PMID cut of each year (`year_cuts`).
        model: Name of the judge.
    """

    text: str
    claims: tuple[ClaimTimeline, ...]
    cuts: Mapping[int, int]
    model: str


def timeline(
    world: World, text: str, options: GroundOptions | None = None, progress: Progress | None = None
) -> Timeline:
    """Return the evidence on the claims of a text over time.

    Args:
        world: The stores and the judge.
        text: One or more statements.
        options: Options of `ground`, of which `k` (per claim and year), `exclude_retracted`, `design`, `organism` and
            `concepts` count.
        progress: Receives each sentence and each claim while the evidence is gathered.
    """
    asked = options or GroundOptions()
    scope = Scope(k=asked.k, exclude_retracted=asked.exclude_retracted, design=asked.design, organism=asked.organism)
    cuts, checker = year_cuts(world), world.checker()
    found = checker.gathered(text, scope, concepts=meanings(world.graph_store, asked.concepts), progress=progress)
    judged = dict(checker.over_time(found, scope, set(cuts.values())))
    sides = [_sides(reports) for reports in zip(*judged.values(), strict=True)]
    decisive = world.literature_store.get({pmid for each in sides for side in each.values() for pmid in side})
    known = {pmid: held.text.year for pmid, held in decisive.items() if held.text.year}
    claims = tuple(
        _over_time(claim, {cut: reports[n] for cut, reports in judged.items()}, sides[n], cuts, known)
        for n, claim in enumerate(judged[None])
    )
    return Timeline(text, claims, cuts, world.judge.name)


def _over_time(
    claim: ClaimReport,
    judged: Mapping[int | None, ClaimReport],
    sides: Mapping[Stance, frozenset[int]],
    cuts: Mapping[int, int],
    known: Mapping[int, int],
) -> ClaimTimeline:
    """Return the timeline of a claim from its reports, one for each PMID cut."""
    dated = {pmid: known.get(pmid) or _first_year(pmid, cuts) for side in sides.values() for pmid in side}
    nothing: Verdict = "failed" if claim.verdicts["both"] == "failed" else "not_enough"
    years: list[Year] = []
    last = nothing
    for year in sorted({*cuts, *(year for year in dated.values() if year is not None)}):
        cut = max((cut for known, cut in cuts.items() if known <= year), default=0)
        verdict = judged[cut].verdicts["both"] if cut in judged else nothing
        pro, contra = (sum(dated[pmid] == year for pmid in sides[side]) for side in CONTRARY)
        if years or pro or contra or cut in judged:
            years.append(Year(year, cut, pro, contra, verdict, verdict != last))
        last = verdict
    return ClaimTimeline(
        claim.text,
        claim.verdicts,
        tuple(years),
        tuple(each.year for each in years if each.changed),
        bool(cuts) and claim.verdicts["both"] != last,
        len(dated.keys() - known.keys()),
    )


def _sides(reports: Iterable[ClaimReport]) -> dict[Stance, frozenset[int]]:
    """Return the articles for and against a claim, by stance, from the reports on the claim for all PMID cuts."""
    found: dict[Stance, set[int]] = {side: set() for side in CONTRARY}
    for report in reports:
        for side, pmids in found.items():
            pieces = pieces_of(report.evidence, "both")
            pmids |= articles(piece for piece in pieces if report.stances.get(piece.id) == side)
    return {side: frozenset(pmids) for side, pmids in found.items()}


def _first_year(pmid: int, cuts: Mapping[int, int]) -> int | None:
    """Return the first year whose cut includes an article; the last year if none does; None without cuts."""
    return next((year for year, cut in cuts.items() if pmid <= cut), max(cuts, default=None))


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
