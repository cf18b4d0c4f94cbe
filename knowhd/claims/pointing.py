"""What "this drug" and "these proteins" mean: the thing, or the things, of that type that were named before."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Words for things of a type of concept.
_KINDS = {
    "Chemical": lexicon.words("agent chemical compound drug medication medicine molecule substance"),
    "Gene": lexicon.words("cytokine enzyme gene kinase oncogene phosphatase protease protein receptor"),
    "Disease": lexicon.words("disease disorder illness"),
}
_ONE = {"this": True, "these": False}


def resolved(parsed: Masked, before: Iterable[Mention]) -> tuple[str, tuple[str, ...]]:
    """A sentence with names for what it points to as its subject, and the names.

    "This" means the only thing of the type, "these" all of several; of the sentence itself, or else of the one before.
    What may mean something else stays as it is.

    Args:
        parsed: The sentence.
        before: What the sentence before it names.
    """
    earlier = list(before)
    text, brought = parsed.text, []
    for token in reversed(list(_pointing(parsed))):
        start, end = parsed.offsets(token)[0], parsed.offsets(token.head)[1]
        own = [mention for mention in parsed.mentions if mention.end <= start]
        named = next(filter(None, (_named(token, mentions) for mentions in (own, earlier))), [])
        if named and (len(named) == 1) == _ONE[token.lower_]:
            words = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
            text = f"{text[:start]}{words}{text[end:]}"
            brought += named
    return text[:1].upper() + text[1:] if brought and text[:1] != parsed.text[:1] else text, tuple(brought)


def _pointing(parsed: Masked) -> Iterator["Token"]:
    """Each "this" and "these" whose noun is a subject and has no other word to it."""
    for token in parsed.doc:
        noun = token.head
        alone = noun.i == token.i + 1 and list(noun.children) == [token]
        if token.lower_ in _ONE and token.dep_ == "det" and alone and noun.dep_ in SUBJECTS:
            yield token


def _named(token: "Token", mentions: Iterable[Mention]) -> list[str]:
    """The things that a token and its noun may mean, each once, as they are written."""
    noun = token.head.lemma_.lower()
    typed = [m for m in mentions if m.key and noun in _KINDS.get(m.key.split("|")[0], ())]
    return list({mention.key: mention.text for mention in reversed(typed)}.values())[::-1]
