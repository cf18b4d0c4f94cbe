"""Which words of a sentence say something about two things in it: those on the way between them, and beside it.

A way through "by ...ing", "without ...ing" or a second verb starts afresh there, since what stands above it is said of
something else ("lowers glucose by activating AMPK").
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.rules.groups import CONTROLS, describes_a_group
from knowhd.rules.signs import own_sign
from knowhd.rules.ways import abreast

if TYPE_CHECKING:
    from spacy.tokens import Token

_MODIFIERS = frozenset({"amod", "compound", "nmod", "npadvmod", "advmod", "neg", "det", "prt", "acomp", "attr", "oprd"})
_AFRESH = frozenset({"advcl", "relcl", "acl", "ccomp"})


def said_between(way: Sequence["Token"], top: "Token") -> tuple["Token", list["Token"]] | None:
    """The word that governs what is said of two things, and all that say it.

    Args:
        way: The way between the two.
        top: Where it turns.

    Returns:
        None where one of the two is only the stage of what is done to a third thing.
    """
    if abreast(way, top):
        return _governing(top)
    said, acted = _said(way, top), _acted_on(way, top)
    if acted is not None and not _tells_of_disease(acted):
        return None
    return top, said + ([acted] if acted is not None and acted not in said else [])


def without(way: Sequence["Token"], top: "Token") -> list["Token"]:
    """The "without" before one of the two, where no third thing is acted on, or "unless": "without A, B rose"."""
    unless = [c for t in way for c in t.children if c.dep_ == "mark" and c.lower_ == "unless"]
    if any(child.dep_ in {"dobj", "nsubjpass"} and child not in {way[0], way[-1]} for child in top.children):
        return unless  # "A lowers C without B"
    ends = {way[0].head, way[-1].head}
    return unless + [t for t in way if t.lower_ == "without" and t.dep_ == "prep" and t in ends]


def _said(way: Sequence["Token"], top: "Token") -> list["Token"]:
    """The tokens that say something about the pair: the way from its last fresh start on, and their modifiers."""
    at = way.index(top)
    fresh = max((i for i in range(at + 1, len(way)) if _starts_afresh(way[i])), default=0)
    kept = [way[0], *way[max(fresh - 1, 0) :]] if fresh and way[fresh].dep_ == "pcomp" else [way[0], *way[fresh:]]
    kept = [t for t in dict.fromkeys(kept) if not _done_by(t, way, top)]
    modifiers = [
        child
        for token in kept
        for child in token.children
        if child not in way and child.dep_ in _MODIFIERS and not (child.dep_ == "attr" and token != top)
        # "Z-induced" says what Z did to it
        if (child.i == 0 or child.nbor(-1).text != "-") and not _compares(child)
    ]
    finer = [grandchild for m in modifiers for grandchild in m.children if grandchild.dep_ == "advmod"]
    return [*kept, *modifiers, *finer]


def _compares(token: "Token") -> bool:
    """Whether a word compares how well or how often a thing is done, and says nothing of which way."""
    apart = token.dep_ == "amod" or lexicon.sign_of(token.head.lemma_) != 0
    return token.tag_ == "RBR" and apart and any(child.lower_ == "than" for child in token.children)


def _done_by(token: "Token", way: Sequence["Token"], top: "Token") -> bool:
    """Whether a noun on the way is what one of the two does to something else: "inhibition of Z by A reduces B"."""
    if token == top or token.pos_ not in {"NOUN", "PROPN"}:
        return False
    mutual = {"with"} if lexicon.base(token.lemma_, lexicon.RELATING) else set()
    return any(t.head == token and t.dep_ == "prep" and t.lower_ in lexicon.MEANS - mutual for t in way)


def _acted_on(way: Sequence["Token"], top: "Token") -> "Token | None":
    """What a verb acts on, where one of the two is only the stage: "bleeding" in "A increases bleeding in B"."""
    staging = [i for i, t in enumerate(way) if t.dep_ == "prep" and t.lower_ in lexicon.STAGING]
    doing = [way[i].head for i in staging if way[i].head.dep_ == "pcomp"]  # "good at inducing remission in B"
    if done := [c for verb in doing for c in verb.children if c.dep_ == "dobj" and c not in way]:
        return done[0]
    if any(way[i].head == top for i in staging):
        return next((c for c in top.children if c.dep_ in {"dobj", "nsubjpass"} and c not in way), None)
    falling = [way[i - 1] for i in staging if i > way.index(top) + 1]
    return next((t for t in falling if t.pos_ in {"NOUN", "PROPN"} and not CONTROLS.fullmatch(t.text)), None)


def _tells_of_disease(acted: "Token") -> bool:
    """Whether more or less of something says more or less of the disease on whose stage it happens."""
    tables = (lexicon.OUTCOMES, lexicon.COURSE, lexicon.RELATING, lexicon.RISKING, lexicon.REMEDYING)
    return own_sign(acted) != 0 or any(lexicon.base(acted.lemma_, table) for table in tables)


def _governing(top: "Token") -> tuple["Token", list["Token"]]:
    """What two coordinated things stand under, if it relates them to each other: "association between A and B".

    A verb with an object of its own ("A and B reduce C") says nothing about the two.
    """
    while top.dep_ in {"pobj", "prep", "conj", "nmod", "compound"}:
        top = top.head
    relates = lexicon.base(top.lemma_, lexicon.RELATING)
    over = top.head if top.dep_ in {"nsubj", "nsubjpass"} and not relates else top
    passing = any(child.dep_ in {"dobj", "prep"} for child in over.children) and over.pos_ == "VERB"
    return over, [] if passing else [over, *(child for child in over.children if child.dep_ in _MODIFIERS)]


def _starts_afresh(token: "Token") -> bool:
    if token.dep_ == "pcomp":
        return token.head.lower_ in lexicon.MEANS
    if describes_a_group(token):
        return False
    return token.dep_ in _AFRESH or (token.dep_ == "conj" and token.pos_ in {"VERB", "AUX"})
