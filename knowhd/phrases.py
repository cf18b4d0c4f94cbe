"""Recognise phrases of a sentence by their words, without a parse: frames, conditions and negations.

A frame only reports who found something, such as "we found that". It ends with "that" after a word for finding, saying
or thinking, and names no concept. Words that deny or ask ("it has not been shown that", "it is unclear whether") are
not a frame, and the sentence keeps them.

A condition must hold for the rest of the sentence to be claimed: "if warfarin is stopped", "unless", "in the absence of
insulin", "only in women". "Even if" is no condition, because the rest is asserted in any case. The population or
setting of an observation ("in patients with hypertension", "in mice", "after surgery") is no condition either.

Predicates are mapped to PubTator3 relations by the table predicates.tsv.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from groundwork.language import rows
from groundwork.reading.tree import Word
from groundwork.vocabulary import VERB_SIGNS, Sign, relation_sign


@lru_cache
def listed(category: str) -> frozenset[str]:
    """Return the words of one category of words.tsv. In the file, phrases are separated by "|"."""
    found = (words for name, words in rows("knowhd", "words.tsv") if name == category)
    return frozenset(word for words in found for word in words.split("|" if "|" in words else None))


_THAT = re.compile(r"\bthat,? ")
_WORD = re.compile(r"[\w'\u2019-]+")
#: The place between two framed clauses: "that A lowers B and that C raises D".
_AND_THAT = re.compile(r",? (?:and|but) that (?=\w)|, that (?=\w)")
#: A part at the beginning or the end of a sentence that a comma separates from the rest.
_SET_OFF = (re.compile(r"^\w[^,]{2,80}, "), re.compile(r", \w[^,]{2,80}(?=[.!]$)"))
_CONCEDING = listed("assertive") | listed("assertive,")
#: Words before "if" or "when" after which no condition follows, but a question, a comparison or a concession.
_ASKED = re.compile(
    r"\b(?:as|even|and|or|since|at|see|clear|unclear|(?:ask|test|determin|know|wonder|investigat|examin|evaluat|assess)\w*)"
    r"[ ,]*$",
    re.I,
)
#: Words of negation. "Not only" and "whether or not" are no negation, and "neither ... nor" counts once.
_DENIALS = re.compile(
    r"\b(?:not(?! (?:only|just|merely|solely)\b)|cannot|never|neither|no(?! (?:less|later|more|fewer) than\b)|"
    r"none|nobody|nothing|fail(?:s|ed|ing)? to|failure to)\b|n['’]t\b",
    re.I,
)
_NOR = re.compile(r"\bnor\b", re.I)
_NO_DENIAL = re.compile(r"\bwhether or not\b|\bif not\b|\bnot? (?:doubt|question)\b", re.I)
#: Words that can express a negation. If a negation is missing, they may stand for it.
_DENYING = re.compile(
    r"\b(?:without|lack\w*|absen\w+|unable|incapable|unlikely|hardly|barely|scarcely|rarely|except|rather than|instead|"
    r"unlike|den(?:y|ies|ied)|false|untrue|untouched|loses?|lost|"
    r"(?:un(?:affected|altered|changed|related|associated)|in(?:effective|active|sufficient|dependent|sensitive)|"
    r"ineffectual|resist\w*|refractory)\w*)\b",
    re.I,
)
#: Number of first letters in which the forms of one word agree: "raise" and "raises".
_STEM = 5


def unframed(text: str, names: Set[str]) -> str:
    """Return a sentence without its frame, such as "we found that". A sentence without a frame is returned unchanged.

    If the frame introduces several clauses, they are separated by semicolons. A frame names no concept: `names` are the
    names of the concepts in the sentence, as written there.
    """
    for place in _SET_OFF:
        text = place.sub(lambda part: "" if _points(part[0], names) else part[0], text)
    lead, that, said = text.partition(found[0]) if (found := _THAT.search(text)) else (text, "", "")
    circumstance, comma, frame = lead.rpartition(", ")
    words = _words(frame)
    if not that or not _reports(words) or any(name in frame for name in names):
        return text
    told = _AND_THAT.sub("; ", said)
    opening = _words(circumstance)[:1]
    if words[-1].endswith("ing"):
        return f"{circumstance}; {told}"  # "A lowers B, suggesting that C rises" states both
    if not _CONCEDING.isdisjoint(opening):
        return f"{circumstance.partition(' ')[2]}; {told}"  # "As A lowers B, we propose that C rises" also states both
    if comma and listed("opening").isdisjoint(opening):
        return told if not any(name in circumstance for name in names) else text
    return circumstance + comma + told


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _points(part: str, names: Set[str]) -> bool:
    """Return whether a part of a sentence points to a study: "in this study", "contrary to earlier reports"."""
    words = _words(part)
    studied = words[0] in listed("opening") and any(word in listed("study") or _is_report(word) for word in words)
    return studied and not listed("pointing").isdisjoint(words) and not any(name in part for name in names)


def _reports(words: list[str]) -> bool:
    """Return whether the words before "that" form a frame: they end with a word for finding, saying or thinking."""
    if not words or not listed("denying").isdisjoint(words):
        return False
    *before, last = words
    acts = any(_is_report(word) or word in listed("being") for word in before)
    return acts if last in listed("being") or last in listed("study") else _is_report(last)


def _is_report(word: str) -> bool:
    return word.startswith(tuple(listed("reporting")))


def conditions(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the conditions in a sentence. Each span ends at the next comma, semicolon or bracket."""
    found = (each.span() for each in _condition().finditer(text))
    return tuple((start, end) for start, end in found if not _ASKED.search(text[:start]))


@lru_cache(maxsize=1)
def _condition() -> re.Pattern[str]:
    """Return the pattern of a condition.

    A condition begins with words of the category "condition" in words.tsv, but phrases such as "when compared" and
    "once daily" are no conditions.
    """
    first = "|".join(sorted(listed("condition"), key=len, reverse=True))
    other = r"an? (?:day|week|month|year)|any|compared|daily|ever|not|per|weekly|\w+ing"
    return re.compile(rf"\b(?:{first}) (?!(?:{other})\b)[^,;()]*[,;)]?", re.I)


def turned(claim: str, statements: Iterable[str]) -> bool:
    """Return whether a claim is negated and its sentence is not, or the other way round.

    Conditions ("if ...") are removed first. Then the claim is compared with the statements of its sentence whose words
    are most similar to its words. The result is False in doubtful cases: if one of these statements is negated like the
    claim, or if a word such as "without" may express a missing negation.
    """
    own, denied = _bare(claim), is_denied(_bare(claim))
    others = [(_likeness(own, bare), bare) for bare in map(_bare, statements)]
    best = max((likeness for likeness, _ in others), default=0.0)
    nearest = [bare for likeness, bare in others if likeness == best > 0]
    return bool(nearest) and all(
        is_denied(bare) != denied and not _DENYING.search(own if is_denied(bare) else bare) for bare in nearest
    )


def _bare(text: str) -> str:
    """Return a text without conditions such as "if warfarin is stopped" (see `conditions`)."""
    for start, end in reversed(conditions(text)):
        text = f"{text[:start]} {text[end:]}"
    return text


def is_denied(text: str) -> bool:
    """Return whether a text has an odd number of negations. "Nor" counts only if there is no other negation."""
    told = _NO_DENIAL.sub(" ", text)
    count = len(_DENIALS.findall(told))
    return (count or len(_NOR.findall(told))) % 2 == 1


def _likeness(left: str, right: str) -> float:
    """Return the share of common words among all words of two texts, without negations and short words."""
    one, other = _stems(left), _stems(right)
    return len(one & other) / len(one | other) if one | other else 0.0


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w{3,}", _DENIALS.sub(" ", text.lower()))} - {"does", "did"}


class Predicate(NamedTuple):
    """The meaning of the words between the subject and the object of a claim.

    Attributes:
        relation: The PubTator3 relation in predicates.tsv; None if no word is in this table.
        sign: Sign of the verb or, if the verb has no sign of its own, of the relation.
        place: Position in the sentence of the word that was found in predicates.tsv; -1 if none was found.
        turned: Whether the object of the last preposition is the actor ("results from").
    """

    relation: str | None = None
    sign: Sign = 0
    place: int = -1
    turned: bool = False


def predicate_of(words: Sequence[Word]) -> Predicate:
    """Return the meaning of the first word that predicates.tsv contains, with or without a preposition after it."""
    for n, word in enumerate(words):
        pairs = (f"{word.lemma} {after.lemma}" for after in words[n + 1 :] if after.dep in {"prep", "agent"})
        relation = next((table()[each] for each in (*pairs, word.lemma) if each in table()), None)
        if relation is not None:
            name = relation.removeprefix("<")
            return Predicate(name, VERB_SIGNS.get(word.lemma, relation_sign(name)), word.index, name != relation)
    return Predicate()


def predicates_of(sign: int) -> Iterator[str]:
    """Yield the entries of predicates.tsv with a sign (+1 or -1)."""
    for words, relation in table().items():
        if VERB_SIGNS.get(words, relation_sign(relation.removeprefix("<"))) == sign:
            yield words


@lru_cache(maxsize=1)
def table() -> Mapping[str, str]:
    """Return the relation of each entry of predicates.tsv. A leading "<" means that subject and object swap roles."""
    return dict(rows("knowhd", "predicates.tsv"))
