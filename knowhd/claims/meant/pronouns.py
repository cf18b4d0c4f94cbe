"""What "it", "them", "its" and "their" mean that are no subjects: the only thing that they can mean.

Of what the clause before names, a thing is ruled out that disagrees in number, that is another argument of the
pronoun's own verb ("A blocks it" is not of A), or that cannot be done what the verb says ("prevents it" is of no drug).
Where something was lowered or harmed, it alone is restored. What a verb is about comes first ("A is lowered in the
brain; B restores it"), then where that is. If several are left, the pronoun stays. Who "it" is as a subject is told
where statements are made (`clauses`).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.leaning.antecedents import Antecedents, clause, doer
from knowhd.claims.leaning.expletive import expletive
from knowhd.claims.meant.instead import Instead, pieces
from knowhd.claims.meant.told import Thing, Told, thing, told

if TYPE_CHECKING:
    from spacy.tokens import Token

_PLURAL = {"it": False, "its": False, "them": True, "their": True}
#: As subjects before a pronoun they mean the same, whatever that is.
_POINTING = lexicon.words("it they this these that those")
_OBJECTS = frozenset({"dobj", "pobj"})
_JOINTS = lexicon.words("and but while whereas ;")
#: What is done only to what was less or worse before.
_RESTORING = lexicon.words("rescue recover restore normalise normalize reestablish re-establish")
#: Types of concepts to which a verb cannot be done.
_NEVER = {
    **dict.fromkeys(lexicon.words("alleviate ameliorate cure prevent relieve treat"), frozenset({"Chemical", "Gene"})),
    **dict.fromkeys(
        lexicon.words("activate degrade encode express inhibit phosphorylate silence ubiquitinate"),
        frozenset({"Chemical"}),
    ),
    **dict.fromkeys(
        lexicon.words("administer discontinue metabolise metabolize prescribe take tolerate withdraw"),
        frozenset({"Disease", "Gene"}),
    ),
}


def pronouns(parsed: Masked, before: Masked | None) -> Iterator[Instead]:
    """What each pronoun that is no subject means, where it can mean one thing only."""
    for token in parsed.doc:
        owning = token.tag_ == "PRP$"
        if token.lower_ not in _PLURAL or not (owning or token.dep_ in _OBJECTS) or expletive(token):
            continue
        meant = _meant(parsed, token, before)
        if meant and owning:
            yield from _owned(parsed, token, meant)
        elif meant:
            words = f"the {meant.words}" if _counted(token) and " " in meant.words else meant.words
            yield Instead(*parsed.offsets(token), words, pieces(meant.words))


def _meant(parsed: Masked, token: "Token", before: Masked | None) -> Thing | None:
    """The only thing that a pronoun can mean, if there is one."""
    own = clause(token)
    beside = told(parsed, parsed.offsets(own)[0]) if _joined(own) else []
    free = Antecedents(parsed)
    nearer = any(free.several(noun) == _PLURAL[token.lower_] for noun in free.free(token))
    nearer = nearer or any(t.dep_ in SUBJECTS and t.lower_ in _POINTING for t in parsed.doc[: token.i])
    known = beside or (told(before) if before is not None and not nearer else [])
    actor = thing(parsed, doer(own))
    if token.tag_ == "PRP$" and (_taken(token) or (actor and beside and actor.plural == _PLURAL[token.lower_])):
        return None
    barred = actor.words.lower() if actor and token.tag_ != "PRP$" else ""
    for rank in _ranks(known, own.lemma_.lower()):
        fitting = {t.words: t for t in rank if t.plural == _PLURAL[token.lower_] and t.words.lower() != barred}
        able = [t for t in fitting.values() if token.tag_ == "PRP$" or t.kind not in _NEVER.get(own.lemma_, ())]
        if fitting:
            return able[0] if len(able) == 1 else None
    return None


def _taken(token: "Token") -> bool:
    """Whether what is owned says already what it is of: "their risk of fracture"."""
    return any(child.lower_ == "of" for child in token.head.children)


def _joined(verb: "Token") -> bool:
    """Whether a verb's clause stands beside another; "rather than lower it" is part of the same."""
    return verb.dep_ == "conj" and any(t.lower_ in _JOINTS for t in verb.doc[verb.head.i : verb.i])


def _ranks(known: list[Told], verb: str) -> Iterator[list[Thing]]:
    """What may be meant, the likelier first: what was harmed, what the verbs were about, what else was named."""
    if verb in _RESTORING and (harmed := [each.object for each in known if each.object and _harms(each.verb)]):
        yield harmed
        return
    yield [each for told_ in known for each in (told_.doer, told_.object) if each]
    yield [each for told_ in known for each in told_.others]


def _harms(verb: str) -> bool:
    return lexicon.sign_of(verb) < 0 or verb in lexicon.WORSENING


def _owned(parsed: Masked, token: "Token", meant: Thing) -> Iterator[Instead]:
    """What is owned, told by its owner: "the levels of A" for "its levels"."""
    last = token.head
    yield Instead(*parsed.offsets(token), "the", ())
    end = parsed.offsets(last)[1]
    yield Instead(end, end, f" of {meant.words}", pieces(meant.words))


def _counted(token: "Token") -> bool:
    """Whether a pronoun is what something is a part of: "most of them"."""
    return token.head.lower_ == "of" and token.head.i > 0 and token.head.nbor(-1).dep_ not in {"ROOT"}
