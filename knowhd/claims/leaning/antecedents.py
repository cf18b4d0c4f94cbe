"""What stands before a word in its sentence and may be what it means."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.frames import STUDIES
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked

if TYPE_CHECKING:
    from spacy.tokens import Token

_PEOPLE = lexicon.words("adult child individual infant man participant patient people person subject volunteer woman")
#: What only frames a claim is not what a pronoun in the claim means: "the evidence suggests that it ...".
_FRAMING = re.compile(rf"{STUDIES}|assumption|belief|fact|hypothesis|idea|model|possibility|theory|view|al", re.I)
_NO_CLAUSE = frozenset({"aux", "auxpass", "amod", "compound"})
#: How a clause hangs from one that says something of its own, and how from any, whatever the parser takes its verb for.
_BESIDE = frozenset({"advcl", "conj", "parataxis"})
_CLAUSES = frozenset({"ROOT", "advcl", "ccomp", "relcl"})


class Antecedents:
    """What the words of a sentence may mean that stands before them.

    Args:
        parsed: The sentence.
    """

    def __init__(self, parsed: Masked) -> None:
        self._parsed = parsed
        nouns = (t for t in parsed.doc if t.pos_ in {"NOUN", "PROPN"} or parsed.hides(t))
        self._nouns = [t for t in nouns if not _FRAMING.fullmatch(t.text)]

    def nouns(self, token: "Token") -> Iterator["Token"]:
        """All nouns before a word."""
        return (noun for noun in self._nouns if noun.i < token.i)

    def free(self, token: "Token") -> Iterator["Token"]:
        """The nouns that a personal or possessive pronoun is free to mean.

        "It" means no argument of its own verb, "its" may. What stands in front ("in the brain, its") is only where
        something happens, unless it is people. A pronoun in front may mean the subject behind it ("through its target,
        A does B").
        """
        own = clause(token)
        behind = _fronted(token)
        if behind is not None and behind in self._nouns:
            yield behind
        owned = token.tag_ == "PRP$" and not _in_subject(token, own)
        actor = doer(own)
        for noun in self.nouns(token):
            apart = clause(noun) != own and noun != actor
            if apart or owned or (token.tag_ == "PRP$" and noun.lemma_.lower() in _PEOPLE):
                yield noun

    def kinds(self, token: "Token") -> Iterator["Token"]:
        """The nouns before a word that are no names: what "that of" and "one" mean again."""
        return (noun for noun in self.nouns(token) if noun.pos_ == "NOUN" and not self._parsed.hides(noun))

    def several(self, noun: "Token") -> bool:
        """Whether a noun is of several things, or is named with another."""
        joined = noun.dep_ == "conj" or any(child.dep_ == "conj" for child in noun.children)
        return joined or self.plural(noun)

    def plural(self, noun: "Token") -> bool:
        """Whether a noun is a plural; a name is by its ending."""
        named = self._parsed.hides(noun) and re.search(r"[^suiy]s$", self._parsed.original([noun]))
        return noun.tag_ in {"NNS", "NNPS"} or bool(named)


def clause(token: "Token") -> "Token":
    """The verb that heads the clause of a word, or of a verb itself; the root where there is no verb."""
    while not _heads(token):
        token = token.head
    return token


def _heads(token: "Token") -> bool:
    verb = token.pos_ in {"VERB", "AUX"} and token.dep_ not in _NO_CLAUSE
    return verb or token.dep_ in _CLAUSES


def doer(verb: "Token") -> "Token | None":
    """Who does what a verb says: its subject, the noun that it qualifies, or who does what the verb above it says."""
    own = next((child for child in verb.children if child.dep_ in SUBJECTS), None)
    if own is not None and not (verb.dep_ == "relcl" and own.tag_ in {"WDT", "WP"}):
        return own
    if verb.dep_ in {"acl", "relcl"}:
        return verb.head
    return None if verb.head == verb else doer(clause(verb.head))


def told_before(token: "Token") -> bool:
    """Whether another clause stands before a word and says something of its own; "we found that" does not."""
    own = clause(token)
    above = {own, *_linked(own)}
    return any(
        verb != own and (verb in above or verb not in set(own.ancestors))
        for verb in token.doc[: token.i]
        if _heads(verb) and verb.dep_ in {"ROOT", "ccomp", *_BESIDE}
    )


def _linked(verb: "Token") -> Iterator["Token"]:
    """The verbs above a verb that it only stands beside; "to lower B" and "lowering B" are part of what is above."""
    while verb.dep_ == "conj" or (verb.dep_ in _BESIDE and any(c.dep_ in SUBJECTS for c in verb.children)):
        verb = clause(verb.head)
        yield verb


def _in_subject(token: "Token", verb: "Token") -> bool:
    """Whether a word is of the subject of a verb."""
    steps = [token, *token.ancestors]
    return any(step.dep_ in SUBJECTS and step.head == verb for step in steps)


def _fronted(token: "Token") -> "Token | None":
    """The subject that stands behind a word of what is in front of it."""
    for step in token.ancestors:
        subject = next((c for c in step.children if c.dep_ in SUBJECTS), None)
        if subject is not None and subject.left_edge.i > token.i:
            return subject
    return None
