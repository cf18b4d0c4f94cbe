"""Show a groundedness report as HTML in a notebook."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from groundwork.notebook import Piece, Statement, html
from groundwork.records import walk
from groundwork.records.shortened import number
from knowhd.evidence.pieces import Edge, Passage, Trail

if TYPE_CHECKING:
    from knowhd.report import ClaimReport, GroundReport

#: Maximum number of claims that are shown.
SHOWN = 50


def report_html(report: "GroundReport") -> str:
    """Return a report as an HTML fragment: each claim with its verdict, and its evidence folded, cited pieces first."""
    scores = ", ".join(f"{source} {number(value)}" for source, value in report.groundedness.items())
    facts = f"{len(report.claims)} claims, judged by {report.model}, on {', '.join(report.release) or 'no release'}"
    claims = [_statement(claim, report.names) for claim in report.claims[:SHOWN]]
    return html(f"Groundedness: {scores}", facts, claims, len(report.claims) - len(claims))


def _statement(claim: "ClaimReport", names: Mapping[str, str]) -> Statement:
    verdict = claim.verdicts["both"]
    rest = ", ".join(f"{source} {claim.verdicts[source].replace('_', ' ')}" for source in ("graph", "literature"))
    pieces = sorted(_pieces(claim, names), key=lambda each: each[0])
    return Statement(
        verdict,
        verdict.replace("_", " "),
        claim.text,
        f"{claim.reason} ({rest})",
        claim.flags,
        [piece for _, piece in pieces],
    )


def _pieces(claim: "ClaimReport", names: Mapping[str, str]) -> Iterator[tuple[bool, Piece]]:
    """Yield each piece of evidence, and whether the verdict does without it."""
    cited = set(claim.cited)
    every: tuple[Edge | Trail | Passage, ...] = claim.evidence.graph + claim.evidence.chains + claim.evidence.literature
    for found in every:
        kind = (found.stance or "not judged").replace("_", " ")
        yield found.id not in cited, Piece(kind, _words(found, names), _pmids(found), bool(found.retracted))


def _words(piece: Edge | Trail | Passage, names: Mapping[str, str]) -> str:
    match piece:
        case Passage():
            return piece.sentence
        case Trail():
            return walk(piece.hops, names)
        case Edge():
            ends = names.get(piece.head, piece.head), names.get(piece.tail, piece.tail)
            return f"{ends[0]} -{piece.relation}- {ends[1]}, {piece.articles:,} articles"


def _pmids(piece: Edge | Trail | Passage) -> tuple[int, ...]:
    return (piece.pmid,) if isinstance(piece, Passage) else piece.pmids
