"""Noun phrases in place of concepts, for a claim that names fewer than two known concepts.

The same phrase is then searched in the evidence. Two phrases are equal if they have the same words, apart from case and
plural endings. Words such as "the" are not part of a phrase.
"""

import re
from collections.abc import Iterator, Sequence

from groundwork.linking import Mention
from groundwork.reading.tree import Tree, Word, parse

#: Type in the key of a phrase: `Phrase|words`.
PHRASE = "Phrase"
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
#: Tags that the parser gives to a name in the place of a noun if it does not know it; VBG is a verb in -ing.
_NAMING = frozenset({"FW", "JJ", "UH", "VBG"})
_BEFORE_HEAD = ("NN", "JJ", "CD", "HYPH", "VBN", "VBG")
#: Nouns that are too general to be a phrase alone.
NAMELESS = frozenset(
    """analysis association case change data effect evidence finding group individual kind level month number patient
    people person rate relation result risk role study time treatment type use week year""".split()  # noqa: SIM905
)


def with_phrases(tree: Tree, *, whole: bool = False) -> Tree:
    """Parse a sentence again, with its noun phrases as additional mentions.

    Args:
        tree: The parsed sentence.
        whole: Whether a phrase may contain mentions, which it then replaces: "insulin receptor expression".
    """
    spans = list(_spans(tree, whole=whole))
    longest = (a for a in spans if not any(a != b and b[0] <= a[0] and a[1] <= b[1] for b in spans))
    phrases = [_mention(tree.text, *span) for span in longest]
    kept = (m for m in tree.mentions if not any(p.start < m.end and m.start < p.end for p in phrases))
    return parse(tree.text, sorted([*kept, *phrases], key=lambda mention: mention.start))


def places(text: str, key: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the places of a phrase in a text. They may contain existing mentions, but are never part of one.

    Args:
        text: A sentence.
        key: Key of the phrase, as `with_phrases` makes it.
        taken: The existing mentions.
    """
    wanted = key.removeprefix(f"{PHRASE}|").split()
    words = [(match.start(), match.end(), _form(match[0])) for match in _WORD.finditer(text)]
    if not wanted:  # the phrase consists of signs only, such as "%"
        return
    for at in range(len(words) - len(wanted) + 1):
        if [form for _, _, form in words[at : at + len(wanted)]] == wanted:
            start, end = words[at][0], words[at + len(wanted) - 1][1]
            if all(m.end <= start or end <= m.start or (start <= m.start and m.end <= end) for m in taken):
                yield Mention(text[start:end], start, end, key, text[start:end], 1.0)


def _spans(tree: Tree, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Yield the offsets of noun phrases: a noun that is no mention, and the words before it that belong to it."""
    for head in tree.words:
        after = tree.words[head.index + 1] if head.index + 1 < len(tree.words) else None
        inner = after is not None and after.tag.startswith("NN") and after.mention is None and head.head == after.index
        if _names(head) and not (inner and head.dep == "compound") and head.lemma not in NAMELESS:
            first = head
            while first.index and _belongs(tree.words[first.index - 1], head, whole=whole):
                first = tree.words[first.index - 1]
            yield first.start, head.end


def _names(word: Word) -> bool:
    """Return whether a word names something: a noun, or a word of another kind in the place of a noun (`_NAMING`)."""
    noun = word.tag.startswith("NN") or (word.tag in _NAMING and word.dep in {"dobj", "nsubj", "nsubjpass", "pobj"})
    return word.mention is None and noun


def _belongs(word: Word, head: Word, *, whole: bool) -> bool:
    """Return whether a word before the noun `head` belongs to the phrase of this noun."""
    free = whole or word.mention is None
    return free and word.tag.startswith(_BEFORE_HEAD) and word.head <= head.index and word.dep != "nsubj"


def _mention(text: str, start: int, end: int) -> Mention:
    words = text[start:end]
    return Mention(words, start, end, phrase_key(words), words, 1.0)


def is_phrase(key: str | None) -> bool:
    """Return whether a key is the key of a phrase."""
    return key is not None and key.startswith(f"{PHRASE}|")


def phrase_key(words: str) -> str:
    """Return the key of a phrase."""
    return f"{PHRASE}|{' '.join(_form(match[0]) for match in _WORD.finditer(words))}"


def _form(word: str) -> str:
    """Return a word in lower case, without a plural ending."""
    lower = word.lower()
    if lower.endswith("ies") and len(lower) > 4:
        return lower[:-3] + "y"
    return lower[:-1] if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3 else lower
