"""Print watched statements and reports on them as text for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from truthhypo.faces.layout import field
from truthhypo.service.watching import StatementReport, WatchReport
from truthhypo.service.watchlist import Statement

#: Maximum number of PMIDs on one line.
SHOWN = 10


def statements(console: Console, held: Sequence[Statement]) -> None:
    """Print each watched statement with its last judgement."""
    for each in held:
        field(console, f"{each.id}  ", escape(each.text))
        field(console, "              ", f"[dim]{escape(told(each.latest))}[/dim]")
    if not held:
        console.print("No statement is watched. To watch one: truthhypo watch add TEXT")


def report(console: Console, found: WatchReport) -> None:
    """Print each statement that was judged, has changed or failed, and then the counts."""
    for each in found.statements:
        if each.changed or each.error or each.judged:
            _statement(console, each)
    failed = f", {found.failed} failed" if found.failed else ""
    console.print(f"{found.judged} judged, {found.skipped} skipped because their evidence is the same{failed}")


def told(judgement: Mapping[str, Any] | None) -> str:
    """Return the verdicts and the risk of a judgement in one line."""
    if judgement is None:
        return "not judged yet"
    verdicts = ", ".join(claim["verdicts"]["both"].replace("_", " ") for claim in judgement["claims"]) or "no claim"
    if judgement["hrs"] is None:
        return f"{verdicts}; risk not measured"
    thin = " (thin evidence)" if "thin" in judgement["flags"] else ""
    return f"{verdicts}; HRS {judgement['hrs']:.3f}, strength {judgement['strength']:.3f}{thin}"


def _statement(console: Console, each: StatementReport) -> None:
    mark = "changed" if each.changed else "failed " if each.error else "judged "
    field(console, f"{mark}  ", escape(each.text))
    if each.error:
        field(console, "         ", escape(f"{each.error['seen']}. To fix it: {each.error['remedy']}"))
        return
    if each.changed:
        field(console, "         ", f"[dim]before: {escape(told(each.before))}[/dim]")
    field(console, "         ", f"[dim]now:    {escape(told(each.after))}[/dim]")
    for what, pmids in (("new in the evidence", each.pmids_added), ("no longer in the evidence", each.pmids_removed)):
        if pmids:
            field(console, "         ", f"[dim]{what}: {_some(pmids)}[/dim]")


def _some(pmids: Sequence[int]) -> str:
    more = f" and {len(pmids) - SHOWN:,} more" if len(pmids) > SHOWN else ""
    return ", ".join(map(str, pmids[-SHOWN:])) + more
