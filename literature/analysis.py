"""English analysis: the tokens of Lucene's EnglishAnalyzer (Elasticsearch's `english`), and search queries as tokens.

The steps are: split at Unicode word boundaries (UAX #29), remove possessive endings, convert to lower case, remove
Lucene's 33 English stop words, and apply Porter's stemmer. The memory and the embedded store index these tokens.
Elasticsearch computes its own tokens, which differ only for scripts and symbols that do not occur in English abstracts.

The stemmer is that of Lucene's PorterStemFilter: M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980,
with the corrections of the author's own programs. They add the suffixes `bli` and `logi`, and leave words of one or two
letters unchanged. A word may contain any characters. Every character other than a, e, i, o, u or a vocalic y counts as
a consonant.

A query has the tokens of a text, and the tokens of the names of things (usually concepts). Each thing may have several
names. It counts once, by the name that matches a document best. A full match of any name of a thing counts as much as a
full match of its first name, so that long or rare names have no advantage.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import regex  # type: ignore[import-untyped]  # the package ships no types

_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
)
_STEP_3 = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


def stem(word: str) -> str:
    """Return the stem of a lower-case word. A word of one or two characters is its own stem."""
    if len(word) < 3:
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
    word = _removed(word)
    return _tidied(word)


def _shape(word: str) -> str:
    """Return the word with each vowel as `v` and each consonant as `c`. A y after a consonant is a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """Return Porter's m: the number of times that a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _short(word: str) -> bool:
    """Return whether the word ends in consonant, vowel, consonant, where the last is not w, x or y (Porter's *o)."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _doubled(word: str) -> bool:
    """Return whether the word ends in two equal consonants."""
    return word[-2:-1] == word[-1] and _shape(word).endswith("c")


def _plural(word: str) -> str:
    """Apply step 1a of the algorithm."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Apply step 1b of the algorithm."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        base = word.removesuffix(suffix)
        if base != word and "v" in _shape(base):
            if base.endswith(("at", "bl", "iz")):
                return base + "e"
            if _doubled(base):
                return base if base[-1] in "lsz" else base[:-1]
            return base + "e" if _measure(base) == 1 and _short(base) else base
    return word


def _replaced(word: str, rules: Sequence[tuple[str, str]]) -> str:
    """Apply step 2 or 3: replace the first suffix that matches, if the rest of the word has m > 0 (see `_measure`)."""
    for suffix, ending in rules:
        if word.endswith(suffix):
            base = word.removesuffix(suffix)
            return base + ending if _measure(base) > 0 else word
    return word


def _removed(word: str) -> str:
    """Apply step 4: remove the first suffix that matches, if the rest of the word has m > 1 (see `_measure`).

    Of the suffixes `sion` and `tion`, only `ion` is removed.
    """
    for suffix in _STEP_4:
        if word.endswith(suffix):
            base = word[:-3] if suffix in ("sion", "tion") else word.removesuffix(suffix)
            return base if _measure(base) > 1 else word
    return word


def _tidied(word: str) -> str:
    """Apply step 5: remove a final e, then one of two final l's, if m is large enough (see `_measure`)."""
    base = word.removesuffix("e")
    if base != word:
        measure = _measure(base)
        if measure > 1 or (measure == 1 and not _short(base)):
            word = base
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


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


Terms = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Wording:
    """A query in index tokens.

    Attributes:
        text: The original text.
        terms: The tokens of the text, each with its number of occurrences.
        things: For each thing (usually a concept), the tokens of its names. Each thing has at least one name, each name
            has a token, and no two names of a thing have the same tokens.
    """

    text: str
    terms: Terms
    things: tuple[tuple[Terms, ...], ...] = ()

    @classmethod
    def of(cls, text: str, names: Sequence[Sequence[str]] = ()) -> "Wording":
        """Return the query for a text and for things (usually concepts), each of which is given by its names.

        Names without any token are left out, and so are things without such names.
        """
        things = (tuple(_distinct(alternatives)) for alternatives in names)
        return cls(text, Counter(tokens(text)), tuple(thing for thing in things if thing))

    def __bool__(self) -> bool:
        return bool(self.terms or self.things)

    def rare(self) -> set[str]:
        """Return the tokens of all things (usually concepts) that have several names.

        A search needs the idf of these tokens before it scores documents (see `factors`).
        """
        return {token for thing in self.things if len(thing) > 1 for name in thing for token in name}


def factors(thing: Sequence[Terms], weight: Callable[[str], float]) -> list[float]:
    """Return a factor for the BM25 score of each name of a thing (usually a concept).

    The factor is the weight of the first name divided by the weight of the name itself.

    The weight of a name is the sum of the idf of its tokens, which is the upper limit of its BM25 score. Tokens that no
    document holds have no weight. A name without weight gets the factor 0, and does not count as the first name. A
    single name gets the factor 1.

    Args:
        thing: The tokens of each name.
        weight: Returns the idf of a token; 0 if no document holds the token.
    """
    if len(thing) == 1:
        return [1.0]
    weights = [sum(times * weight(token) for token, times in name.items()) for name in thing]
    first = next((own for own in weights if own > 0.0), 0.0)
    return [first / own if own > 0.0 else 0.0 for own in weights]


def _distinct(names: Sequence[str]) -> Iterator[Terms]:
    """Yield the tokens of each name, in the order of the names. Leave out names without tokens, and repetitions."""
    seen: set[tuple[str, ...]] = set()
    for name in names:
        said = tokens(name)
        same = tuple(sorted(said))
        if said and same not in seen:
            seen.add(same)
            yield Counter(said)
