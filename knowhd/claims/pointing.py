"""What "this drug" and "these proteins" mean: the thing, or the things, of that type that were named before."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.shown import capital

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Words for things of a type of concept.
_KINDS = {
    "Chemical": lexicon.words("agent chemical compound drug medication medicine molecule substance"),
    "Gene": lexicon.words("cytokine enzyme gene kinase oncogene phosphatase protease protein receptor"),
    "Disease": lexicon.words("disease disorder illness"),
}
#: What joins a list.
_JOINT = re.compile(r", |,? and ")
_ONE = {"this": True, "these": False}


def resolved(parsed: Masked, before: Masked | None) -> tuple[str, tuple[str, ...]]:
    """A sentence with names for what it points to as its subject, and the names.

    "This" means the only thing of the type, "these" those of the only list: of what stands before it in the sentence,
    or else of the sentence before. What may mean something else stays as it is.

    Args:
        parsed: The sentence.
        before: The sentence before it.
    """
    text: str = parsed.text
    brought: list[str] = []
    for token in reversed(list(_pointing(parsed))):
        start, end = parsed.offsets(token)[0], parsed.offsets(token.head)[1]
        own = [mention for mention in parsed.mentions if mention.end <= start]
        named = _named(token, parsed.text, own) or (_named(token, before.text, before.mentions) if before else [])
        if named and (len(named) == 1) == _ONE[token.lower_]:
            words = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
            text = f"{text[:start]}{words}{text[end:]}"
            brought += named
    return (capital(text) if brought else text), tuple(brought)


def _pointing(parsed: Masked) -> Iterator["Token"]:
    """Each "this" and "these" whose noun is a subject and has no other word to it."""
    for token in parsed.doc:
        noun = token.head
        alone = noun.i == token.i + 1 and list(noun.children) == [token]
        if token.lower_ in _ONE and token.dep_ == "det" and alone and noun.dep_ in SUBJECTS:
            yield token


def _named(token: "Token", text: str, mentions: Iterable[Mention]) -> list[str]:
    """The things that a token and its noun may mean, as they are written; none where they are not in one list."""
    noun = token.head.lemma_.lower()
    typed = [m for m in mentions if m.key and noun in _KINDS.get(m.key.split("|")[0], ())]
    listed = all(_JOINT.fullmatch(text, one.end, other.start) for one, other in pairwise(typed))
    return list({mention.key: mention.text for mention in typed}.values()) if listed else []
