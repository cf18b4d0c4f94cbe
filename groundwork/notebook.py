"""Show a report as HTML in a notebook: a heading, and statements with a verdict and folded evidence.

All texts are escaped. There are no scripts and no external files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template

#: Symbol of each verdict and status, so that it can be told without colours.
MARKS = {
    "supported": "✔",
    "contradicted": "✖",
    "not_enough": "○",
    "failed": "△",
    "measured": "✔",
    "thin": "◔",
    "risky": "✖",
    "no_evidence": "○",
    "unlinked": "△",
    "no_triple": "△",
    "error": "△",
    "supports": "✔",
    "contradicts": "✖",
}
#: Maximum number of pieces of evidence per statement, and of PMIDs per piece.
PIECES, PMIDS = 12, 5


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence.

    Attributes:
        kind: `supports`, `contradicts`, or another word without a symbol.
        text: The evidence in words.
        pmids: Articles to which the page links.
        retracted: Whether an article was retracted.
    """

    kind: str
    text: str
    pmids: Sequence[int] = ()
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """A judged statement.

    Attributes:
        kind: A verdict or status, which chooses colour and symbol (see MARKS).
        label: The verdict in words.
        text: The statement.
        told: The reason, or the numbers.
        flags: Flags of the judgement.
        pieces: The evidence, best first.
    """

    kind: str
    label: str
    text: str
    told: str = ""
    flags: Sequence[str] = ()
    pieces: Sequence[Piece] = ()


def html(heading: str, facts: str, statements: Sequence[Statement], more: int = 0) -> str:
    """Return a report as an HTML fragment.

    Args:
        heading: The result in words.
        facts: A second line in small letters, for instance the judge and the release.
        statements: The statements.
        more: Number of statements that are not shown.
    """
    shown = {"marks": MARKS, "most_pieces": PIECES, "most_pmids": PMIDS}
    return _template().render(heading=heading, facts=facts, statements=statements, more=more, **shown)


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(files("groundwork").joinpath("notebook.html").read_text("utf-8"))
