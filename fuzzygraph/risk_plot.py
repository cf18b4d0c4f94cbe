"""Draw the risks of claims."""

from typing import TYPE_CHECKING

from fuzzygraph.report_html import kind_of
from groundwork.plots import BLUE, GREY, ORANGE, bars, offline

if TYPE_CHECKING:
    from altair import LayerChart

    from fuzzygraph.risk_report import RiskReport

#: Colour and symbol for each result. A thin risk has little evidence.
_KINDS = {"measured": (BLUE, "✔"), "risky": (ORANGE, "✖"), "thin": (GREY, "◔")}


def risk_plot(report: "RiskReport") -> "LayerChart":
    """Return a chart with one bar per measured claim; see `RiskReport.plot`."""
    rows = [
        {"label": f"{number}. {risk.text}", "text": risk.text, "value": risk.hrs, "kind": kind_of(risk)}
        for number, risk in enumerate(report.sentences, 1)
        if risk.hrs is not None
    ]
    told = f"Hallucination risk of {report.measured} of {report.claims} claims"
    return offline(bars(rows, _KINDS, "hallucination risk (HRS)", told))
