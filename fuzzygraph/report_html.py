"""Show a risk report as HTML in a notebook."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fuzzygraph.support import THIN
from groundwork.notebook import Piece, Statement, html, paths_image
from groundwork.records.shortened import number

if TYPE_CHECKING:
    from fuzzygraph.risk_report import RiskReport, SentenceRisk

#: Maximum number of sentences that are shown.
SHOWN = 50
#: A claim with at least this risk is shown like a contradicted claim, because its paths contradict it at least as much
#: as they support it.
RISKY = 0.5

_SIDES = {"support": "supports", "contradiction": "contradicts"}


def report_html(report: "RiskReport") -> str:
    """Return a report as an HTML fragment: each sentence with its risk, strength and collapsed paths."""
    told = f"{number(report.hrs)}, strength {number(report.strength)}"
    if report.hrs is None:
        told = f"not measured ({report.measured} of {report.claims} claims)"
    heading = f"Hallucination risk (HRS): {told}"
    terms = report.terms
    combined = "compared with chance" if terms.score == "calibrated" else f"combined by {terms.aggregate}"
    facts = f"paths of at most {terms.hops} edges, {combined}"
    sentences = [_statement(risk, report.names) for risk in report.sentences[:SHOWN]]
    return html(heading, facts, sentences, len(report.sentences) - len(sentences))


def _statement(risk: "SentenceRisk", names: Mapping[str, str]) -> Statement:
    if risk.hrs is None:
        return Statement(risk.status, risk.status.replace("_", " "), risk.text, "no risk is measured", risk.flags)
    told = f"strength {number(risk.strength)}, {risk.paths_total:,} paths"
    pieces = [
        Piece(_SIDES.get(path.side, path.side), f"{walk(path.keys, path.kinds, names)} ({path.probability:.3f})")
        for path in risk.paths
    ]
    drawn = paths_image([path.to_dict() for path in risk.paths], names)
    return Statement(kind_of(risk), f"HRS {number(risk.hrs)}", risk.text, told, risk.flags, pieces, drawn)


def kind_of(risk: "SentenceRisk") -> str:
    """Return the kind of a measured risk: `thin`, `risky` or `measured`."""
    return THIN if THIN in risk.flags else "risky" if risk.hrs is not None and risk.hrs >= RISKY else "measured"


def walk(keys: tuple[str, ...], kinds: tuple[str, ...], names: Mapping[str, str]) -> str:
    """Return a path as names with the relations between them."""
    steps = "".join(f" -{kind}- {names.get(key, key)}" for key, kind in zip(keys[1:], kinds, strict=True))
    return names.get(keys[0], keys[0]) + steps
