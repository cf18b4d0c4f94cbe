"""A person's word on a piece of evidence: the judge's stance is right, wrong (no side), or the other side is right.

A mark names a claim by its text and a piece of evidence by its id. It keeps the side that the person chose, not the
person's word alone, because another judge may give the piece another stance. A mark of a sentence holds only while the
article has the same sentence at this place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from groundwork.records import Record
from groundwork.records.base import counted
from knowhd.judge import Case, Judgement, Source, Stance, pieces_of, weigh
from knowhd.pieces import Marked, Passage, Piece, Said, say

#: Path of the file of marks under HOME. It has a folder of its own, whose presence tells that the file was not lost.
FILE = "marks/marks.json"


@dataclass(frozen=True, slots=True)
class Mark(Record):
    """A person's word on a piece of evidence.

    Attributes:
        claim: Text of the claim, as reports show it.
        piece: Id of the piece: `pmid:PMID#sN`, `edge:...` or `chain:...`.
        said: The person's word on the stance that the judge gave.
        stance: The side of the piece according to the person; None if it takes no side.
        by: Name of the person; may be empty.
        note: Why; may be empty.
        text: The sentence, if the piece is one; otherwise empty.
        time: When the person said it, in UTC, such as `2026-11-29T12:00:00Z`.
    """

    claim: str
    piece: str
    said: Said
    stance: Stance | None
    by: str
    note: str
    text: str
    time: str

    @property
    def key(self) -> tuple[str, str]:
        """The claim and the piece. A person has one word on them: a later mark replaces an earlier one."""
        return key_of(self.claim, self.piece)

    @property
    def id(self) -> str:
        """A short id (12 hex digits) of the key."""
        return sha256("\n".join(self.key).encode("utf-8", "surrogatepass")).hexdigest()[:12]


Marks = Mapping[tuple[str, str], Mark]


def key_of(claim: str, piece: str) -> tuple[str, str]:
    """Return the key of a mark. Case, spaces and the full stop of a claim make no difference."""
    return " ".join(claim.split()).rstrip(" .").casefold(), piece


def text_of(piece: Piece) -> str:
    """Return the sentence of a piece; empty for edges and chains, whose ids say all."""
    return piece.sentence if isinstance(piece, Passage) else ""


def with_marks(
    case: Case, judged: Mapping[Source, Judgement], marks: Marks, *, obeyed: bool
) -> dict[Source, Judgement]:
    """Return the judgements on a claim with the marks of its pieces.

    Args:
        case: The claim and its evidence.
        judged: The judge's judgements.
        marks: All marks by key.
        obeyed: Whether verdicts follow the marks. A claim that could not be judged stays `failed`.
    """
    claim, evidence = case
    if not marks:
        return dict(judged)
    told: dict[Source, Judgement] = {}
    for source, judgement in judged.items():
        pieces = pieces_of(evidence, source)
        said = {piece.id: marks.get(key_of(claim.text, piece.id)) for piece in pieces}
        own = {piece.id: mark for piece in pieces if (mark := said[piece.id]) and mark.text == text_of(piece)}
        told[source] = _marked(pieces, judgement, own, source, obeyed=obeyed)
    return told


def _marked(
    pieces: Sequence[Piece], judged: Judgement, own: Mapping[str, Mark], source: Source, *, obeyed: bool
) -> Judgement:
    if not own:
        return judged
    shown = {key: Marked(mark.by, mark.said, mark.note, judged.stances.get(key)) for key, mark in own.items()}
    told = replace(judged, marked=shown)
    if not obeyed or judged.verdict == "failed":
        return told
    changed = {key for key, mark in own.items() if mark.stance != judged.stances.get(key)}
    if not changed:
        confirmed = say("marks", "confirms", stances=counted(len(own), "stance"))
        return replace(told, reason=f"{judged.reason} {confirmed}")
    sided: dict[str, Stance] = {key: mark.stance for key, mark in own.items() if mark.stance}
    stances = {key: side for key, side in judged.stances.items() if key not in own} | sided
    said = "; ".join(say("marks", own[key].stance or "no_side", piece=key) for key in own if key in changed)
    found = weigh(pieces, stances, "")
    decides = "decides" if found.verdict != judged.verdict else "obeyed"
    why = say("marks", decides, said=said, verdict=judged.verdict)
    # The reason for both sources is shown with those of each source, which repeat what the judge said.
    before = "" if source == "both" else say("marks", "before", reason=judged.reason)
    return replace(
        told,
        verdict=found.verdict,
        reason=f"{why} {before}".strip(),
        stances=found.stances,
        mixed=found.mixed,
        probabilities={key: bearing for key, bearing in judged.probabilities.items() if key not in changed},
        unrelated=tuple(key for key in judged.unrelated if key not in own),
        denied=judged.denied - changed,
    )
