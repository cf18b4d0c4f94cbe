"""A sentence taken apart into atomic statements by its parse: one predicate, one subject, one object each.

"Aspirin, which inhibits PTGS1, and ibuprofen cause bleeding and nausea" says five things. Coordinated verbs, subjects
and objects, and non-restrictive relative clauses, become statements of their own, however many there are. What is
said of several things together ("A and B interact", "the combination of A and B") stays together.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeVar

from knowhd.claims.asides import RELATIVE, aside, fringe, in_aside
from knowhd.claims.grammar.agreement import misread, plural_noun
from knowhd.claims.grammar.coordination import SUBJECTS, coordinations, others
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.undivided import undivided
from knowhd.claims.leaning.expletive import expletive
from knowhd.claims.wording import worded

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Statements of one predicate at most; "A, B and C cause D, E and F in G and H" makes eighteen.
MOST = 144

_PRONOUNS = {"it": False, "they": True}


#: A member of a list of things.
Member = TypeVar("Member")


@dataclass(frozen=True, slots=True)
class Statement:
    """One atomic statement.

    Attributes:
        text: Self-contained, in the words of the sentence.
        subject: What it is about, for a pronoun in what follows; empty if unknown.
        plural: Whether that is many.
        pronoun: `resolved`, `unresolved`, or empty where there was none.
        crowded: It lists more than is told one by one.
    """

    text: str
    subject: str = ""
    plural: bool = False
    pronoun: str = ""
    crowded: bool = False

    @property
    def flags(self) -> tuple[str, ...]:
        """What is to be said of a claim made of it."""
        pronoun = (f"pronoun_{self.pronoun}",) if self.pronoun else ()
        return (*pronoun, "crowded") if self.crowded else pronoun


def statements(parsed: Masked, before: Statement | None = None) -> list[Statement]:
    """The statements of one parsed sentence, in order.

    Args:
        parsed: The sentence.
        before: The statement before it in the text, for a pronoun as subject.

    Returns:
        At least one statement where the sentence has a predicate; a sentence that makes only one is kept as it is.
    """
    found: list[Statement] = []
    for predicate in _predicates(parsed):
        found += _spelled(parsed, predicate, found[-1] if found else before)
    if len(found) == 1 and not found[0].pronoun:
        return [replace(found[0], text=parsed.text.strip())]
    return found


def subjects(parsed: Masked) -> Iterator[str]:
    """What the verbs of a sentence's own clauses are about, in its words; not those of ", which ..."."""
    for predicate in _predicates(parsed):
        if not aside(predicate):
            yield parsed.original(_subject(predicate)[0])


def _predicates(parsed: Masked) -> Iterator["Token"]:
    """Verbs that head a statement: roots, verbs coordinated with one, and those of ", which ..."."""
    for sentence in parsed.doc.sents:
        heads = {sentence.root.i} if _predicative(sentence.root) else set()
        for token in sentence:
            coordinated = token.dep_ == "conj" and token.head.i in heads and _predicative(token)
            if coordinated or (heads and aside(token)):
                heads.add(token.i)
        yield from (token for token in sentence if token.i in heads)


def _predicative(token: "Token") -> bool:
    if misread(token):
        return True
    joined = token.dep_ == "conj" and not _alternative(token)
    return token.pos_ in {"VERB", "AUX"} and (joined or any(c.dep_ in SUBJECTS for c in token.children))


def _alternative(token: "Token") -> bool:
    """Whether a verb is one of two of which the other may be meant: "activates or inhibits"."""
    joints = {c.lower_ for c in (*token.head.children, *token.children) if c.dep_ in {"cc", "preconj"}}
    return "or" in joints and not any(c.dep_ == "neg" for c in token.head.children)


def _spelled(parsed: Masked, predicate: "Token", before: Statement | None) -> list[Statement]:
    """The statements of one predicate: one for each way of choosing a member of every coordination."""
    subject, silent = _subject(predicate)
    body = [t for t in predicate.subtree if t not in silent and t not in subject and not _elsewhere(t, predicate)]
    listed = [g for g in coordinations([*subject, *body], predicate) if not undivided(parsed, g, predicate)]
    groups = tellable(listed)
    stands_for, fate = _antecedent(parsed, subject, before)
    name, plural = stands_for or ("" if fate else parsed.original(subject), _many(parsed, subject))
    made: list[Statement] = []
    below, without = set(body), [others(group) for group in groups]
    for choice in product(*groups):
        dropped = {
            t.i
            for group, left, kept in zip(groups, without, choice, strict=True)
            for t in left[kept]
            if group[0] in below or t not in below  # what is said of several hangs from the first of them
        }
        about = [t for t in subject if t.i not in dropped]
        rest = [t for t in body if t.i not in dropped]
        alone = len(about) < len(subject) and not _many(parsed, about)
        words = stands_for[0] if stands_for else parsed.original(about)
        made.append(
            Statement(
                worded(parsed, words, about, rest, predicate, alone),
                name,
                plural,
                fate,
                len(groups) < len(listed),
            )
        )
    return made


def tellable(groups: list[list[Member]]) -> list[list[Member]]:
    """The coordinations of a predicate that are told one by one: the shortest that make `MOST` statements or fewer."""
    kept: list[list[Member]] = []
    for group in sorted(groups, key=len):
        if prod(map(len, kept)) * len(group) <= MOST:
            kept.append(group)
    return [group for group in groups if group in kept]


def _subject(predicate: "Token") -> tuple[list["Token"], list["Token"]]:
    """The subject's tokens, and tokens to leave out.

    A subject is the predicate's own, that of the verb it is coordinated with, or what "which" stands for.
    """
    own = next((c for c in predicate.children if c.dep_ in SUBJECTS), None)
    if own is None:
        return (_subject(predicate.head)[0] if predicate.dep_ == "conj" else []), []
    if own.lower_ in RELATIVE and predicate.dep_ == "relcl":
        noun, silent = predicate.head, [own]
    else:
        noun, silent = own, []
    tokens = [t for t in noun.subtree if not in_aside(t, noun)]
    if own == noun and noun.i < predicate.i:
        tokens = [t for t in tokens if t.i < predicate.i]  # an apposition to an object may hang from the subject
    while tokens[-1].dep_ in {"cc", "punct"} and len(tokens) > 1:  # it joins what follows
        tokens.pop()
    return tokens, silent


def _antecedent(
    parsed: Masked, subject: list["Token"], before: Statement | None
) -> tuple[tuple[str, bool] | None, str]:
    """What a pronoun as subject stands for, with its number, and its fate; nothing where there is no pronoun.

    The nearest subject before it that is no pronoun and agrees with it in number, in the same sentence or the
    statement before; where the two disagree it is left as it is.
    """
    if len(subject) != 1 or subject[0].lower_ not in _PRONOUNS or expletive(subject[0]):
        return None, ""
    pronoun = subject[0]
    nouns = [t for t in pronoun.sent if t.i < pronoun.i and t.dep_ in SUBJECTS and t.pos_ in {"NOUN", "PROPN"}]
    if nouns:
        tokens = [t for t in nouns[-1].subtree if not in_aside(t, nouns[-1])]
        candidate = (parsed.original(tokens), _many(parsed, tokens))
    else:
        candidate = (before.subject, before.plural) if before else ("", False)
    clear = candidate[0] != "" and candidate[1] == _PRONOUNS[pronoun.lower_]
    return (candidate, "resolved") if clear else (None, "unresolved")


def _elsewhere(token: "Token", predicate: "Token") -> bool:
    """Whether a token below a predicate belongs to another statement, or only joins the two."""
    if token == predicate:
        return False
    if fringe(token) and not aside(predicate):
        return True
    step = token
    while step != predicate:
        if (step.dep_ == "conj" and step.head == predicate and _predicative(step)) or aside(step):
            return True
        step = step.head
    joins = token.head == predicate and token.dep_ in {"cc", "punct"}
    return joins and any(c.dep_ == "conj" and _predicative(c) and c.i > token.i for c in predicate.children)


def _many(parsed: Masked, tokens: list["Token"]) -> bool:
    """Whether a subject is many: a plural noun, a plural name, or several things joined."""
    inside = {t.i for t in tokens}
    heads = [t for t in tokens if t.head.i not in inside]
    if any(c.dep_ == "conj" and c.i in inside for t in heads for c in t.children):
        return True
    return any(plural_noun(t) or re.search(r"[^suiy]s$", parsed.original([t])) for t in heads)
