"""What a sentence says of one thing and denies of another: "levodopa, not carbidopa", "not aspirin but simvastatin".

A parser hangs the "not" on either thing or on the verb, as it happens. So the two are told apart by the words before
parsing, and each half is parsed by itself.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from groundwork.language import parse

_NAME, _NOUN = "\ue000", "\ue001"  # private characters, written over the names and the other nouns of a sentence
_NAMES = rf"{_NAME}+(?:(?:,? and |,? or |, | nor ){_NAME}+)*"
_SAID = rf"(?P<said>(?:\b(?:both|either) )?{_NAMES}|{_NOUN}+)"
#: A noun that is no known name must be closed, since the parser may take the verb after it for another noun.
_DENIED = rf"(?P<denied>{_NAMES}|(?:(?:an?|the) )?(?:{_NOUN}+ )*{_NOUN}+(?=\s*(?:[,;.]|$)))"
_AFTER = re.compile(rf"{_SAID}(?P<joint>,? (?:but |and )?not ){_DENIED}", re.I)
_BEFORE = re.compile(rf"(?P<joint>\bnot ){_DENIED},? but (?:rather )?{_SAID}", re.I)

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Half:
    """One half of a sentence.

    Attributes:
        without: Stretches of the sentence that do not belong to it: offsets of the first character and after the last.
        denied: Whether the sentence denies what is left.
    """

    without: tuple[Stretch, ...] = ()
    denied: bool = False

    def of(self, text: str) -> str:
        """What is left of the sentence, its first letter capital where the sentence's is."""
        for start, end in sorted(self.without, reverse=True):
            text = text[:start] + text[end:]
        left = " ".join(text.split())
        return left[:1].upper() + left[1:] if self.without else text


def halves(text: str, names: Iterable[Stretch]) -> tuple[Half, ...]:
    """What a sentence says and, where it sets one thing against another, what it denies.

    Args:
        text: One sentence.
        names: Where names of concepts stand in it.

    Returns:
        The whole sentence alone where it contrasts nothing.
    """
    if not re.search(r"\bnot\b", text, re.I):
        return (Half(),)
    shown = _shown(text, list(names))
    found = _BEFORE.search(shown)
    if found is not None:
        said, denied, joint = found.span("said"), found.span("denied"), found.span("joint")
        return Half(((joint[0], said[0]),)), Half((joint, (denied[1], said[1])), denied=True)
    found = _AFTER.search(shown)
    if found is None:
        return (Half(),)
    said, denied = found.span("said"), found.span("denied")
    opened = found["joint"].startswith(",")
    closed = denied[1] + (opened and shown[denied[1] : denied[1] + 1] == ",")
    return Half(((said[1], closed),)), Half(((said[0], denied[0]), (denied[1], closed)), denied=True)


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
