"""What "this drug", "the enzyme" and "these proteins" mean: the thing, or the things, of that type named before."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.leaning.antecedents import clause
from knowhd.claims.meant.instead import Instead, inside

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Words for things of a type of concept.
_KINDS = {
    "Chemical": lexicon.words("agent chemical compound drug medication medicine molecule substance"),
    "Gene": lexicon.words("cytokine enzyme gene kinase oncogene phosphatase protease protein receptor"),
    "Disease": lexicon.words("disease disorder illness syndrome"),
}
#: Behind a mere "the" they are more often something else, of what was named: "A binds its receptor. The receptor ..."
_BELONGING = lexicon.words("agent cytokine molecule oncogene phosphatase protease receptor")
#: What joins a list.
_JOINT = re.compile(r", |,? and ")
_POINTING = frozenset({"the", "this", "these", "both"})
_ROLES = SUBJECTS | {"dobj", "pobj"}


def kinds(parsed: Masked, before: Masked | None) -> Iterator[Instead]:
    """Names for what a sentence points to by its type.

    "This" and "the" mean the only thing of the type, "these" those of the only list, "both" its two: of what stands
    before it in the sentence, or else of the sentence before. What may mean something else stays as it is.
    """
    for token in _pointing(parsed):
        noun = token.head
        own = [mention for mention in parsed.mentions if _stands_before(parsed, mention, token)]
        named = _named(noun, parsed.text, own) or (_named(noun, before.text, before.mentions) if before else [])
        if _fits(token, len(named)) and not _said_before(noun, parsed, before):
            words = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
            yield Instead(parsed.offsets(token)[0], parsed.offsets(noun)[1], words, tuple(named))


def _pointing(parsed: Masked) -> Iterator["Token"]:
    """Each word that points and whose noun has no other word to it."""
    for token in parsed.doc:
        noun = token.head
        alone = noun.i == token.i + 1 and list(noun.children) == [token] and noun.dep_ in _ROLES
        belongs = token.lower_ == "the" and noun.lemma_.lower() in _BELONGING
        if token.lower_ in _POINTING and token.dep_ in {"det", "predet"} and alone and not belongs:
            yield token


def _stands_before(parsed: Masked, mention: Mention, token: "Token") -> bool:
    """Whether a mention stands before a word and is not of the same clause, where it would be another thing."""
    place = parsed.place(mention)
    return bool(place.start < token.i) and (token.head.dep_ in SUBJECTS or clause(place.root) != clause(token))


def _fits(token: "Token", number: int) -> bool:
    """Whether so many things may be meant."""
    if token.lower_ == "both":
        return number == 2
    return number == 1 if token.head.tag_ == "NN" else number > 1


def _said_before(noun: "Token", parsed: Masked, before: Masked | None) -> bool:
    """Whether the noun itself stands before, so that it may mean that: "A and another drug ... the drug"."""
    here = [t for t in parsed.doc[: noun.i] if not parsed.hides(t)]
    there = [t for t in before.doc if not before.hides(t)] if before else []
    return any(t.lemma_ == noun.lemma_ for t in (*here, *there))


def _named(noun: "Token", text: str, mentions: Iterable[Mention]) -> list[str]:
    """The things that a noun may mean, as they are written; none where they are not in one list."""
    every = [m for m in mentions if m.key and noun.lemma_.lower() in _KINDS.get(m.key.split("|")[0], ())]
    typed = list({m.key: m for m in reversed(every)}.values())[::-1]
    listed = all(_JOINT.fullmatch(text, one.end, other.start) for one, other in pairwise(typed))
    names = {m.key: m.text if m.start else inside(m.text, (m.key or "").split("|")[0]) for m in typed}
    return list(names.values()) if listed else []
