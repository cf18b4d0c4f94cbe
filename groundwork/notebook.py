"""Show a report as HTML in a notebook: a heading, and statements with a verdict and evidence that can be unfolded.

All texts are escaped. There are no scripts, no external files and no style sheets. Text is readable in light and dark
themes: it has the colour of the theme, or a background of its own.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from groundwork.path_picture import SIGN_COLOURS, picture

#: Symbol of each verdict, status and stance, so that readers can tell them apart without colours.
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
    "proposed": "→",
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
        pmids: PMIDs of its articles, to which the page links.
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
        kind: A verdict, a status, or `proposed` for the relation of a hypothesis. It decides the colour and the symbol
            (see MARKS).
        label: The verdict, the score or the relation in words.
        text: The statement, or the reason for a hypothesis.
        told: A second line: the reason for the verdict, the scores, or the error; may be empty.
        flags: Flags of the judgement.
        pieces: The evidence, best first.
        picture: Address of a picture of the evidence (`paths_image`), or "".
    """

    kind: str
    label: str
    text: str
    told: str = ""
    flags: Sequence[str] = ()
    pieces: Sequence[Piece] = ()
    picture: str = ""


def html(heading: str, facts: str, statements: Sequence[Statement], more: int = 0) -> str:
    """Return a report as an HTML fragment.

    Args:
        heading: The result in words.
        facts: A second line in small letters, for instance the judge and the release.
        statements: The statements.
        more: Number of statements that are not shown.
    """
    shown = {"marks": MARKS, "most_pieces": PIECES, "most_pmids": PMIDS}
    page = _template("notebook.html")
    return page.render(heading=heading, facts=facts, statements=statements, more=more, **shown)


def paths_image(paths: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Return a picture of paths as a `data:` address of an SVG image, or "" if there are no paths.

    The image has its own background.

    Args:
        paths: As for `path_picture.picture`.
        names: The name of each concept, by key.
    """
    drawn = picture(paths, names)
    if drawn is None:
        return ""
    image = _template("paths.svg").render(drawn=drawn, colours=SIGN_COLOURS, concept_address=lambda _key: "")
    return f"data:image/svg+xml;base64,{b64encode(image.encode()).decode()}"


@cache
def _template(name: str) -> Template:
    loader = PackageLoader("groundwork")
    kept = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return kept.get_template(name)
