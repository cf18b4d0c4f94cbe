"""Draw the evidence of claims."""

from typing import TYPE_CHECKING

from groundwork.plots import BLUE, GREY, ORANGE, bars, offline
from knowhd.evidence.pieces import Passage

if TYPE_CHECKING:
    from altair import FacetChart

    from knowhd.ground_report import ClaimReport, GroundReport

#: Colour and symbol for each effect of a piece of evidence on a claim.
_KINDS = {"supports": (BLUE, "✔"), "contradicts": (ORANGE, "✖"), "decides nothing": (GREY, "○")}


def evidence_plot(report: "GroundReport") -> "FacetChart":
    """Return a chart with one bar per claim, stance and source; see `GroundReport.plot`."""
    rows = [row for number, claim in enumerate(report.claims, 1) for row in _rows(number, claim)]
    drawn = bars(rows, _KINDS, "articles", f"Articles for and against each of {len(report.claims)} claims")
    return offline(drawn.encode(yOffset="order:O").facet("source:N"))


def _rows(number: int, claim: "ClaimReport") -> list[dict[str, str | int]]:
    articles: dict[tuple[str, str], set[int]] = {}
    for source, pieces in (("graph", claim.evidence.graph), ("literature", claim.evidence.literature)):
        for piece in pieces:
            kind = piece.stance if piece.stance in _KINDS else "decides nothing"
            found = {piece.pmid} if isinstance(piece, Passage) else piece.every
            articles.setdefault((source, str(kind)), set()).update(found)
    shared = {"label": f"{number}. {claim.text}", "text": claim.text}
    return [
        {**shared, "source": source, "kind": kind, "order": list(_KINDS).index(kind), "value": len(found)}
        for (source, kind), found in articles.items()
    ]
