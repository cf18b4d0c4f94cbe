"""Divide a text into lines from which claims are taken: sentences, list items, and parts of very long sentences."""

import re
from collections.abc import Iterator

from groundwork.cutting import cut
from groundwork.language import Sentence, sentences
from groundwork.reading.cues import category

#: The beginning of a list item, at the beginning of a line: "* ", "- ", "2. ", "2) ".
_BULLET = re.compile(r"^[^\S\n]*(?:[*•+–-]|(?P<number>\d{1,2})[.)])[^\S\n]+(?=\S)", re.M)
#: Words in the introduction of a list that deny or doubt its items.
_RESERVED = re.compile(r"\b(?:not?|none|never|neither|may|might|could|if|whether|possibl[ey]|perhaps|un\w+)\b", re.I)
_BEING = frozenset({"is", "are", "was", "were", "has", "have", "does", "do", "can", "may"})


def lines(text: str, *, questions: bool = True) -> list[tuple[Sentence, tuple[str, ...]]]:
    """Return the sentences, list items and parts of long sentences of a text, in order, with flags for their claims.

    The flag `cut` marks the parts of a long sentence. Questions are left out if `questions` is False.
    """
    told = [item for sentence in sentences(text) for item in _items(sentence)]
    asked = [sentence for sentence in told if questions or not sentence.text.endswith("?")]
    return [(part, ("cut",) if len(parts) > 1 else ()) for parts in map(cut, asked) for part in parts]


def relates(word: str) -> bool:
    """Return whether a word, in any regular form, says how one thing affects another: "lowers", "blocked"."""
    return any(category(word[:end].lower()) for end in (None, -1, -2))


def _items(sentence: Sentence) -> Iterator[Sentence]:
    """Yield the parts of a sentence that contains a list: the text before the list, and each item of the list.

    A sentence is yielded whole if it has no list, or if its list items are no statements ("A lowers:", "- B", "- C").
    """
    text = sentence.text
    bullets = list(_BULLET.finditer(text))
    # A number at the beginning of a line may be the end of a sentence. If the first two numbers are not 1 and 2, only a
    # number at the very beginning of the text begins a list item.
    if [int(found["number"]) for found in bullets if found["number"]][:2] != [1, 2]:
        bullets = [found for found in bullets if not found["number"] or found.start() == 0]
    ends = [*(found.start() for found in bullets), len(text)]
    items = [(found.end(), end) for found, end in zip(bullets, ends[1:], strict=True)]
    lead = text[: ends[0]].strip()
    if not bullets or not all(_says(text[start:end]) for start, end in items) or _RESERVED.search(lead):
        yield sentence
        return
    # An introduction that ends in ":" makes no claim.
    for start, end in items if lead.endswith(":") else [(0, ends[0]), *items]:
        if words := text[start:end].strip():
            at = sentence.start + text.index(words, start)
            yield Sentence(words, at, at + len(words))


def _says(item: str) -> bool:
    """Return whether an item has a verb with something before it."""
    words = re.findall(r"[\w-]+", item.lower())
    return any(word in _BEING or relates(word) for word in words[1:]) and not relates(words[0])
