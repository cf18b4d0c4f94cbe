"""The way between two words in a dependency parse: where it turns, and which end of it acts on the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundwork.polarity import Sign

if TYPE_CHECKING:
    from spacy.tokens import Token

#: How what hangs from a verb takes part in what it says: doing, or having done to it.
_ACTING = {"nsubj": 1, "csubj": 1, "agent": 1, "dobj": -1, "nsubjpass": -1}


def way_between(a: "Token", b: "Token") -> tuple[list["Token"], "Token"]:
    """The tokens from a up to where the two meet and down to b, and the meeting token; nothing if they never meet."""
    up, down = [a, *a.ancestors], [b, *b.ancestors]
    below = {token.i for token in down}
    meeting = next((token for token in up if token.i in below), None)
    if meeting is None:
        return [], a
    rising = up[: up.index(meeting) + 1]
    falling = down[: down.index(meeting)]
    return [*rising, *reversed(falling)], meeting


def leading(way: Sequence["Token"], top: "Token") -> Sign:
    """Which end of a way acts on the other: the subject of the verb where it turns, or in the passive its agent."""
    at = way.index(top)
    if not 0 < at < len(way) - 1:
        return 0
    left, right = (_ACTING.get(way[i].dep_, 0) for i in (at - 1, at + 1))
    return 1 if left > right else -1 if left < right else 0


def abreast(way: Sequence["Token"], top: "Token") -> bool:
    """Whether the two are members, or parts of members, of one coordination of nouns: "levels of A and of B"."""
    if all(token.dep_ == "conj" or token == top for token in way):
        return True
    at = way.index(top)
    joined = at + 1 < len(way) and way[at + 1].dep_ == "conj" and top.pos_ in {"NOUN", "PROPN"}
    return joined and (at == 0 or way[at - 1].dep_ in {"prep", "compound", "nmod", "appos"})
