"""Turn persons' marks on sentences into rows of the training table."""

from collections.abc import Iterable, Mapping

from groundwork.reading.encoder import Encoder
from knowhd.claims import Claim
from knowhd.marks import Mark
from knowhd.statement import Statement, statement_of
from truthhypo.bench.reader.table import End, Row, only, places, row

#: Name of the set, and of the folder in DATA/labelled with the files that `truthhypo mark export` wrote.
MARKS = "marks"
_SIGNS = {1: "up", -1: "down", 0: "related"}
_SOME = only("up", "down", "related")


def marked_rows(marks: Iterable[Mark], names: Mapping[str, str], reader: Encoder) -> tuple[list[Row], int]:
    """Return the rows of marks, and the number of marks that cannot be turned into a row.

    A mark cannot be turned if its piece is no sentence, if its claim states no relation with a sign or denies it, or if
    the sentence does not name both ends of the claim by the claim's words.

    Args:
        marks: The marks.
        names: Types of concepts by name in lower case; an end with another name has the type Other.
        reader: Reads the claims.
    """
    rows, left = [], 0
    for mark in marks:
        claim = Claim(mark.claim, mark.claim, (0, len(mark.claim)), ())
        stated = statement_of(claim, reader) if mark.text else None
        made = _row(mark, stated, names) if stated else None
        rows += [made] if made else []
        left += made is None
    return rows, left


def _row(mark: Mark, stated: Statement, names: Mapping[str, str]) -> Row | None:
    """Return what a mark leaves open: a sentence without the claim's side does not state the claim's sign as a result.

    A sentence on the other side may state the opposite sign, or deny the relation, so it only has a relation.
    """
    if stated.negated or not stated.sign:
        return None
    own = [End(names.get(end.text.lower(), "Other"), places(mark.text, end.text)) for end in stated.mentions]
    actor, other = own if stated.acts in (None, stated.ends[0]) else reversed(own)
    acts = only("first") if stated.acts else only("first", "second", "neither")
    sign, pmid = _SIGNS[stated.sign], int(mark.piece.removeprefix("pmid:").split("#")[0])
    if mark.stance == "supports":
        return row(MARKS, pmid, mark.text, actor, other, signs=only(sign), manners=only("result", "hedged"), acts=acts)
    forbidden = (sign, "first" if stated.acts else "neither")
    if mark.stance == "contradicts":
        manners = only("result", "hedged", "denied")
        return row(MARKS, pmid, mark.text, actor, other, signs=_SOME, manners=manners, forbidden=forbidden)
    return row(MARKS, pmid, mark.text, actor, other, forbidden=forbidden)
