"""English analysis: the tokens that Lucene's EnglishAnalyzer gives (Elasticsearch's `english`).

Unicode word breaks (UAX #29), possessive endings removed, lower case, Lucene's 33 English stop words removed, Porter's
stemmer. The memory and embedded stores index these tokens; Elasticsearch computes its own, which are the same but for
scripts and symbols that English abstracts do not hold.
"""

import re
from functools import lru_cache
from itertools import chain

import regex  # type: ignore[import-untyped]  # it ships no types

from literature.porter import stem

#: The name under which the indexes report this analysis.
NAME = "english"

#: Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET.
_STOPPED = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
STOP_WORDS = frozenset(_STOPPED.split())

#: Lucene splits a longer run of letters and digits into pieces of this length.
LONGEST_TOKEN = 255

_MARK = r"\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}"
_LETTER = r"\p{WB=ALetter}\p{WB=Hebrew_Letter}"
_DIGIT = r"\p{WB=Numeric}"
_JOINER = r"\p{WB=ExtendNumLet}"
_WORD = rf"{_JOINER}*[{_LETTER}{_DIGIT}][{_LETTER}{_DIGIT}{_JOINER}{_MARK}]*+"
_TOKEN = regex.compile(
    rf"""
      {_WORD}
      (?:
        (?: (?<=[{_LETTER}][{_MARK}]*) [\p{{WB=MidLetter}}\p{{WB=MidNumLet}}'] (?=[{_LETTER}])
          | (?<={_DIGIT}[{_MARK}]*) [\p{{WB=MidNum}}\p{{WB=MidNumLet}}'] (?={_DIGIT})
        ) {_WORD}
      )*+
    | \p{{WB=Katakana}}[\p{{WB=Katakana}}{_MARK}]*+
    | \p{{Han}} | \p{{Hiragana}} | \p{{LB=SA}}++
    | (?![0-9#*])\p{{Extended_Pictographic}}
    """,
    regex.VERBOSE,
)
#: The same for plain ASCII, where most abstracts stay, in a quarter of the time.
_ASCII_TOKEN = re.compile(
    r"_*[A-Za-z0-9]\w*(?:(?:(?<=[A-Za-z])[.:'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))\w+)*", re.ASCII
)


def tokens(text: str) -> list[str]:
    """The index tokens of a text, in order, with repetitions.

    Args:
        text: Anything; no query syntax is read in it.

    Returns:
        Stems; empty for a text of stop words, punctuation or nothing.
    """
    words = _ASCII_TOKEN.findall(text) if text.isascii() else _TOKEN.findall(text)
    return list(chain.from_iterable(map(_terms, words)))


@lru_cache(maxsize=1 << 17)
def _terms(word: str) -> tuple[str, ...]:
    """The terms of one word: none for a stop word, several where it is longer than Lucene takes in one piece."""
    pieces = (word[start : start + LONGEST_TOKEN] for start in range(0, len(word), LONGEST_TOKEN))
    lowered = (_lower(piece) for piece in pieces)
    return tuple(stem(piece) for piece in lowered if piece not in STOP_WORDS)


def _lower(word: str) -> str:
    """Without a possessive ending, in lower case letter by letter (no final sigma, no added dots), as Java does it."""
    if len(word) > 1 and word[-1] in "sS" and word[-2] in "'’＇":
        word = word[:-2]
    return word.lower() if word.isascii() else "".join(letter.lower()[0] for letter in word)
