"""Opposites: words and affixes that reverse a statement. The lists are small and need no dictionary.

Spelling and vectors both treat opposites as similar (hypo-/hyperglycemia differ in two letters and have a cosine of
0.65), so opposites must be found in another way. WordNet (fuzzygraph.words) adds to these lists but cannot replace
them, because it has no antonym of "inhibit" or "upregulate".
"""

import re

from groundwork.language import rows

_ROWS = rows("groundwork", "opposites.tsv")
#: Prefixes of two opposite words, and the minimum length of the rest of the word.
PREFIXES = tuple((one, other, int(least)) for kind, one, other, least in _ROWS if kind == "prefix")
#: Endings of two opposite words, after at least four letters.
SUFFIXES = tuple((one, other) for kind, one, other, _ in _ROWS if kind == "suffix")
#: Opposite words (lemmas): each word of the first group is opposite to each word of the second.
SCALES = tuple((one, other) for kind, one, other, _ in _ROWS if kind == "scale")

_PAIRS = frozenset(frozenset((a, b)) for one, other in SCALES for a in one.split() for b in other.split())
_WORDS = frozenset(word for pair in _PAIRS for word in pair)
#: The opposite of each word, from the first row that lists it.
_OPPOSITE = {
    word: others.split()[0] for row in reversed(SCALES) for own, others in (row, row[::-1]) for word in own.split()
}
#: Endings of inflected words, and the ending that replaces each of them in the lemma.
_ENDINGS = (("s", ""), ("es", ""), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"), ("ied", "y"), ("ies", "y"))
_STEM = 4
#: Prefixes that may be written with a hyphen: pro-apoptotic.
_APART = re.compile(r"\b(hyper|hypo|pro|anti|up|down|over|under|pre|post|non|un|de)-(?=[^\W\d_]{3})")


def opposed(a: str, b: str) -> bool:
    """Return whether two words are opposites by the lists or by their affixes, ignoring case."""
    a, b = a.lower(), b.lower()
    if a == b:
        return False
    if frozenset((_lemma(a), _lemma(b))) in _PAIRS:
        return True
    # Opposites share the rest of the word. The comparison of four letters is cheap, and nearly all pairs fail it.
    if a[-_STEM:] == b[-_STEM:] and any(_begin(a, b, *pair) or _begin(b, a, *pair) for pair in PREFIXES):
        return True
    return a[:_STEM] == b[:_STEM] and any(_end(a, b, *pair) or _end(b, a, *pair) for pair in SUFFIXES)


def opposite(word: str) -> tuple[str, str] | None:
    """Return the lemma of a word in the lists and an opposite of it, both lower case; None for other words."""
    lemma = _lemma(word.lower())
    return (lemma, _OPPOSITE[lemma]) if lemma in _OPPOSITE else None


def opposed_pairs(first: str, second: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of opposite words, one from each text, in order. A word that both texts contain is ignored."""
    texts = (_APART.sub(r"\1", text.lower()) for text in (first, second))
    left, right = (dict.fromkeys(re.findall(r"[^\W\d_]+", text)) for text in texts)
    return tuple((a, b) for a in left if a not in right for b in right if b not in left and opposed(a, b))


def _lemma(word: str) -> str:
    """Return the lemma if the word is an inflected form of a word in the lists, else the word itself."""
    if word in _WORDS:
        return word
    formed = (word.removesuffix(end) + instead for end, instead in _ENDINGS if word.endswith(end))
    return next((form for form in formed if form in _WORDS), word)


def _begin(a: str, b: str, x: str, y: str, least: int) -> bool:
    stem = a.removeprefix(x)
    return len(stem) >= least and a.startswith(x) and b.startswith(y) and stem == b.removeprefix(y)


def _end(a: str, b: str, x: str, y: str) -> bool:
    """Return whether two words have the same stem and the endings x and y. A plural s, as in "dilators", is ignored."""
    a, b = a.removesuffix("s") if x[-1] != "s" else a, b.removesuffix("s") if y[-1] != "s" else b
    stem = a.removesuffix(x)
    return len(stem) >= _STEM and a.endswith(x) and b.endswith(y) and stem == b.removesuffix(y)
