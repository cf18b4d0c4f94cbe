"""English analysis: the tokens of Lucene's EnglishAnalyzer (Elasticsearch's `english`).

The steps are: split at Unicode word boundaries (UAX #29), remove possessive endings, convert to lower case, remove
Lucene's 33 English stop words, and apply Porter's stemmer. The memory and the embedded store index these tokens.
Elasticsearch computes its own tokens, which differ only for scripts and symbols that do not occur in English abstracts.
"""

import re
from functools import lru_cache
from itertools import chain

import regex  # type: ignore[import-untyped]  # the package ships no types

from literature.porter import stem

#: The name of this analysis in the information about an index.
NAME = "english"

#: The stop words of Lucene's EnglishAnalyzer (ENGLISH_STOP_WORDS_SET).
_STOPPED = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
)
STOP_WORDS = frozenset(_STOPPED.split())

#: Lucene splits longer runs of letters and digits into pieces of this length.
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
#: The same pattern for plain ASCII, which most abstracts are; it takes a quarter of the time.
_ASCII_TOKEN = re.compile(
    r"_*[A-Za-z0-9]\w*(?:(?:(?<=[A-Za-z])[.:'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))\w+)*", re.ASCII
)


def tokens(text: str) -> list[str]:
    """Return the index tokens of a text, in order, with repetitions.

    Args:
        text: Any text. Query syntax has no meaning in it.

    Returns:
        The stems of the words; empty if the text is empty or has only stop words and punctuation.
    """
    words = _ASCII_TOKEN.findall(text) if text.isascii() else _TOKEN.findall(text)
    return list(chain.from_iterable(map(_terms, words)))


@lru_cache(maxsize=1 << 17)
def _terms(word: str) -> tuple[str, ...]:
    """Return the terms of one word: none for a stop word, several if the word exceeds the length of a token."""
    pieces = (word[start : start + LONGEST_TOKEN] for start in range(0, len(word), LONGEST_TOKEN))
    lowered = (_lower(piece) for piece in pieces)
    return tuple(stem(piece) for piece in lowered if piece not in STOP_WORDS)


def _lower(word: str) -> str:
    """Return the word without a possessive ending, lower-cased letter by letter as Java does.

    Unlike `str.lower`, this function writes no final sigma and adds no combining dot.
    """
    if len(word) > 1 and word[-1] in "sS" and word[-2] in "'’＇":
        word = word[:-2]
    return word.lower() if word.isascii() else "".join(letter.lower()[0] for letter in word)
