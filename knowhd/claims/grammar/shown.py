"""A sentence with its names, its other nouns and its adjectives written over, so that words can be matched by part.

Every character stands for one of the sentence, so a place in what is seen is a place in the sentence.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.verbs import acts_alone

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Private characters: of a concept's name, of another noun or number, of an adjective.
NAME, NOUN, QUALITY = "\ue000", "\ue001", "\ue002"

_WORD = f"(?:{NAME}+|{NOUN}+)"
#: A thing: a name or nouns, with what qualifies them.
THING = rf"(?:\b(?:an?|the) )?(?:{QUALITY}+[ -])*{_WORD}(?:[ -]{_WORD})*"
#: Where all of a thing may begin: not within a word, nor behind a word that belongs to it.
BEGIN = rf"(?<![\w{NAME}{NOUN}{QUALITY}/-])(?<![{NAME}{NOUN}{QUALITY})] )(?<!\ba )(?<!\ban )(?<!\bthe )"
#: A circumstance in front of a sentence.
LEAD = re.compile(r"(?:In|Among|During|At|For|On|After|By|With|Under) [^,]+, ")
#: Two things or more, joined by "and".
LIST = rf"{THING}(?:, {THING})*,? and {THING}"
#: A sentence, and whether it is denied what it says.
Part = tuple[str, bool]

_LETTERS = {"NOUN": NOUN, "PROPN": NOUN, "NUM": NOUN, "ADJ": QUALITY}
#: Nouns and adjectives that only join things.
_JOINING = lexicon.words("contrast contrary opposed addition which who whom that both neither well such")


@dataclass(frozen=True, slots=True)
class Shown:
    """A sentence and what is seen of it.

    Attributes:
        parsed: The sentence.
        seen: What is matched, as long as the sentence.
    """

    parsed: Masked
    seen: str

    @property
    def text(self) -> str:
        """The sentence's own words."""
        return self.parsed.text

    def words(self, found: re.Match[str], group: str) -> str:
        """The sentence's own words where a group of a match stands."""
        return self.text[slice(*found.span(group))]

    def kind(self, place: int) -> str:
        """The type of the concept that is named at a place; empty where none is."""
        named = (m.key.split("|")[0] for m in self.parsed.mentions if m.key and m.start <= place < m.end)
        return next(named, "")

    def subject(self, start: int = 0) -> tuple[int, int] | None:
        """Where the sentence's subject stands; None if it begins before `start`."""
        root = next(self.parsed.doc.sents).root
        token = next((t for t in root.children if t.dep_ in SUBJECTS), None)
        if token is None:
            return None
        places = [self.parsed.offsets(t) for t in token.subtree]
        first, last = min(at for at, _ in places), max(to for _, to in places)
        return (first, last) if first >= start else None


def shown(parsed: Masked) -> Shown:
    """What is seen of a parsed sentence."""
    letters = list(parsed.text)
    for token in parsed.doc:
        letter = NAME if parsed.hides(token) else _LETTERS.get(token.pos_)
        if token.pos_ == "NUM" and token.i + 1 < len(parsed.doc) and token.nbor().pos_ in {"ADJ", "NOUN", "PROPN"}:
            letter = QUALITY if token.whitespace_ else NOUN
        if letter and token.lower_ not in _JOINING and not _acts(parsed, token):
            start, end = parsed.offsets(token)
            letters[start:end] = letter * (end - start)
    return Shown(parsed, "".join(letters))


def _acts(parsed: Masked, token: "Token") -> bool:
    """Whether a noun of the parse is a verb: one in -s, between a name and another noun that it would qualify."""
    if not 0 < token.i < len(parsed.doc) - 1 or parsed.hides(token) or not acts_alone(token.text):
        return False
    before, behind = token.nbor(-1), token.nbor()
    return (parsed.hides(before) or before.tag_ == "NNP") and (parsed.hides(behind) or behind.pos_ in {"NOUN", "PROPN"})


def capital(words: str) -> str:
    """Words with a capital letter where they begin with a plain word; a name such as mTOR or p53 stays as it is."""
    return words[:1].upper() + words[1:] if re.match(r"[a-z]+(?:[\s,-]|$)", words) else words
