"""Show a groundedness report as HTML in a notebook."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from groundwork.notebook import Piece, Statement, html
from groundwork.records.shortened import counted, number
from knowhd.evidence.pieces import Passage, Trail
from knowhd.evidence.pieces import Piece as EvidencePiece
from knowhd.judge import pieces_of
from knowhd.wording import related

if TYPE_CHECKING:
    from knowhd.ground_report import ClaimReport, GroundReport

#: Maximum number of claims that are shown.
SHOWN = 50


def report_html(report: "GroundReport") -> str:
    """Return a report as an HTML fragment: each claim with its verdict and collapsed evidence, cited pieces first."""
    scores = ", ".join(f"{source} {number(value)}" for source, value in report.groundedness.items())
    where = f"on {', '.join(report.release_labels or report.release)}" if report.release else "without a release"
    facts = f"{counted(len(report.claims), 'claim')}, judged by {report.model}, {where}"
    claims = [_statement(claim, report.names) for claim in report.claims[:SHOWN]]
    return html(f"Groundedness: {scores}", facts, claims, len(report.claims) - len(claims))


def _statement(claim: "ClaimReport", names: Mapping[str, str]) -> Statement:
    verdict = claim.verdicts["both"]
    rest = ", ".join(f"{source} {claim.verdicts[source].replace('_', ' ')}" for source in ("graph", "literature"))
    pieces = [piece for _, piece in sorted(_pieces(claim, names), key=lambda each: each[0])]
    return Statement(verdict, verdict.replace("_", " "), claim.text, f"{claim.reason} ({rest})", claim.flags, pieces)


def _pieces(claim: "ClaimReport", names: Mapping[str, str]) -> Iterator[tuple[bool, Piece]]:
    """Yield (whether the piece is not cited, piece) for each piece of evidence. So sorting puts cited pieces first."""
    cited = set(claim.cited)
    for found in pieces_of(claim.evidence, "both"):
        kind = (found.stance or "not judged").replace("_", " ")
        pmids = (found.pmid,) if isinstance(found, Passage) else found.pmids
        yield found.id not in cited, Piece(kind, _words(found, names), pmids, bool(found.retracted))


def _words(piece: EvidencePiece, names: Mapping[str, str]) -> str:
    if isinstance(piece, Passage):
        return piece.sentence
    told = ", ".join(related(each, names) for each in (piece.hops if isinstance(piece, Trail) else [piece]))
    return f"{told} ({counted(piece.articles, 'article')})"
