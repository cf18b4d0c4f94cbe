"""Spelling and wording: other forms of a name that the graph may contain, and whether words are meant as a name.

Opposites (opposites.tsv) are words and affixes that reverse a statement. A name is never a misspelling of its opposite.
Spelling and vectors both treat opposites as similar (hypo-/hyperglycemia differ in two letters and have a cosine of
0.65), so they must be found in another way. WordNet (fuzzygraph.words) adds to these lists but cannot replace them,
because it has no antonym of "inhibit" or "upregulate".

Rewordings are other phrases for the same concept, and broader phrases, for exact look-ups. A generated phrase that is
not the name of a concept does no harm, so the rules may generate many. `Sureness` says how reliable the phrases of a
rule are. MEASURED.md gives the precision of accepted links. The words come from name_words.tsv: synonyms in names of
diseases, chemicals and genes, and words that may be left out.
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache, partial
from importlib.resources import files
from itertools import product

from groundwork.language import rows
from groundwork.reading.encoder import shipped
from groundwork.records import Match

_OPPOSITES = rows("groundwork", "opposites.tsv")
#: Prefixes of two opposite words, and the minimum length of the rest of the word.
PREFIXES = tuple((one, other, int(least)) for kind, one, other, least in _OPPOSITES if kind == "prefix")
#: Endings of two opposite words, after at least four letters.
SUFFIXES = tuple((one, other) for kind, one, other, _ in _OPPOSITES if kind == "suffix")
#: Opposite words (lemmas): each word of the first group is opposite to each word of the second.
SCALES = tuple((one, other) for kind, one, other, _ in _OPPOSITES if kind == "scale")

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


_WORD = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"^(?:the|a|an|this|these|that|those|its|their)\s+", re.I)
_POSSESSIVE = re.compile(r"['’]s?(?=\s|$)")
#: Small Greek letters and their names. A name is often written with either.
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
)
GREEK = str.maketrans(dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK.split(), strict=True)))
#: A sharp s that stands for a beta, as in many texts of PubMed: one that follows no vowel, as it does in German words.
SHARP_S = re.compile("(?<![aeiouyäöü])ß|(?<![AEIOUYÄÖÜ])ẞ")
#: British spellings of word parts, and the American ones that MeSH and PubTator use.
_BRITISH: tuple[tuple[str, str], ...] = (
    ("tumour", "tumor"),
    ("aemi", "emi"),
    ("haem", "hem"),
    ("thaem", "them"),
    ("anaesth", "anesth"),
    ("oedema", "edema"),
    ("oestr", "estr"),
    ("oesoph", "esoph"),
    ("rrhoea", "rrhea"),
    ("paed", "ped"),
    ("fibre", "fiber"),
    ("sulph", "sulf"),
)
#: Finds names that have a possessive or a British spelling.
_RESPELLED = re.compile("|".join(["'", *(british for british, _ in _BRITISH)]))
#: Endings of plurals and the singular endings, the most likely first.
_PLURALS = (("ies", "y"), ("ses", "sis"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", ""))
#: Number of letters at the end of a plural that its singulars may lack or change.
_ENDING = 3
#: Words around "lead" that show that it is the verb or the adjective, not the metal.
_NO_METAL_AFTER = re.compile(r"\b(?:to|may|can|could|will|might|would|should|must|not|which|that|they|the|a)\s+$", re.I)
_NO_METAL_BEFORE = re.compile(r"\s+(?:to|compounds?|authors?|times?|roles?|candidates?)\b", re.I)
#: Number of characters examined before the word "lead".
_BESIDE = 40
#: Types whose names are symbols, so that they may equal ordinary words.
_SYMBOLIC = frozenset({"Gene", "Chemical", "CellLine", "SNP", "DNAMutation", "ProteinMutation", "Mutation"})
#: Words that name all concepts of a type, so they identify none.
_GENERIC = re.compile(r"diseases?|disorders?|syndromes?|symptoms?|patients?|drugs?|genes?|proteins?|chemicals?")


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Return ordinary English words that are also symbols of genes or chemicals (common_words.txt).

    The words are in lower case; common abbreviations that are not concepts (CI, SNP) are in capitals.
    """
    lines = files("groundwork").joinpath("common_words.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def comparable(name: str) -> str:
    """Return a name without the differences that spelling allows: case, hyphens, spacing."""
    return re.sub(r"[\s\-‐-–]+", "", name).casefold()


def generic(name: str) -> bool:
    """Return whether a word names all concepts of a type, so that it identifies none."""
    return _GENERIC.fullmatch(name.casefold()) is not None


def without_article(phrase: str) -> str:
    """Return a phrase without its leading article or determiner."""
    return _ARTICLE.sub("", phrase.strip())


def variants(name: str) -> list[str]:
    """Return the name as written, then its distinct spelling variants.

    The variants are: without possessives, American spelling, singular, plural. Greek letters need no variants, because
    a form of a name has their names instead (`cypher.names.normalise`).
    """
    if _plain(name):
        return [name, *_other_numbers(name)] if name.strip() else []
    forms = [name]
    for other in (partial(_POSSESSIVE.sub, ""), _american):
        forms = list(dict.fromkeys([*forms, *map(other, forms)]))
    forms += [other for form in forms for other in _other_numbers(form)]
    return list(dict.fromkeys(form for form in forms if form.strip()))


def opening(words: str) -> str:
    """Return a common prefix of all spellings of all names that begin with these words; "" if none is known."""
    if not _plain(words):
        return ""
    return words[:-_ENDING] if words.endswith("s") else words


def _plain(name: str) -> bool:
    """Return whether a name has no spelling variants except its plural or singular. This holds for nearly all names."""
    return not _RESPELLED.search(name.lower().replace("’", "'"))


def _american(name: str) -> str:
    for british, american in _BRITISH:
        name = re.sub(british, american, name, flags=re.I)
    return name


def _other_numbers(name: str) -> list[str]:
    """Return the possible singulars of a plural, or the plural of a singular.

    The result is empty if the last word is an acronym or has fewer than four letters, or if the name ends with "ss",
    "us" or "is".
    """
    plain = len(name) > 3 and name[-4:].isalpha() and name[-3:].islower()
    if not plain or name.endswith(("ss", "us", "is")):
        return []
    if not name.endswith("s"):
        return [name + "s"]
    return [name.removesuffix(plural) + one for plural, one in _PLURALS if name.endswith(plural)]


def acceptable(surface: str, match: Match, *, initial: bool, shouting: bool) -> bool:
    """Return whether words that match the name of a concept are meant as that name.

    A symbol of up to four letters may be written in small letters if it is no word that the reader's vocabulary has.

    Args:
        surface: The words in the text.
        match: The concept whose name they match.
        initial: Whether they start a sentence, so that a leading capital says nothing.
        shouting: Whether their sentence has no small letters, so that capitals say nothing.
    """
    bare = comparable(surface)
    if len(bare) < 2 or bare.isdigit() or generic(bare) or not _spacing_fits(surface, match.matched):
        return False
    words = _WORD.findall(surface)
    if surface in common_words() and not surface.islower():
        return False
    common = all(word.lower() in common_words() or word.isdigit() or len(word) == 1 for word in words)
    symbol = match.type in _SYMBOLIC or match.matched.isupper()
    if len(words) > 1:
        return not common or len(bare) >= 7
    if common and symbol:
        return surface.isupper() and not shouting
    if len(bare) <= 2:
        return surface == match.matched
    if len(bare) <= 4 and bare.isalpha() and match.type in _SYMBOLIC:
        return _case_fits(surface, match.matched, initial) or not shipped().knows(bare)
    return True


def is_lead(text: str, span: tuple[int, int], match: Match) -> bool:
    """Return whether words are "lead" and mean the metal, not the verb. No other chemical has the name of a verb."""
    if text[slice(*span)].lower() != "lead" or match.matched.lower() != "lead" or match.type != "Chemical":
        return False
    before = text[max(0, span[0] - _BESIDE) : span[0]]
    return not (_NO_METAL_AFTER.search(before) or _NO_METAL_BEFORE.match(text, span[1]))


def _case_fits(surface: str, name: str, initial: bool) -> bool:
    """Return whether a short symbol has the case of the name, or a capital that is not due to a sentence start."""
    if surface == name or (initial and surface.lower() == name):
        return True
    return any(letter.isupper() for letter in (surface[1:] if initial else surface))


def _spacing_fits(surface: str, name: str) -> bool:
    """Return whether a text has at most as many words as the name has parts: "IL 6" fits IL-6, but "as a" not ASA."""
    return len(surface.split()) <= max(1, len(_WORD.findall(name)))


#: Smallest similarity of a near match: the rapidfuzz ratio (0-100) of the names without hyphens, spaces and case.
#: Without a limit, only 17-32 % of the near matches are right.
NEAR = 90.0
#: A name may have one wrong, missing, added or swapped letter per this many letters; every name may have one.
PER_LETTER = 12
#: Words up to this length must match exactly.
SHORT = 3


def misspelt(words: str, name: str) -> bool:
    """Return whether some words are a name, possibly with spelling errors.

    Numbers and words of at most `SHORT` characters must be equal: "prostaglandin A2" is not prostaglandin D2. If the
    words and the name contain opposites, such as "hyper" and "hypo", the result is False. It is also False if the words
    together have fewer than five characters.
    """
    a, b = comparable(words), comparable(name)
    if len(a) < 5 or _exact_parts(words) != _exact_parts(name) or opposed_pairs(words, name):
        return False
    from rapidfuzz import fuzz
    from rapidfuzz.distance import OSA

    return fuzz.ratio(a, b) >= NEAR and OSA.distance(a, b) <= max(1, len(a) // PER_LETTER)


def _exact_parts(name: str) -> tuple[list[str], set[str]]:
    """Return the numbers of a name, and its words of up to three characters."""
    return re.findall(r"\d+", name), {word for word in _WORD.findall(name.casefold()) if len(word) <= SHORT}


_ROWS = rows("groundwork", "name_words.tsv")


def _groups(kind: str) -> list[list[str]]:
    return [words.split("|") for name, words in _ROWS if name == kind]


def _words_of(kind: str) -> frozenset[str]:
    return frozenset(word for name, words in _ROWS if name == kind for word in words.split())


#: Groups of words that mean the same in names of diseases and chemicals; MeSH uses the first word of each group.
SAME = _groups("same")
#: Endings of adjectives, and possible endings of the corresponding nouns.
NOUNS = [(ending, nouns) for ending, *nouns in _groups("noun")]
#: Words that qualify a disease without making it another disease with its own name.
LOOSE = _words_of("loose")
#: Salts and other forms in which a chemical comes.
SALTS = _words_of("salt")
#: Words that follow a name without being part of it.
CLASSES = _words_of("class")
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

_PART = re.compile(r"[^\s,]+")
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
    words = _PART.findall(phrase)
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
        inner = _PART.findall(shorter)
        add(_reordered(shorter, inner), Sureness.BROADER)
        add(_inflected(inner), Sureness.BROADER)
        add(_synonymous(inner), Sureness.BROADER)
    return found


def _reordered(phrase: str, words: list[str]) -> Iterator[str]:
    """Yield the phrase with its words in other orders, such as the order of a thesaurus: "diabetes mellitus, type 2".

    Also yield it with Arabic numerals for Roman ones or the reverse, and the phrases of `_simpler`.
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
    yield from _simpler(phrase)


def _simpler(phrase: str) -> Iterator[str]:
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
