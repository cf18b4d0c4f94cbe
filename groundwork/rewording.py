"""Rewording: generate other phrases for the same concept, and broader phrases, for exact look-ups.

A generated phrase that is not the name of a concept does no harm, so the rules may generate many. `Sureness` says how
reliable the phrases of a rule are. MEASURED.md gives the precision of accepted links.

The words come from name_words.tsv: synonyms in names of diseases, chemicals and genes, and words that may be left out.
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import product

from groundwork.language import rows

_ROWS = rows("groundwork", "name_words.tsv")


def _groups(kind: str) -> list[list[str]]:
    return [words.split("|") for name, words in _ROWS if name == kind]


def _words(kind: str) -> frozenset[str]:
    return frozenset(word for name, words in _ROWS if name == kind for word in words.split())


#: Groups of words that mean the same in names of diseases and chemicals; MeSH uses the first word of each group.
SAME = _groups("same")
#: Endings of adjectives, and possible endings of the corresponding nouns.
NOUNS = [(ending, nouns) for ending, *nouns in _groups("noun")]
#: Words that qualify a disease without making it another disease with its own name.
LOOSE = _words("loose")
#: Salts and other forms in which a chemical comes.
SALTS = _words("salt")
#: Words that follow a name without being part of it.
CLASSES = _words("class")
#: Names of ions and gases by their symbols in lower case.
IONS = dict(_groups("ion"))
#: Arabic numerals for Roman numerals, and the reverse.
ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5", "1": "I", "2": "II", "3": "III", "4": "IV", "5": "V"}
#: Greek letters by the Latin letters that texts write in their place: "b-thalassemia".
LETTERS = dict(_groups("letter"))


#: Maximum number of phrases generated for one phrase.
MOST = 80
#: Maximum number of words; longer phrases are sentences rather than names.
LONGEST = 9

_WORD = re.compile(r"[^\s,]+")
_ISOMER = re.compile(
    r"^(?:\(?[±+\-]+\)?|\(?\+/-\)?|\(?[RSDLrsdl](?:,[RSDLrsdl])?\)?|\(?[ED]?[dl]l\)?|dl)-(?=\w{3,})", re.I
)
_SPECIES = re.compile(r"^(?:human|mouse|murine|rat|bovine|porcine|rabbit|chicken|yeast|[hmr](?=[A-Z]))[ -]?")
_JOINED = re.compile(r"(.+?),? (?:and/or|and|or) (.+) (\S+)")
_CHARGED = re.compile(r"([A-Z][a-z]?)\s?(?:\(?\d?[+-]{1,2}\d?\)?|\([IV]+\))")


class Sureness(IntEnum):
    """How a phrase was generated, the surest kind first."""

    WRITTEN = 0
    REORDERED = 1
    INFLECTED = 2
    SYNONYM = 3
    BROADER = 4


def rewordings(phrase: str) -> dict[str, Sureness]:
    """Return at most `MOST` other phrases for a phrase, surest first, each with its `Sureness`.

    The phrases need not be names of concepts.
    """
    words = _WORD.findall(phrase)
    found: dict[str, Sureness] = {}
    if not words or len(words) > LONGEST:
        return found

    def add(phrases: Iterable[str], sureness: Sureness) -> None:
        for text in phrases:
            if len(found) < MOST and len(text) > 1 and text != phrase:
                found.setdefault(text, sureness)

    add(_reordered(phrase, words), Sureness.REORDERED)
    add(_inflected(words), Sureness.INFLECTED)
    add(_synonymous(words), Sureness.SYNONYM)
    for shorter in (*_parted(phrase), *_shortened(phrase, words)):
        add([shorter], Sureness.BROADER)
        inner = _WORD.findall(shorter)
        add(_reordered(shorter, inner), Sureness.BROADER)
        add(_inflected(inner), Sureness.BROADER)
        add(_synonymous(inner), Sureness.BROADER)
    return found


def _reordered(phrase: str, words: list[str]) -> Iterator[str]:
    """Yield the phrase with its words in other orders, such as the order of a thesaurus: "diabetes mellitus, type 2".

    Also yield it with Arabic numerals for Roman ones or the reverse, and the phrases of `_plain`.
    """
    if ", " in phrase:
        front, _, back = phrase.partition(", ")
        yield f"{back} {front}"
    for cut in range(1, min(len(words), 5)):
        front, back = " ".join(words[:cut]), " ".join(words[cut:])
        yield f"{back}, {front}"
        yield f"{back} {front}"
    if 2 < len(words) <= 4:
        yield ", ".join(reversed(words))
    counted = [ROMAN.get(word, word) for word in words]
    if counted != words:
        yield " ".join(counted)
        yield f"{' '.join(counted[2:])}, {' '.join(counted[:2])}"
    if " of " in phrase:
        front, _, back = phrase.partition(" of ")
        yield f"{back.removeprefix('the ')} {front}"
    yield from _plain(phrase)


def _plain(phrase: str) -> Iterator[str]:
    """Yield simpler spellings of the phrase, each with one of these changes.

    The changes are: no slashes, no brackets, the name of an ion for its symbol, no isomer prefix, and the name of a
    Greek letter for the Latin letter at the start ("beta-" for "b-").
    """
    if "/" in phrase:
        yield phrase.replace("/", " ")
    if "(" in phrase and (bare := re.sub(r"\s*\([^()]*\)", "", phrase)).strip():
        yield bare.strip()
    ion = _CHARGED.fullmatch(phrase)
    element = ion[1] if ion else phrase
    if element[0].isupper() and element.lower() in IONS:
        yield IONS[element.lower()]
    if isomer := _ISOMER.match(phrase):
        yield phrase[isomer.end() :]
    if phrase[0] in LETTERS and phrase[1:2] in {"-", "("}:
        yield LETTERS[phrase[0]] + phrase[1:]


def _inflected(words: list[str]) -> Iterator[str]:
    """Yield phrases in which the last word is another part of speech: hypertension for "hypertensive"."""
    front, last = words[:-1], words[-1]
    if len(last) < 5 or not last[1:].islower():
        return
    for ending, nouns in NOUNS:
        if last.endswith(ending) and len(last) - len(ending) >= 2:
            yield from (" ".join([*front, last.removesuffix(ending) + noun]) for noun in nouns)


def _synonymous(words: list[str]) -> Iterator[str]:
    """Yield the phrase with synonyms in place of words.

    Each result is yielded a second time with its first word at the end: "lesion, skin".
    """
    if not 1 < len(words) <= 4:
        return
    choices = [_same(word) for word in words]
    if all(len(choice) == 1 for choice in choices):
        return
    for chosen in product(*choices):
        yield " ".join(chosen)
        yield f"{' '.join(chosen[1:])}, {chosen[0]}"


def _same(word: str) -> tuple[str, ...]:
    """Return the word and up to four synonyms; the synonym that MeSH uses comes before the other synonyms."""
    group = next((group for group in SAME if word.lower() in group), ())
    return tuple(dict.fromkeys((word, *group[:4])))


def _parted(phrase: str) -> Iterator[str]:
    """Yield the parts of a coordination: "hearing and visual impairment" has "hearing impairment" as one part."""
    if joined := _JOINED.fullmatch(phrase):
        front, back, head = joined.groups()
        yield from (f"{part} {head}" for part in [*front.split(", "), back] if part)


def _shortened(phrase: str, words: list[str]) -> Iterator[str]:
    """Yield shorter phrases: without qualifiers (degree, salt, class, species), and without the first or last words."""
    lower = [word.lower() for word in words]
    first = 0
    for place, word in enumerate(lower):
        if word in LOOSE and len(words) > 1:
            yield " ".join(words[:place] + words[place + 1 :])
    while first < len(words) - 1 and lower[first] in LOOSE:
        first += 1
        yield " ".join(words[first:])
    last = len(words)
    while last - 1 > first and lower[last - 1] in SALTS | CLASSES:
        last -= 1
        yield " ".join(words[first:last])
    yield from (" ".join(words[start:]) for start in range(first + 1, len(words)))
    yield from (" ".join(words[:end]) for end in range(last - 1, 0, -1))
    bare = _SPECIES.sub("", phrase)
    if bare != phrase and len(bare) > 2:
        yield bare
