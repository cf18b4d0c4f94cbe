"""What something is said to do on its way to something else: "A lowers B by activating C", "A inhibits B, thereby ...".

The subject is said to do both, so both are claims. Where the first is denied, doubted, possible only or has
circumstances of its own, it is not clear whether they hold of the second, and the sentence stays whole.
"""

import re
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.shown import capital
from knowhd.claims.reasons import CONDITION, WEIGHED, balanced, whole
from knowhd.claims.verbs import relates

if TYPE_CHECKING:
    from spacy.tokens import Token

_THUS = lexicon.words("thereby thus hence")
#: Verbs that say nothing without the means: "acts by inhibiting".
_EMPTY = lexicon.words("act begin do end function occur operate start work")
#: Means that are no doing of a substance or gene.
_HANDLING = lexicon.words("add compare give measure study take test use")
#: Participles that say what follows for whoever reads, not what is done: "indicating".
_TELLING = lexicon.words("correlate indicate involve predict relate suggest target")
_FRONT = re.compile(r"^By (?P<means>[a-z]+ing [^,;:]+), (?P<said>[^,;:]+?)[.!]?$")
#: What makes of a verb more than "A does B".
_FURTHER = (SUBJECTS - {"nsubj"}) | {"aux", "auxpass", "neg", "conj", "ccomp"}
#: Verbs whose past is not formed with -ed.
_IRREGULAR = lexicon.words(
    """bear become begin bind break bring build choose cut drive fall find get give go grow hold keep lead leave let
    lose make put rise see send shrink spend spread take"""
)


def behind(text: str) -> str:
    """A sentence with the means that it puts in front behind what is done: "A lowers C by inhibiting B".

    As it is where no such thing stands in front, or where other commas leave open how far what is done goes.
    """
    found = _FRONT.match(text)
    return f"{capital(found['said'])} by {found['means']}." if found else text


def both(parsed: Masked) -> tuple[str, str] | None:
    """What the subject of a sentence does, and by what it does it or what it thereby does, as two sentences.

    Args:
        parsed: One sentence.

    Returns:
        None where the sentence says no such thing, or it is not clear that it asserts both.
    """
    sentences = list(parsed.doc.sents)
    if len(sentences) != 1:  # none is left of a heading, whose words only say which part of the text follows
        return None
    sentence, root = sentences[0], sentences[0].root
    doing = next((t for t in sentence if _does(t, root)), None)
    if doing is None or not _plain(root, doing) or CONDITION.search(parsed.text):
        return None
    doings = [doing, *(c for c in doing.children if c.dep_ == "conj" and c.tag_ == "VBG")]
    words = [_like(root, each) for each in doings]
    joint = doing.head if doing.dep_ == "pcomp" else doing.nbor(-1)
    first = parsed.text[: parsed.offsets(joint)[0]].rstrip(" ,")
    first = re.sub(r",? and$", "", first)
    if not all(words) or WEIGHED.search(first) or list(doing.subtree)[-1].i < _last(sentence[-1]).i:
        return None
    second, at = parsed.text[: parsed.offsets(root)[0]], parsed.offsets(doing)[0]
    for each, word in zip(doings, words, strict=True):
        start, end = parsed.offsets(each)
        second, at = f"{second}{parsed.text[at:start]}{word}", end
    second += parsed.text[at:]
    return (whole(first), whole(second)) if balanced(first) and balanced(second) else None


def _does(token: "Token", root: "Token") -> bool:
    """Whether a participle with an object tells a means, or what is thereby done, of what the sentence says."""
    effect = lexicon.LEADING_TO.get(str(token.lemma_), ("", ""))[0]  # "leading to"
    acting = any(c.dep_ == "dobj" or (c.dep_ == "prep" and c.lower_ == effect) for c in token.children)
    if token.tag_ != "VBG" or not acting or token.lemma_ in _HANDLING:
        return False
    if token.dep_ == "pcomp":
        return token.head.lower_ == "by" and bool(token.head.head == root)
    before = str(token.nbor(-1).lower_) if token.i else ""
    thus = before in _THUS or (before == "," and relates(str(token.text)) and token.lemma_ not in _TELLING)
    return token.dep_ == "advcl" and bool(token.head == root) and thus


def _plain(root: "Token", doing: "Token") -> bool:
    """Whether a sentence says without reserve that its subject does something."""
    if root.tag_ not in {"VBZ", "VBP", "VBD"} or root.pos_ != "VERB" or root.lemma_ in _EMPTY:
        return False
    below = {t.i for t in doing.subtree}
    ahead = [t for t in root.subtree if t.i < doing.i and t.i not in below]
    reserved = any({t.lower_, t.lemma_.lower()} & (lexicon.HEDGING | lexicon.DENYING) for t in ahead)
    effect = lexicon.LEADING_TO.get(str(doing.lemma_), ("", ""))[0]
    placed = any(
        t.dep_ == "prep" and t.i > root.i and t.lower_ not in {"of", "by"} and (t.head != doing or t.lower_ != effect)
        for t in root.subtree
    )
    acting = any(c.dep_ == "nsubj" and c.i < root.i and not c.tag_.startswith("W") for c in root.children)
    other = any(c.dep_ in _FURTHER for c in root.children)
    return acting and not reserved and not placed and not other


def _like(verb: "Token", participle: "Token") -> str:
    """A participle in the tense and number of another verb; empty where its form is not known."""
    lemma, stem = str(participle.lemma_), str(participle.text)[:-3]
    if lemma.endswith("ing") or not (lemma == stem or lemma == f"{stem}e" or stem.startswith(lemma)):
        return ""
    if verb.tag_ == "VBD":
        return "" if lemma in _IRREGULAR else re.sub(r"(?<=[^aeiou])y$", "i", stem) + "ed"
    if verb.tag_ == "VBP":
        return lemma
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", lemma) else "s")


def _last(token: "Token") -> "Token":
    """The last word up to a token."""
    while token.is_punct and token.i > token.sent.start:
        token = token.nbor(-1)
    return token
