"""What a sentence says of one thing and denies of another: "levodopa, not carbidopa", "not aspirin but simvastatin".

A parser hangs the "not" on either thing or on the verb, as it happens. So the two are told apart by the words before
parsing, and each half is parsed by itself.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from groundwork.clauses import clauses, outside
from groundwork.language import parse

_NAME, _NOUN = "\ue000", "\ue001"  # private characters, written over the names and the other nouns of a sentence
#: ", and" joins names only in a list of three or more; between two it more often joins clauses.
_NAMES = rf"{_NAME}+(?:(?:, {_NAME}+)+, (?:and|or) {_NAME}+|(?:(?: and | or | nor |, ){_NAME}+)*)"
_SAID = rf"(?P<said>(?:\b(?:both|either) )?{_NAMES}|(?:\b(?:an?|the) )?{_NOUN}+)"
#: A noun that is no known name must be closed, since the parser may take the verb after it for another noun.
_DENIED = rf"(?P<denied>{_NAMES}|(?:(?:an?|the) )?(?P<noun>(?:{_NOUN}+ )*{_NOUN}+)(?=\s*(?:[,;.]|$)))"
_AFTER = re.compile(rf"{_SAID}(?P<joint>(?:,? (?:(?:but |and )?not|rather than)|, unlike) ){_DENIED}", re.I)
_BEFORE = re.compile(rf"(?P<joint>\bnot ){_DENIED},? but (?:rather )?{_SAID}", re.I)
_CONTRASTING = re.compile(r"\bnot\b|\brather than\b|, unlike\b", re.I)

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Half:
    """One half of a sentence.

    Attributes:
        without: Stretches of the sentence that do not belong to it: offsets of the first character and after the last.
        denied: Whether the sentence denies what is left.
        noun: Where the thing stands of which it is denied, if it is no name.
    """

    without: tuple[Stretch, ...] = ()
    denied: bool = False
    noun: Stretch | None = None

    def of(self, text: str) -> str:
        """What is left of the sentence, its first letter capital where the sentence's is."""
        for start, end in sorted(self.without, reverse=True):
            text = text[:start] + text[end:]
        left = " ".join(text.split())
        left = re.sub(r"[\s,]+([.!]?)$", r"\1", left)
        return left[:1].upper() + left[1:] if self.without else text


def halves(text: str, names: Iterable[Stretch]) -> tuple[Half, ...]:
    """What a sentence says, clause by clause, and for each thing that a clause sets another against, what it denies.

    Args:
        text: One sentence.
        names: Where names of concepts stand in it.

    Returns:
        What each clause says, followed by a half for each of its denials; the whole sentence alone where it is one
        clause and contrasts nothing.
    """
    places = list(names)
    contrasts = _contrasts(_shown(text, places)) if _CONTRASTING.search(text) else []
    found: list[Half] = []
    for clause in clauses(text, places, [stretch for contrast in contrasts for stretch in contrast.if_said]):
        inside = [contrast for contrast in contrasts if contrast.inside(clause)]
        around = outside(text, clause)
        found.append(Half((*around, *(stretch for contrast in inside for stretch in contrast.if_said))))
        for one in inside:
            others = [stretch for other in inside if other != one for stretch in other.if_said]
            found.append(Half((*around, *others, *one.if_denied), denied=True, noun=one.noun))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Contrast:
    """What to leave out of a sentence to say what it says of one thing, and to say what it denies of another."""

    if_said: tuple[Stretch, ...]
    if_denied: tuple[Stretch, ...]
    noun: Stretch | None

    def inside(self, clause: Stretch) -> bool:
        """Whether it stands in a clause."""
        return all(clause[0] <= start and end <= clause[1] for start, end in (*self.if_said, *self.if_denied))


def _contrasts(shown: str) -> list[_Contrast]:
    """Each place where a sentence sets one thing against another, in order."""
    found: list[_Contrast] = []
    taken: list[Stretch] = []
    for match in _BEFORE.finditer(shown):
        said, denied, joint = match.span("said"), match.span("denied"), match.span("joint")
        found.append(_Contrast(((joint[0], said[0]),), (joint, (denied[1], said[1])), _noun(match)))
        taken.append(match.span())
    for match in _AFTER.finditer(shown):
        if any(match.start() < end and start < match.end() for start, end in taken):
            continue
        said, denied = match.span("said"), match.span("denied")
        opened = match["joint"].startswith(",")
        closed = denied[1] + (opened and shown[denied[1] : denied[1] + 1] == ",")
        found.append(_Contrast(((said[1], closed),), ((said[0], denied[0]), (denied[1], closed)), _noun(match)))
    return sorted(found, key=lambda contrast: contrast.if_said)


def _noun(match: re.Match[str]) -> Stretch | None:
    return match.span("noun") if match["noun"] else None


def _shown(text: str, names: list[Stretch]) -> str:
    """The sentence with its names and its other nouns written over, each character by one."""
    nouns = [
        (token.idx, token.idx + len(token))
        for token in parse(text)
        # After "but not" the parser takes a bare noun for a verb.
        if token.pos_ in {"NOUN", "PROPN"} or (token.tag_ in {"VB", "VBP"} and token.i and token.nbor(-1).text == "not")
    ]
    letters = list(text)
    for stretches, letter in ((nouns, _NOUN), (names, _NAME)):
        for start, end in stretches:
            letters[start:end] = letter * (end - start)
    return "".join(letters)
