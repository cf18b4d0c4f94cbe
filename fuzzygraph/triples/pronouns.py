"""Whom "it" and "they" mean: what played the same part in the claim before.

"Warfarin prevents thrombosis, but it can cause bleeding": who prevents is who causes. "Lithium causes goitre, and it is
treated with thyroxine": what is caused is what is treated, though one is an object and the other a subject. Where no
claim stands before, the nearest subject is meant. A pronoun that nothing explains stays, and says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from fuzzygraph.triples.phrases import End, ends
from fuzzygraph.triples.syntax import Tree, Word
from fuzzygraph.triples.triple import Triple

Part = Literal["subject", "object"]

_ONE, _SEVERAL = frozenset({"it"}), frozenset({"they", "them"})
_PARTS: tuple[Part, Part] = ("subject", "object")


def resolved(tree: Tree, claims: Iterable[Triple], before: Sequence[Triple] = ()) -> list[Triple]:
    """Claims with what their pronouns mean, flagged `pronoun_subject` or `pronoun_object`.

    Args:
        tree: Their sentence.
        claims: Its claims, in order.
        before: The claims before them, in order; their offsets count from where this sentence starts.

    Returns:
        The same claims; one for each that "they" means; a pronoun that stays is flagged `unresolved_pronoun`.
    """
    found: list[Triple] = []
    for claim in claims:
        told = [claim]
        for part in _PARTS:
            told = [each for one in told for each in _explained(tree, one, part, [*before, *found])]
        found += told
    return found


def shifted(claims: Iterable[Triple], by: int) -> tuple[Triple, ...]:
    """Claims as a later sentence sees them that starts `by` characters after theirs."""
    return tuple(replace(claim, subject=_moved(claim.subject, by), object=_moved(claim.object, by)) for claim in claims)


def _moved(end: End, by: int) -> End:
    word = replace(end.word, start=end.word.start - by, end=end.word.end - by)
    return replace(end, start=end.start - by, end=end.end - by, word=word)


def _explained(tree: Tree, claim: Triple, part: Part, known: Sequence[Triple]) -> list[Triple]:
    """A claim with one of its ends explained, once for each thing that it means."""
    pronoun = _end(claim, part).word
    if pronoun.named or pronoun.lemma not in _ONE | _SEVERAL:
        return [claim]
    other = _end(claim, "object" if part == "subject" else "subject").word
    meant = [end for end in _meant(tree, pronoun, part, known) if end.word.start != other.start]
    if not meant or (pronoun.lemma in _ONE and len(meant) > 1):
        return [replace(claim, flags=(*claim.flags, "unresolved_pronoun"))]
    return [_instead(claim, part, end) for end in meant]


def _instead(claim: Triple, part: Part, end: End) -> Triple:
    """A claim with another end, whose own sign it takes up."""
    flags = [flag for flag in claim.flags if part == "object" or flag != "generic_subject"]
    flags += [f"pronoun_{part}", *(["reversed"] if end.sign < 0 and "reversed" not in flags else [])]
    told = replace(claim, flags=tuple(flags), sign=-claim.sign if end.sign < 0 else claim.sign)
    return replace(told, subject=end) if part == "subject" else replace(told, object=end)


def _meant(tree: Tree, pronoun: Word, part: Part, known: Sequence[Triple]) -> list[End]:
    """What a pronoun means: its part in the nearest claim before, else the nearest subject before or the main."""
    if tree.children(tree.head(pronoun), "ccomp"):  # "it is known that"
        return []
    earlier = [claim for claim in known if _fits(_end(claim, part), pronoun)]
    if earlier:
        last = earlier[-1]
        beside = [claim for claim in earlier if claim.predicate == last.predicate]
        return list({end.word.start: end for claim in beside for end in (_end(claim, part),)}.values())
    subjects = [word for word in tree.words if word.dep in {"nsubj", "nsubjpass"} and word != pronoun]
    before = [word for word in subjects if word.index < pronoun.index]
    aside = next((word for word in tree.above(pronoun) if word.dep == "advcl"), None)
    main = [word for word in subjects if aside is not None and word.head == aside.head]
    found = [ends(tree, word, doing=True) for word in [*reversed(before), *main]]
    return next((few for few in found if not any(end.generic for end in few)), [])


def _fits(end: End, pronoun: Word) -> bool:
    """Whether an end stands before a pronoun and says who it is."""
    return end.word.start < pronoun.start and not end.generic


def _end(claim: Triple, part: Part) -> End:
    return claim.subject if part == "subject" else claim.object
