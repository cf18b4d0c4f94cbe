"""Porter's stemmer, as in Lucene's PorterStemFilter: the algorithm of 1980 with its author's later corrections.

M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980. The corrections are those of the author's own
programs: they add the suffixes `bli` and `logi`, and leave words of one or two letters unchanged. A word may contain
any characters. Every character other than a, e, i, o, u or a vocalic y counts as a consonant.
"""

from collections.abc import Sequence

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
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
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
