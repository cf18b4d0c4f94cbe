"""Write the report on a manuscript as one HTML page without scripts or external files."""

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from groundwork.study import kind_of_study

if TYPE_CHECKING:
    from truthhypo.manuscripts.check import ManuscriptReport

#: The verdicts in words.
WORDS = {
    "supported": "supported",
    "contradicted": "contradicted",
    "not_stated": "not stated",
    "not_loaded": "article not loaded",
    "retracted": "retracted",
    "not_found": "reference not found",
}


def page(report: "ManuscriptReport") -> str:
    """Return the HTML page of a report."""
    environment = Environment(
        loader=PackageLoader("truthhypo.manuscripts"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("manuscript.html").render(report=report, words=WORDS, study=kind_of_study)
