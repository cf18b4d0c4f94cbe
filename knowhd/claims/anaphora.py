"""Resolve words that refer to something outside their clause: "it", "both", "its loss", "that of", "this drug"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from groundwork.linking import Mention
from groundwork.reading.tree import Tree, Word, parse
from knowhd.claims.clauses import HELPING, NOUNS, SUBJECTS, Clause, plural, singular

_MANY = frozenset({"they", "them", "their", "theirs"})
_PERSONAL = frozenset({"it", "its", "he", "him", "his", "she", "her"}) | _MANY
_POINTING = frozenset({"this", "these", "that", "those", "such", "both", "former", "latter"})
_TRIGGER = re.compile(rf"\b(?:{'|'.join(sorted(_PERSONAL | _POINTING))})\b", re.I)
_HYPHENS = frozenset("-\u2010\u2011\u2013")
_SLOTS = SUBJECTS | {"dobj", "pobj", "attr"}
#: Words for all members of a list, alone or with their number: "both", "all three drugs"; and the maximum number of
#: words in such a phrase.
_ALL = frozenset({"they", "both", "all", "each", "these"})
_LONGEST = 3
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5}


@dataclass(frozen=True)
class Context:
    """What the preceding clauses were about.

    Args:
        members: The phrases that the last subject joins, such as "A" and "B", each as (words, whether plural).
        owner: What "its" refers to: the concept in the last subject, or the whole subject if it does not name exactly
            one concept.
        measured: What "that of" refers to: the last noun followed by "of", with the words of its phrase before it.
    """

    members: tuple[tuple[str, bool], ...] = ()
    owner: str = ""
    measured: str = ""


def resolved(clause: Clause, before: Context) -> list[Clause]:
    """Replace the words of a clause that refer to a preceding clause by the words that they stand for.

    A pronoun as subject refers to the preceding subject if both are singular or both are plural. "That of" refers to
    the last preceding noun that is followed by "of".

    Returns:
        A list with one clause. If the subject refers to a list ("both"), one clause per member of the list.
    """
    subject = clause.below(clause.subject)
    if _stands_for(clause, subject, before.members):
        blank = {word.index: "" for word in subject}
        told = [(clause.tell(blank | {subject[0].index: name}), several) for name, several in before.members]
        return [each if several else singular(each) for each, several in told]
    return [clause.tell(dict(_inner(clause, subject, before)))]


def _stands_for(clause: Clause, subject: Sequence[Word], members: Sequence[tuple[str, bool]]) -> bool:
    """Return whether a subject such as "it", "they" or "all three drugs" refers to the preceding subject."""
    said = {word.text.lower() for word in subject}
    if not members or not said:
        return False
    several = len(members) > 1 or members[0][1]
    if said == {"it"}:
        return not several and not _expletive(clause.tree, subject[0])
    number = next((_NUMBERS[each] for each in said if each in _NUMBERS), None)
    counted = number == len(members) and bool(said & _ALL) and len(subject) <= _LONGEST
    return several and (counted or (said <= _ALL and number is None))


def _inner(clause: Clause, subject: Sequence[Word], before: Context) -> Iterator[tuple[int, str]]:
    """Yield (word index, new text) for "its" at the beginning of a subject, "that of", and pronouns in the subject."""
    first = subject[0] if subject else clause.head
    if len(before.members) == 1 and first.text.lower() == ("their" if before.members[0][1] else "its"):
        noun = clause.tree.words[first.head]
        yield from ((first.index, ""), (noun.index, f"{noun.text} of {before.owner}"))
    for word in clause.below(clause.head):
        of = any(child.text == "of" for child in clause.tree.children(word))
        if before.measured and of and word.text.lower() in {"that", "those"}:
            yield word.index, before.measured
        if word in subject and word.dep == "nsubj" and _stands_for(clause, [word], before.members[:1]):
            yield word.index, before.owner


def after(clause: Clause, told: Sequence[Clause], before: Context) -> Context:
    """Return the context after a clause, given its parts after splitting (`told`) and the context before it."""
    words = clause.below(clause.head)
    of = [each for each in words if each.tag in NOUNS and any(child.text == "of" for child in clause.children(each))]
    measured = clause.phrase(each for each in clause.below(of[-1]) if each.index <= of[-1].index) if of else ""
    who = clause.subject
    if who is None or who.dep == "expl" or who.tag == "PRP":
        return replace(before, measured=measured or before.measured)
    members = {_subject(each): plural(each.subject) for each in told if each.subject is not None}
    if not all(members):  # a subject that is no noun phrase cannot be repeated
        return Context(measured=measured or before.measured)
    named = [word for word in clause.below(who) if word.mention is not None]
    alone = len(named) == 1 and _compound(clause, named) == named
    return Context(tuple(members.items()), named[0].text if alone else _subject(clause), measured or before.measured)


def _subject(clause: Clause) -> str:
    """Return the words of a subject, or "" if they are no noun phrase.

    The first letter is made small unless it belongs to a name.
    """
    words = _compound(clause, [word for word in clause.below(clause.subject) if word.index < clause.head.index])
    spoken = [word for word in words if word.text[0].isalnum() and word.tag != "CD"]
    if not spoken or (spoken[-1].mention is None and spoken[-1].tag not in NOUNS | {"VBG"}):
        return ""
    text = clause.phrase(words)
    small = words[0].index == 0 and words[0].mention is None and words[0].text[1:].islower()
    return text[:1].lower() + text[1:] if small else text


def _compound(clause: Clause, words: Sequence[Word]) -> list[Word]:
    """Return words of a subject with the other words of their compound; no words if the compound is not complete.

    In "heparin-induced thrombocytopenia", the parser may separate the noun from the words with the hyphen.
    """
    if not words:
        return []
    known, first, last = clause.tree.words, words[0].index, words[-1].index
    helping = [each.index for each in clause.children() if each.dep in HELPING and each.index > last]
    while first > 1 and (hyphen := next((n for n in (first - 1, first - 2) if known[n].text in _HYPHENS), None)):
        first = hyphen - 1
    between = range(last + 1, min([clause.head.index, *helping]))
    nouns = [n for n in between if known[n].tag in NOUNS or known[n].mention is not None]
    if nouns and all(known[n].text not in {",", ";", ":"} for n in between):
        last = nouns[-1]
    if known[last].text[-1] in _HYPHENS or any(word.text in _HYPHENS for word in known[last + 1 : last + 2]):
        return []  # the verb is part of the compound
    kept = clause.words.union(word.index for word in words)
    return [word for word in known[first : last + 1] if word.index in kept]


def unresolved(text: str, mentions: tuple[Mention, ...]) -> bool:
    """Return whether a claim has a pronoun, or "this" with a noun, for which no earlier noun in the claim fits."""
    if not _TRIGGER.search(text):
        return False
    tree = parse(text, mentions)
    return any(_refers(tree, word) and not _named(tree, word) for word in tree.words)


def _refers(tree: Tree, word: Word) -> bool:
    """Return whether a word refers to something that is named elsewhere."""
    said, governor, children = word.text.lower(), tree.words[word.head], tree.children(word)
    if said in _PERSONAL:
        return not _expletive(tree, word)
    if said not in _POINTING or word.tag not in {"DT", "PDT", "JJ", "NN"}:
        return False
    if word.dep in {"det", "amod"}:
        direct = governor.dep in _SLOTS - {"pobj"} or tree.words[governor.head].text in {"of", "by"}
        return said in {"this", "these", "such"} and governor.tag in NOUNS and direct and word.index < governor.index
    return word.dep in _SLOTS and not any(child.dep in {"relcl", "acl"} or child.text == "with" for child in children)


def _expletive(tree: Tree, word: Word) -> bool:
    """Return whether "it" refers to nothing, as in "it is important to"."""
    governor = tree.words[word.head]
    complements = (child for each in (governor, *tree.children(governor)) for child in tree.children(each))
    clausal = {"ccomp", "csubj", *({"xcomp"} if governor.lemma in {"be", "seem", "appear"} else ())}
    return word.text.lower() == "it" and any(child.dep in clausal for child in complements)


def _named(tree: Tree, word: Word) -> bool:
    """Return whether an earlier noun can be what a pronoun or determiner refers to.

    For "this drug", the noun must be "drug" or end with "drug". A pronoun must agree with the noun in number.
    """
    noun = tree.words[word.head] if word.dep in {"det", "amod"} else None
    own = word.dep in SUBJECTS | {"dobj", "pobj"}  # "it" as object does not refer to the subject of the same verb
    verb = next((each for each in tree.above(word)[1:] if each.dep not in {"prep", "agent", "pobj"}), word)
    before = [each for each in tree.words[: word.index] if each.tag in NOUNS]
    before = [each for each in before if not (own and each.dep in SUBJECTS and each.head == verb.index)]
    if noun is not None:
        return any(each.lemma == noun.lemma or each.text.lower().endswith(noun.text.lower()) for each in before)
    several = word.text.lower() in _MANY | {"these", "those", "both"}
    return any(plural(each) == several or (several and each.dep == "conj") for each in before)
