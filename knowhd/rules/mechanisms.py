"""By what means a claim says that something is done: "A lowers B by blocking its transcription", "through C".

Who says only that A lowers B, or that it does so by other means, has not said that. The means need not stand in the
same sentence: "A lowers B. It blocks the transcription of B." A sentence that sets another means against it, "without
affecting its transcription", refutes it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwork.polarity import Sign
from groundwork.quoted import quoted
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import CONTRARY, Stance
from knowhd.rules.absent import Present
from knowhd.rules.alignment import likeness
from knowhd.rules.assertion import meanings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacy.tokens import Token

#: "By" before a doing, or before a noun for one; "B is lowered by A" names who does it.
_MEANS = re.compile(
    r"\b(?:by (?=\w+ing\b|(?:\w+ )?\w+(?:tion|ade|ing) of\b)|(?:via|through|by means of) (?!\d))(?P<what>[^,;.]+)", re.I
)
_NOT_SO = re.compile(
    r"\b(?:without (?:\w+ing|an? (?:effect|change)|effects?|changes?)|independent(?:ly)? of|not (?:by|via|through)|"
    r"rather than(?: by| via| through)?)\b(?P<what>[^,;.]+)",
    re.I,
)
#: They say no more than that there is a means.
_EMPTY = lexicon.words("act action activity effect mechanism pathway process use way")


@dataclass(frozen=True, slots=True)
class Mechanism:
    """The means of a claim.

    Attributes:
        text: Its words.
        things: The concepts that it names.
        words: Its other content, as words meet in `alignment`.
        sign: Whether it makes more or less of them; 0 for neither.
        owed: The stance of evidence that must tell it.
    """

    text: str
    things: frozenset[str]
    words: frozenset[str]
    sign: Sign
    owed: Stance

    def weighed(self, pieces: Sequence[Piece], stances: Mapping[str, Stance]) -> dict[str, Stance]:
        """The stances of the pieces whose article tells the means, or denies it, or need not tell it."""
        found: dict[str, Stance] = {}
        for piece in pieces:
            stance = stances.get(piece.id)
            if stance is None:
                continue
            told = {True} if stance != self.owed else self._told(piece, pieces)
            if told != {None} and (False in told or True in told):
                found[piece.id] = CONTRARY[stance] if False in told else stance
        return found

    def missing(self, pieces: Sequence[Piece], read: Mapping[str, Stance], told: Mapping[str, Stance]) -> str:
        """What the reason says of pieces that agree with the rest of a claim and do not tell its means.

        Args:
            pieces: The evidence.
            read: Their stances on the rest of the claim, by id.
            told: Those on the whole.
        """
        silent = sum(read.get(piece.id) == self.owed and piece.id not in told for piece in pieces)
        counted = f"{silent} of the pieces of evidence that bear on the rest do not tell that"
        return f" It says by what means ({quoted(self.text)}): {counted}." if silent else ""

    def _told(self, piece: Piece, pieces: Sequence[Piece]) -> set[bool | None]:
        """Whether the sentences of a piece's article say that it is by this means, or not by it; None where neither."""
        if not isinstance(piece, Passage):
            return {None}
        return {self._said_in(other) for other in pieces if isinstance(other, Passage) and other.pmid == piece.pmid}

    def _said_in(self, passage: Passage) -> bool | None:
        parsed = Present(passage.sentence, passage.mentions)
        tokens = list(self._tokens(parsed))
        met = {likeness(token) for token in tokens}
        named = {key for mention in passage.mentions for key in meanings(mention)}
        if not tokens or not self.words <= met or not self.things <= named:
            return None
        if any(self._lies_in(found, passage) for found in _NOT_SO.finditer(passage.sentence)):
            return False
        acts = [act for token in tokens if (act := _acting(token)) is not None]
        if not self.sign:
            return True
        if not any(lexicon.sign_of(act.lemma_) == self.sign for act in acts):
            return None
        return not any(child.dep_ == "neg" for act in acts for child in act.children)

    def _tokens(self, parsed: Present) -> "Iterator[Token]":
        """The tokens of a sentence that the means speaks of."""
        for key in self.things:
            yield from (place.root for place in parsed.places(key))
        yield from (token for token in parsed.doc if likeness(token) in self.words and not parsed.hides(token))

    def _lies_in(self, stretch: re.Match[str], passage: Passage) -> bool:
        inside = [m for m in passage.mentions if stretch.start() <= m.start and m.end <= stretch.end()]
        held = {key for mention in inside for key in meanings(mention)}
        words = {word[:5] for word in re.findall(r"\w+", stretch["what"].lower())}
        return bool(held & self.things) or any(word[:5] in words for word in self.words)


def mechanism_of(claim: Claim, *, negated: bool) -> Mechanism | None:
    """The means that a claim names; None where it names none.

    Args:
        claim: The claim.
        negated: It denies what it says, so only what it denies owes the means.
    """
    found = _MEANS.search(claim.text)
    if found is None:
        return None
    parsed = Present(claim.text, claim.mentions)
    inside = [t for t in parsed.doc if found.start() <= parsed.offsets(t)[0] < found.end()]
    signs = [lexicon.sign_of(t.lemma_) for t in inside if not parsed.hides(t)]
    things = {m.key for m in claim.mentions if m.key and found.start() <= m.start < found.end()}
    words = {
        likeness(t)
        for t in inside
        if t.is_alpha and not t.is_stop and not parsed.hides(t) and not lexicon.sign_of(t.lemma_)
        if lexicon.base(t.lemma_, _EMPTY) is None
    }
    if not things and not words:
        return None
    sign: Sign = next((each for each in signs if each), 0)
    owed: Stance = "contradicts" if negated else "supports"
    return Mechanism(found[0].strip(), frozenset(things), frozenset(words), sign, owed)


def means_in(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text names the means of what it says; empty where it names none."""
    found = _MEANS.search(text)
    return (found.span(),) if found else ()


def _acting(token: "Token") -> "Token | None":
    """The nearest word over a token that makes more or less of it."""
    return next((each for each in (*token.children, *token.ancestors) if lexicon.sign_of(each.lemma_)), None)
