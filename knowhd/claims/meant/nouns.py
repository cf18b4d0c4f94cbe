"""What "these mutations" means: the only "mutations in A" of the sentence before."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.meant.instead import Instead, pieces
from knowhd.claims.meant.told import thing

if TYPE_CHECKING:
    from spacy.tokens import Token

_POINTING = lexicon.words("this these such")
_FRACTIONS = lexicon.words("all double half most twice")
_ANY = re.compile(r"^an? ", re.I)


def nouns(parsed: Masked, before: Masked | None) -> Iterator[Instead]:
    """What each "this mutation" is called in full, where the sentence before names one thing by that noun."""
    for token in parsed.doc if before is not None else ():
        noun = token.head
        alone = noun.i == token.i + 1 and list(noun.children) == [token] and noun.tag_ in {"NN", "NNS"}
        if before is None or token.lower_ not in _POINTING or not alone or _stands_before(noun, parsed):
            continue
        same = [t for t in before.doc if t.lemma_ == noun.lemma_ and t.pos_ == "NOUN" and not before.hides(t)]
        full = thing(before, same[0]) if len(same) == 1 and same[0].tag_ == noun.tag_ else None
        if full and any(child.dep_ == "prep" for child in same[0].children) and not _part(same[0]):
            words = _ANY.sub("the ", full.words, count=1)
            counted = token.i > 0 and token.nbor(-1).lower_ == "of" and not words.startswith("the ")
            words = f"the {words}" if counted else words
            yield Instead(parsed.offsets(token)[0], parsed.offsets(noun)[1], words, pieces(words))


def _part(noun: "Token") -> bool:
    """Whether only a part of what a noun names is spoken of, or more than it: "half the dose"."""
    first = next(iter(noun.subtree))
    return first.i > 0 and first.nbor(-1).lower_ in _FRACTIONS


def _stands_before(noun: "Token", parsed: Masked) -> bool:
    """Whether the noun stands before in its own sentence, and is nearer."""
    return any(t.lemma_ == noun.lemma_ for t in parsed.doc[: noun.i] if not parsed.hides(t))
