"""Evidence over time: articles for and against each claim of a text by year, and the verdict after each year."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundwork.ports import Progress
from groundwork.records import Record
from knowhd.ground_report import ClaimReport
from knowhd.judge import CONTRARY, Source, Stance, Verdict, articles, pieces_of
from knowhd.options import GroundOptions, Scope
from truthhypo.lookups import meanings
from truthhypo.service.year_cuts import year_cuts
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
    known = _published(world, {pmid for each in sides for side in each.values() for pmid in side})
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
        cut = _cut(year, cuts)
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


def _published(world: World, pmids: set[int]) -> dict[int, int]:
    """Return the years of publication of articles, as far as the literature has them."""
    return {pmid: held.text.year for pmid, held in world.literature_store.get(pmids).items() if held.text.year}


def _first_year(pmid: int, cuts: Mapping[int, int]) -> int | None:
    """Return the first year whose cut includes an article; the last year if none does; None without cuts."""
    return next((year for year, cut in cuts.items() if pmid <= cut), max(cuts, default=None))


def _cut(year: int, cuts: Mapping[int, int]) -> int:
    """Return the cut of a year, or else of the last earlier year that has a cut; 0 if there is none."""
    return max((cut for known, cut in cuts.items() if known <= year), default=0)
