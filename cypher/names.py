"""Names: when two spellings are equal, how well a text matches a concept, and when a text is ambiguous.

Every store finds the same concepts with the same scores, because all scores are computed here. A *form* is a name (or
key) without case, hyphens and spacing. A store only answers simple questions (`NameIndex`): which concepts have one of
the given forms, and which forms may be similar to a given form.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple, Protocol, Self

from groundwork.errors import InputError
from groundwork.organisms import HUMAN, misplaced, organism_of, without_organism
from groundwork.records import Concept, Found, Match, split_key
from groundwork.spelling import GREEK, SHARP_S
from groundwork.vocabulary import TYPES, VARIANTS

#: Scores: a preferred name or key 1.0; a synonym from SYNONYM up to SYNONYM + SHARE; a near match below NEAR.
SYNONYM, SHARE, NEAR = 0.8, 0.15, 0.8
#: Factor for the score of a gene of another organism than the one that a symbol means.
ELSEWHERE = 0.5
#: Minimum similarity (rapidfuzz's `ratio` / 100, on forms) of a near match, and of a hint in an error message.
CUTOFF, HINT_CUTOFF = 0.8, 0.6
#: Number of concepts that a look-up returns by default.
LIMIT = 10
#: Number of hints in an error message.
_HINTS = 3
#: Number of pairs of forms compared at a time, 4 bytes each.
_CELLS = 5_000_000
#: Number of consecutive letters that two forms must share to be compared.
GRAM = 3
#: Maximum number of code points of a form; names that are equal up to this length count as equal. Neo4j's full-text
#: index needs a limit: a term above 32,766 bytes stops the whole database.
LONGEST = 1_000
#: A type that a caller may give to mean all types of variants, like the label `Variant`.
VARIANT = "Variant"

_DROPPED = frozenset({"Pd", "Zs", "Zl", "Zp", "Cc", "Cf"})  # dashes, spaces, controls, zero-width and soft hyphen
_MINUS = "\u2212"  # a mathematical symbol by its category, but used as a hyphen


class NameIndex(Protocol):
    """The questions about names that a store answers.

    Attributes:
        species: Taxon id of the organism whose genes a symbol means, as the user chose it; empty for humans, unless the
            spelling of the symbol or a word before it names another organism.
    """

    species: str

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """Return each concept that has at least one of these forms (see `forms_of`) once, in any order."""

    def begun_by(self, forms: Collection[str]) -> Collection[str]:
        """Return the given forms that are a prefix of a form of any concept (see `forms_of`).

        A store for which such a look-up would save no time returns all given forms.
        """

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """Return every form of any concept that contains at least one gram (a run of `GRAM` letters) of `grams`.

        Only forms with `shortest` to `longest` code points (inclusive) are returned.
        """

    def every_form(self) -> Iterable[str] | None:
        """Return each form of all concepts once; None if reading all forms costs more than single look-ups."""


@dataclass(frozen=True, slots=True)
class Window:
    """The forms that are compared with one given form.

    They share a gram (`GRAM` consecutive letters) with the given form, and their length allows the minimum similarity.
    """

    grams: tuple[str, ...]
    shortest: int
    longest: int

    def holds(self, form: str) -> bool:
        """Return whether a form belongs to the window."""
        return self.shortest <= len(form) <= self.longest and any(gram in form for gram in self.grams)


class Spelled(NamedTuple):
    """A concept with the normalised forms of its key, its name and its synonyms (see `normalise`)."""

    concept: Concept
    key: str
    name: str
    synonyms: tuple[str, ...]

    @classmethod
    def of(cls, concept: Concept) -> Self:
        """Return a concept with its forms."""
        return cls(concept, normalise(concept.key), normalise(concept.name), tuple(map(normalise, concept.synonyms)))

    @property
    def forms(self) -> frozenset[str]:
        """All forms, without the empty string."""
        return frozenset((self.key, self.name, *self.synonyms)) - {""}


def normalise(text: str) -> str:
    """Return the form of a name: NFKC, case folded, without hyphens, spaces and invisible characters.

    Greek letters are replaced by their names, so that IFN-γ and IFN-gamma have one form. This includes a sharp s that
    stands for a beta (ß-catenin). A name with no characters but hyphens and spaces loses only the spaces at its ends,
    so that a name of hyphens has a form.
    """
    if text.isascii():  # thirty times as fast; linking an abstract normalises thousands of forms
        folded = text.lower()
        form = folded.replace(" ", "").replace("-", "")
        form = form if form.isprintable() else "".join(filter(str.isprintable, form))
    else:
        written = SHARP_S.sub("β", unicodedata.normalize("NFKC", text))
        folded = unicodedata.normalize("NFKC", written.casefold())
        form = "".join(c for c in folded if c != _MINUS and unicodedata.category(c) not in _DROPPED).translate(GREEK)
    return (form or folded.strip())[:LONGEST]


def forms_of(concept: Concept) -> frozenset[str]:
    """Return all forms of a concept, from its key, its name and its synonyms, without the empty string."""
    return Spelled.of(concept).forms


def window(form: str, cutoff: float = CUTOFF) -> Window:
    """Return the window of the forms that can reach a minimum similarity (`cutoff`) to this form.

    The similarity of forms with lengths m and n is at most 2 min(m, n) / (m + n). A form shorter than a gram has no
    grams, so it is compared with no form.
    """
    grams = dict.fromkeys(form[i : i + GRAM] for i in range(len(form) - GRAM + 1))
    bound = cutoff / (2.0 - cutoff)
    # Without the margin of 1e-9, rounding could exclude lengths that are exactly at the limit.
    return Window(tuple(grams), int(len(form) * bound + 1 - 1e-9), int(len(form) / bound + 1e-9))


def find(index: NameIndex, text: str, type: str | None = None, limit: int = LIMIT) -> Found:
    """Return concepts by key or name, best first; see `GraphReader.find`.

    The result is ambiguous if several concepts share the best score, unless the text is exactly a key. Genes of other
    organisms than the one that a symbol means (`NameIndex.species`) get a lower score; if the user chose an organism,
    they are left out, unless only their names are similar.

    Raises:
        InputError: If PubTator has no such type, or the limit is negative.
    """
    if limit < 0:
        raise InputError(f"limit {limit}", "0 or more", "give a limit of 0 or more, or leave it out")
    types = _types(type)
    form = normalise(text)
    if not form:
        return Found((), ambiguous=False)
    matches: Sequence[Match] = _named(index, text, types) or _by_id(index, text, types or TYPES)
    if not matches:
        near = _near(index, _likeness(index, form, CUTOFF))
        matches = _meant_nearly([match for match in near if types is None or match.type in types], text, index.species)
    return _found(text, matches, limit)


def find_all(index: NameIndex, texts: Sequence[str]) -> dict[str, Found]:
    """Return the result of `find` for each of many texts.

    If the index lists every form, all texts without an exact match are compared with the forms in one step.
    """
    every = index.every_form() if len(texts) > 1 else None
    if every is None:
        return {text: find(index, text) for text in texts}
    exact: dict[str, Sequence[Match]] = {
        text: meant for text, found in named(index, texts).items() if (meant := _meant(found, text, index.species))
    }
    exact |= {text: found for text in texts if text not in exact and (found := _of_organism(index, text, None))}
    exact |= {text: found for text in texts if text not in exact and (found := _by_id(index, text, TYPES))}
    forms = {text: normalise(text) for text in texts if text not in exact}
    alike = _likenesses(sorted(set(forms.values())), every)
    near = {form: list(_near(index, ratios)) for form, ratios in alike.items()}
    exact |= {text: _meant_nearly(near[form], text, index.species) for text, form in forms.items()}
    return {text: _found(text, exact[text]) for text in texts}


def named(index: NameIndex, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
    """Return the exact matches of many texts in one request; see `GraphReader.named`."""
    forms = {text: normalise(text) for text in texts}
    asked = {form for form in forms.values() if form}
    holders: dict[str, list[Spelled]] = {}  # only for forms that are names; most forms are not
    for spelled in map(Spelled.of, index.named_by(sorted(asked)) if asked else ()):
        for form in spelled.forms & asked:
            holders.setdefault(form, []).append(spelled)
    return {text: tuple(_exact(text, form, holders[form])) for text, form in forms.items() if form in holders}


def begun(index: NameIndex, texts: Collection[str]) -> set[str]:
    """Return the given texts that may be a prefix of a name; see `GraphReader.begun`."""
    forms = {text: normalise(text) for text in texts}
    known = frozenset(index.begun_by(set(forms.values())))
    return {text for text, form in forms.items() if form in known}


def nearest(index: NameIndex, text: str) -> tuple[str, ...]:
    """Return the concepts nearest to an unknown key or name, each as `key (name)`, for an error message."""
    form = normalise(text)
    matches = _exact(text, form, map(Spelled.of, index.named_by([form]))) if form else []
    matches = matches or list(islice(_near(index, _likeness(index, form, HINT_CUTOFF)), _HINTS))
    return tuple(f"{match.key} ({match.name})" for match in matches[:_HINTS])


def _types(type: str | None) -> frozenset[str] | None:
    if type is None:
        return None
    known = {name.casefold(): frozenset({name}) for name in TYPES} | {VARIANT.casefold(): VARIANTS}
    if type.casefold() not in known:
        raise InputError(
            f"no entity type {type!r}",
            f"one of {', '.join(sorted(TYPES | {VARIANT}))}",
            "correct the type, or leave it out",
        )
    return known[type.casefold()]


def _exact(text: str, form: str, holders: Iterable[Spelled]) -> list[Match]:
    """Return the matches of the concepts that have this form, best first; of equal ones, that whose key is `text`."""
    found = [(_match(spelled, form, text=text.strip()), spelled.concept.mentions) for spelled in holders]
    found.sort(key=lambda item: (-item[0].score, item[0].key != text, -item[1], item[0].key))
    return [match for match, _ in found]


def _named(index: NameIndex, text: str, types: frozenset[str] | None) -> list[Match]:
    """Return the concepts that have a name, best first. The name may begin with an organism: `mouse Trp53`."""
    return _meant(_holders(index, text, types), text, index.species) or _of_organism(index, text, types)


def _of_organism(index: NameIndex, text: str, types: frozenset[str] | None) -> list[Match]:
    """Return the genes that a name with an organism before it means, best first; none if there is no such word."""
    if (said := without_organism(text)) is None:
        return []
    taxon, name = said
    return [match for match in _meant(_holders(index, name, types), name, taxon) if match.type == "Gene"]


def _holders(index: NameIndex, name: str, types: frozenset[str] | None) -> list[Match]:
    """Return the matches of the concepts that have a name, best first."""
    if not (form := normalise(name)):
        return []
    return _exact(name, form, (Spelled.of(c) for c in index.named_by([form]) if types is None or c.type in types))


def _meant(matches: Sequence[Match], text: str, species: str) -> list[Match]:
    """Return the matches, with lower scores for genes of organisms that the text does not mean; see `find`."""
    named = [match for match in matches if match.how != "key"]
    if species:
        other = {match.key for match in named if match.type == "Gene" and organism_of(match) != species}
        return [match for match in matches if match.key not in other]
    elsewhere = misplaced(tuple(named), text.strip(), HUMAN, given=False)
    found = [replace(match, score=match.score * ELSEWHERE) if match.key in elsewhere else match for match in matches]
    return sorted(found, key=lambda match: -match.score)


def _meant_nearly(near: Sequence[Match], text: str, species: str) -> Sequence[Match]:
    """Return the near matches that `_meant` leaves; all of them, as alternatives, if it leaves none."""
    return _meant(near, text, species) or near


def _by_id(index: NameIndex, text: str, types: Iterable[str]) -> list[Match]:
    """Return the matches of the concepts whose id is the text and whose type is one of `types`.

    An id is a key without its type, such as MESH:D019821.
    """
    bare = text.strip()
    if "|" in bare:
        return []
    concepts = index.named_by([normalise(f"{kind}|{bare}") for kind in sorted(types)])
    found = {concept.key: concept for concept in concepts if split_key(concept.key)[1] == bare}
    return [_match(Spelled.of(concept), normalise(key)) for key, concept in sorted(found.items())]


def _found(text: str, matches: Sequence[Match], limit: int = LIMIT) -> Found:
    """Return the first `limit` of the sorted matches, and whether the result is ambiguous; see `find`."""
    best = [match for match in matches if match.score == matches[0].score]
    return Found(tuple(matches[:limit]), ambiguous=len(best) > 1 and best[0].key != text)


def _likeness(index: NameIndex, form: str, cutoff: float) -> dict[str, float]:
    """Return the forms similar to this form, with their similarity in [cutoff, 1]."""
    near = window(form, cutoff)
    if not near.grams:
        return {}
    from rapidfuzz import fuzz, process  # imported here because only near matches need it and it is slow to import

    forms = sorted(set(index.forms_near(near.grams, near.shortest, near.longest)))
    alike = process.extract(form, forms, scorer=fuzz.ratio, score_cutoff=100.0 * cutoff, limit=None)
    return {name: ratio / 100.0 for name, ratio, _ in alike}


def _likenesses(asked: Collection[str], every: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the result of `_likeness` for each of many forms, with the minimum similarity `CUTOFF`."""
    from rapidfuzz import fuzz, process

    windows = {form: window(form) for form in asked}
    rows = [form for form, near in windows.items() if near.grams]
    found: dict[str, dict[str, float]] = {form: {} for form in asked}
    forms, size = iter(every), max(1, _CELLS // max(1, len(rows)))
    while rows and (some := list(islice(forms, size))):
        # The table holds rounded values, so its limit is slightly lower. Each match is computed again exactly.
        table = process.cdist(rows, some, scorer=fuzz.ratio, score_cutoff=100.0 * CUTOFF - 0.01)
        for row, column in zip(*(places.tolist() for places in table.nonzero()), strict=True):
            form, other = rows[row], some[column]
            ratio = fuzz.ratio(form, other)
            if ratio >= 100.0 * CUTOFF and windows[form].holds(other):
                found[form][other] = ratio / 100.0
    return found


def _near(index: NameIndex, ratios: Mapping[str, float]) -> Iterator[Match]:
    """Yield the matches of the concepts that have a form in `ratios`, best first.

    The score is the product of the score of an exact match, the similarity in `ratios` and `NEAR`. If a concept has
    several forms in `ratios`, its best score counts.
    """
    found = []
    for spelled in map(Spelled.of, index.named_by(sorted(ratios)) if ratios else ()):
        best = max((_match(spelled, f, NEAR * ratios[f]) for f in sorted(spelled.forms & ratios.keys())), key=_score)
        found.append((best, spelled.concept.mentions))
    found.sort(key=lambda item: (-item[0].score, -item[1], item[0].key))
    yield from (match for match, _ in found)


def _score(match: Match) -> float:
    return match.score


def _match(spelled: Spelled, form: str, likeness: float | None = None, text: str = "") -> Match:
    """Return the match of a concept that has this form.

    If `likeness` is given, the match is a near match, and its score is the score of an exact match times the likeness.
    Of several names with this form, the match has the one that is spelled like `text`.
    """
    concept = spelled.concept
    same = [i for i, name in enumerate(spelled.synonyms) if name == form]
    called = sum(concept.counts[i] for i in same)
    if spelled.key == form:
        score, matched, how = 1.0, concept.key, "key"
    elif spelled.name == form:
        score, matched, how = 1.0, concept.name, "name"
    else:
        share = called / concept.mentions if concept.mentions else 0.0
        score, matched, how = SYNONYM + SHARE * share, concept.synonyms[same[0]], "synonym"
    if text != concept.key and text in (concept.synonyms[i] for i in same):
        matched = text
    if likeness is not None:
        score, how = score * likeness, "fuzzy"
    known = organism_of(concept) or "", concept.description
    return Match(concept.key, concept.name, concept.type, float(f"{score:.12g}"), matched, how, called, *known)
