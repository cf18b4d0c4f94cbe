"""Spelling: the forms under which a name may stand in the graph, and whether a match is meant as a name at all."""

import re
from functools import lru_cache
from importlib.resources import files

from groundwork.records import Match

_WORD = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"^(?:the|a|an|this|these|that|those|its|their)\s+", re.I)
_LETTERS = re.compile(r"[^\W\d_]+")
_POSSESSIVE = re.compile(r"['’]s?(?=\s|$)")
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "µ": "mu",
    "σ": "sigma",
    "τ": "tau",
    "ω": "omega",
}
#: British spellings of word parts, and the American ones that MeSH and so PubTator prefer.
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
#: Endings of plurals and what stands in their place, the likeliest first.
_PLURALS = (("ies", "y"), ("ses", "sis"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", ""))
#: Types whose names are symbols, so that they collide with ordinary words.
_SYMBOLIC = frozenset({"Gene", "Chemical", "CellLine", "SNP", "DNAMutation", "ProteinMutation", "Mutation"})
#: Words that name every concept of a type, and so none.
_GENERIC = re.compile(r"diseases?|disorders?|syndromes?|symptoms?|patients?|drugs?|genes?|proteins?|chemicals?")


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """Ordinary English words that are also symbols of genes or chemicals (common_words.txt).

    Lower case, and in capitals what papers abbreviate beside concepts (CI, SNP).
    """
    lines = files("groundwork").joinpath("common_words.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def comparable(name: str) -> str:
    """A name without what spelling varies: case, hyphens, spacing."""
    return re.sub(r"[\s\-‐-–]+", "", name).casefold()


def generic(name: str) -> bool:
    """Whether a word names every concept of a type, and so none."""
    return _GENERIC.fullmatch(name.casefold()) is not None


def without_article(phrase: str) -> str:
    """A phrase without the article or determiner in front."""
    return _ARTICLE.sub("", phrase.strip())


def variants(name: str) -> list[str]:
    """The name as written, then as it may be written elsewhere; no two alike.

    Without possessives, with Greek letters spelled out, in American spelling, in the singular, in the plural.
    """
    forms = [name]
    if not name.isascii() or _spelled_otherwise(name.lower()):  # few names are, and linking asks for thousands
        for other in (_without_possessive, _spelled_out, _american):
            forms = list(dict.fromkeys([*forms, *map(other, forms)]))
    forms += [other for form in forms for other in _other_numbers(form)]
    return list(dict.fromkeys(form for form in forms if form.strip()))


def _spelled_otherwise(lower: str) -> bool:
    """Whether a name in small ASCII letters may have a possessive or a British spelling."""
    return "'" in lower or any(british in lower for british, _ in _BRITISH)


def _without_possessive(name: str) -> str:
    return _POSSESSIVE.sub("", name)


def _spelled_out(name: str) -> str:
    return name if name.isascii() else "".join(_GREEK.get(letter, letter) for letter in name)


def _american(name: str) -> str:
    for british, american in _BRITISH:
        name = re.sub(british, american, name, flags=re.I)
    return name


def _other_numbers(name: str) -> list[str]:
    """Singulars of a name whose last word looks like a plural, else its plural; acronyms have neither."""
    letters = _LETTERS.match(name[::-1])
    if letters is None or letters.end() < 4 or not name[-3:].islower() or name.endswith(("ss", "us", "is")):
        return []
    if not name.endswith("s"):
        return [name + "s"]
    return [name.removesuffix(plural) + one for plural, one in _PLURALS if name.endswith(plural)]


def acceptable(surface: str, match: Match, *, initial: bool, shouting: bool) -> bool:
    """Whether words that spell a concept's name are meant as that name.

    Args:
        surface: The words as they stand in the text.
        match: The concept whose name they spell.
        initial: They start a sentence, so a capital in front says nothing.
        shouting: Its sentence has no small letters, so capitals say nothing.
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
        return _case_fits(surface, match.matched, initial)
    return True


def _case_fits(surface: str, name: str, initial: bool) -> bool:
    """Whether a short symbol is written as one: as the name is, or with a capital that no sentence start explains."""
    if surface == name or (initial and surface.lower() == name):
        return True
    return any(letter.isupper() for letter in (surface[1:] if initial else surface))


def _spacing_fits(surface: str, name: str) -> bool:
    """Whether a name is broken only where it has a joint: "IL 6" is IL-6, but "as a" is not ASA."""
    return len(surface.split()) <= max(1, len(_WORD.findall(name)))
