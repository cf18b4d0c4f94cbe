"""What a clause refers to in the clauses before it: "it" to their subject, "both" to a list, "that of" to a noun."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from groundwork.reading.tree import Word
from knowhd.claims.clause import NOUNS, Clause
from knowhd.claims.verbs import plural, singular

_MANY = frozenset({"they", "their"})
_POSSESSIVE = frozenset({"its", "their"})
_PRONOUNS = frozenset({"it", "they"})
#: Words of a subject whose pronoun may be written as "of" with all of it.
_SHORT = 5
#: What stands for all members of a list, alone or with their number: "both", "all three drugs".
_ALL = frozenset({"they", "both", "all", "each", "these"})
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5}


@dataclass(frozen=True)
class Context:
    """What the clauses before a clause were about.

    Args:
        subject: The words of the last subject; empty before the first.
        several: Whether that was more than one thing.
        owner: The one concept that it names, which a possessive pronoun means; its own words if it names none.
        members: The members of the last subject, each with whether it is several things; empty if it was no list.
        measured: The last noun in front of an "of", with its article, for which "that of" stands.
    """

    subject: str = ""
    several: bool = False
    owner: str = ""
    members: tuple[tuple[str, bool], ...] = ()
    measured: str = ""


def resolved(clause: Clause, before: Context) -> list[Clause]:
    """Write in place of what refers to the clauses before what it refers to.

    A pronoun in the subject means the subject before, if both are one thing or both are several. "That of" means the
    last noun with an "of" if the clause has none in front of it.

    Returns:
        The clause; one for each member if its subject stands for a list.
    """
    if said := _for_list(clause, before):
        return [_of_member(clause, said, *member) for member in before.members]
    told = clause
    for index in sorted(clause.words):
        told = told.tell(dict(_told(told, clause.tree.words[index], before)))
    return [told]


def _told(clause: Clause, word: Word, before: Context) -> Iterator[tuple[int, str]]:
    """How a word that refers to the clauses before, and the words around it, are written."""
    said, children = word.text.lower(), clause.tree.children(word)
    same = before.subject and before.several == (said in _MANY)
    if said in _POSSESSIVE and same and before.owner and [word] == clause.below(clause.subject)[:1]:
        yield from owned(clause, word, before.owner).items()
    elif said in _PRONOUNS and same and _is_subject(clause, word) and not _expletive(clause):
        yield word.index, before.subject
    elif said in {"that", "those"} and before.measured and any(child.text == "of" for child in children):
        first = min((noun.index for noun in _measured(clause)), default=word.index)
        yield from [(word.index, before.measured)] if word.index <= first else []


def owned(clause: Clause, pronoun: Word, owner: str) -> dict[int, str]:
    """Return how a possessive pronoun and its noun are written with the owner's name: "its loss" as "loss of A"."""
    noun = clause.tree.words[pronoun.head]
    if any(child.text == "of" for child in clause.tree.children(noun)):
        return {pronoun.index: f"{owner}'s"}
    return {pronoun.index: "", noun.index: f"{noun.text} of {owner}"}


def _is_subject(clause: Clause, word: Word) -> bool:
    """Whether a word is the subject of a clause, or of a clause that is its subject: "whether it lowers B"."""
    who = clause.subject
    return word == who or (who is not None and who.dep == "csubj" and word.head == who.index and word.dep == "nsubj")


def _expletive(clause: Clause) -> bool:
    """Whether the subject of a clause stands for no thing: "it is important to"."""
    below = [*clause.children(), *(each for child in clause.children() for each in clause.children(child))]
    empty = clause.head.lemma in {"be", "seem", "appear"}
    return empty and any(word.dep in {"xcomp", "ccomp", "acl"} for word in below)


def _for_list(clause: Clause, before: Context) -> list[Word]:
    """The words of a subject that stands for the list before, such as "they" or "all three drugs"; else none."""
    words = clause.below(clause.subject)
    said = {word.text.lower() for word in words}
    number = next((_NUMBERS[each] for each in said if each in _NUMBERS), None)
    alone = said <= _ALL | _NUMBERS.keys() | {"of", "them"}
    counted = number == len(before.members) and (alone or (bool(said & _ALL) and len(words) <= 3))
    return words if before.members and (counted or (alone and number is None)) else []


def _of_member(clause: Clause, subject: Sequence[Word], member: str, several: bool) -> Clause:
    """A clause said of one member of a list instead of all."""
    told = clause.tell({word.index: "" for word in subject} | {subject[0].index: member})
    return told if several else singular(told)


def after(clause: Clause, told: Sequence[Clause], before: Context) -> Context:
    """Return the context after a clause.

    Args:
        clause: The clause.
        told: What it was told apart into.
        before: Its own context.
    """
    nouns = ([word for word in clause.below(noun) if word.index <= noun.index] for noun in _measured(clause))
    measured = [_small(clause, words) for words in nouns] or [before.measured]
    known = replace(before, measured=measured[-1])
    words, who = _subject(clause), clause.subject
    if who is None or not words or who.dep == "expl" or who.tag == "PRP":
        return known
    named = [word.text for word in words if word.mention is not None]
    text, several = _small(clause, words), plural(who) or any(word.dep == "conj" for word in words)
    owner = named[0] if len(named) == 1 else text if len(words) <= _SHORT else ""
    found = {_small(each, _subject(each)): plural(each.subject) for each in told if each.subject and _subject(each)}
    members = tuple(found.items()) if len(found) > 1 else ()
    return replace(known, subject=text, several=several, owner=owner, members=members)


def _subject(clause: Clause) -> list[Word]:
    return [word for word in clause.below(clause.subject) if word.index < clause.head.index]


def _measured(clause: Clause) -> list[Word]:
    """The nouns of a clause with an "of" behind them."""
    words = (clause.tree.words[index] for index in sorted(clause.words))
    return [word for word in words if word.tag in NOUNS and any(child.text == "of" for child in clause.children(word))]


def _small(clause: Clause, words: Sequence[Word]) -> str:
    """Some words of a clause, their first letter small if it is no name's."""
    text, first = clause.phrase(words), words[0]
    ordinary = first.index == 0 and first.mention is None and first.tag != "NNP" and first.text[1:].islower()
    return text[:1].lower() + text[1:] if ordinary else text
