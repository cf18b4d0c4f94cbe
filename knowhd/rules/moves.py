"""What a sentence does in its article: tell what was known or supposed before, or what was found.

What an article found goes before what it sets out from: "A has been thought to raise B. ... A lowered B." speaks
against "A raises B". Where it only sets out, that counts for what it is.
"""

import re
from collections.abc import Iterable

from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import Stance

_WORK = (
    r"(?:stud(?:y|ies)|trials?|work|reports?|research|observations?|experiments?|investigations?|analys[ie]s|findings?|"
    r"data|results?|evidence|literature|reviews?)"
)
_HELD = (
    r"(?:thought|believed|assumed|considered|held|supposed|expected|presumed|claimed|proposed|suggested|reported|"
    r"hypothesi[sz]ed|postulated|speculated|suspected|recommended)"
)
#: What was known or supposed before, or is only possible.
_BEFORE = re.compile(
    rf"""^\W*(?:background|introduction|context|objectives?|aims?|purpose|rationale|hypothes[ie]s|importance)
        (?:\s*(?:[/&]|and)\s*\w+)?\s*[:.—–-]
    | \b(?:is|are|was|were|been)\s+(?:\w+\s+)?{_HELD}\b
    | \b(?:previous|earlier|prior|former|past|older|preliminary|observational)\s+(?:[\w-]+\s+){{0,2}}{_WORK}\b
    | \b(?:previously|traditionally|conventionally|historically)\b
    | \b(?:may|might|could)\b""",
    re.VERBOSE | re.IGNORECASE,
)
#: What the article found, whatever else its sentence says.
_FOUND = re.compile(
    rf"""^\W*(?:results?|findings|conclusions?|interpretation|discussion)(?:\s*(?:[/&]|and)\s*\w+)?\s*[:.—–-]
    | \bwe\s+(?:\w+\s+)?(?:found|find|show(?:ed|n)?|observed?|demonstrated?|report(?:ed)?|conclude[sd]?|confirm(?:ed)?|
        detected|identified|saw|noted)\b
    | \b(?:our|these|this|the\s+present|the\s+current)\s+(?:\w+\s+)?{_WORK}\b
    | \b(?:in\s+conclusion|in\s+summary|taken\s+together|here)\b""",
    re.VERBOSE | re.IGNORECASE,
)


def sets_out(sentence: str) -> bool:
    """Whether a sentence tells what was known or supposed before an article's own findings."""
    return _BEFORE.search(sentence) is not None and _FOUND.search(sentence) is None


def foremost(pieces: Iterable[Piece], stances: dict[str, Stance]) -> dict[str, Stance]:
    """The stances of pieces without those that an article sets out from, where it goes on to another.

    Args:
        pieces: The evidence.
        stances: By id, those of the pieces that have one.
    """
    own = [piece for piece in pieces if isinstance(piece, Passage) and piece.id in stances]
    found = {piece.pmid for piece in own if not sets_out(piece.sentence)}
    left = {piece.id for piece in own if piece.pmid in found and sets_out(piece.sentence)}
    return {key: stance for key, stance in stances.items() if key not in left}
