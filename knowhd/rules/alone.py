"""What is said of one thing alone: "only A lowers B" is refuted by C that does, and "of A and C, only A did" denies C.

Who else does it is any of the kind of the one: another drug for a drug. Others that are only present say nothing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from groundwork.linking import Mention
from groundwork.records import split_key
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import Stance
from knowhd.rules.absent import Present
from knowhd.rules.assertion import Assertion, meanings, read_ends
from knowhd.rules.reading import Reading
from knowhd.rules.stances import stance_of

#: Right before a thing, or behind it: it alone is spoken of.
_BEFORE = re.compile(
    r"(?<!not )\b(?:only|solely|exclusively|nothing but|none but|no (?:drug|gene|other \w+) but)\s+$", re.I
)
_BEHIND = re.compile(r"\s+(?:alone\b(?!\s+or\b)|is\s+the\s+(?:only|sole)\s+[\w-]+\s+(?:that|which|to)\b)", re.I)
#: Those among whom it is the one: "of A and C, only A", "A and C were tested, but only A".
_AMONG = re.compile(r"^\W*(?:of|among|amongst|out\s+of)\b", re.I)
_TRIED = re.compile(
    r"\b(?:test|compar|stud(?:y|i)|examin|giv|evaluat|screen|assess|tri|measur|investigat)\w*\b[^;]*$", re.I
)


@dataclass(frozen=True, slots=True)
class Sole:
    """A claim of one thing alone.

    Attributes:
        assertion: What it asserts.
        end: Which of its two ends is the one, 0 or 1.
        meant: The concepts that this end may be.
    """

    assertion: Assertion
    end: int
    meant: frozenset[str]

    def refuted(self, pieces: Iterable[Piece]) -> dict[str, Stance]:
        """By id, the sentences in which another does the same."""
        return {p.id: "contradicts" for p in pieces if isinstance(p, Passage) and any(self._done_by_others(p))}

    def _done_by_others(self, passage: Passage) -> Iterator[bool]:
        parsed = Present(passage.sentence, passage.mentions)
        for key in dict.fromkeys(key for mention in passage.mentions for key in meanings(mention)):
            if key not in {*self.meant, *self.assertion.ends} and split_key(key)[0] == self._kind:
                reading = read_ends(parsed, _put(self.assertion.ends, self.end, key), self.assertion.reading)
                yield reading is not None and self._is_so(reading)

    @property
    def _kind(self) -> str:
        return split_key(self.assertion.ends[self.end])[0]

    def _is_so(self, reading: Reading) -> bool:
        own = self.assertion.reading
        return reading.related and reading.asserted and (reading.sign, reading.negated) == (own.sign, own.negated)


def sole_of(claim: Claim, assertion: Assertion) -> Sole | None:
    """What a claim says of one thing alone, where that is an end of what it asserts."""
    for mention in _alone(claim.text, claim.mentions):
        meant = frozenset(meanings(mention))
        for number, end in enumerate(assertion.ends):
            if end in meant:
                return Sole(assertion, number, meant)
    return None


def said_of_one(pieces: Iterable[Piece], assertion: Assertion) -> dict[str, Stance | None]:
    """The stances of the sentences that say of one thing alone what a claim says of another, by id.

    "Of A and C, only A lowered B" denies of C what it says of A.
    """
    found: dict[str, Stance | None] = {}
    for piece in pieces:
        one = _the_one(piece, assertion) if isinstance(piece, Passage) else None
        if one is not None:
            said = stance_of(piece, (one,))
            turned: Stance | None = "supports" if said and assertion.reading.negated else None
            found[piece.id] = "contradicts" if said == "supports" else turned
    return found


def _the_one(passage: Passage, assertion: Assertion) -> Assertion | None:
    """An assertion of the one thing of which a sentence speaks alone, in the place of another that it names before."""
    for one in _alone(passage.sentence, passage.mentions):
        before = passage.sentence[: one.start]
        if one.key is None or not (_AMONG.match(before) or _TRIED.search(before)):
            continue
        others = {key for mention in passage.mentions if mention.end <= one.start for key in meanings(mention)}
        for number, end in enumerate(assertion.ends):
            alike = split_key(one.key)[0] == split_key(end)[0]
            if alike and end in others - meanings(one) and one.key not in assertion.ends:
                return replace(assertion, ends=_put(assertion.ends, number, one.key))
    return None


def _alone(text: str, mentions: Iterable[Mention]) -> Iterator[Mention]:
    """The things of which a text speaks alone."""
    for mention in mentions:
        if _BEFORE.search(text[: mention.start]) or _BEHIND.match(text, mention.end):
            yield mention


def _put(ends: tuple[str, str], number: int, key: str) -> tuple[str, str]:
    """Two ends with another in the place of one."""
    return (key, ends[1]) if number == 0 else (ends[0], key)
