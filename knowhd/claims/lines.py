"""The lines of a text that claims are taken from: its sentences, items of lists, and parts of endless sentences."""

import re
from collections.abc import Iterator

from groundwork.cutting import cut
from groundwork.language import Sentence, sentences
from groundwork.reading.cues import category

#: What is to be said of a claim from a part of a sentence.
CUT = "cut"

#: What an item of a list begins with, at the beginning of a line: "* ", "- ", "2. ", "2) ".
_BULLET = re.compile(r"^[^\S\n]*(?:[*•+–-]|(?P<number>\d{1,2})[.)])[^\S\n]+(?=\S)", re.M)
#: Words by which what announces a list denies or doubts its items.
_RESERVED = re.compile(r"\b(?:not?|none|never|neither|may|might|could|if|whether|possibl[ey]|perhaps|un\w+)\b", re.I)
_BEING = frozenset({"is", "are", "was", "were", "has", "have", "does", "do", "can", "may"})


def lines(text: str, *, questions: bool = True) -> list[tuple[Sentence, tuple[str, ...]]]:
    """Return the lines of a text, in order, each with the flags of a claim that comes from it.

    Args:
        text: The text.
        questions: False leaves out questions.
    """
    told = [item for sentence in sentences(text) for item in _items(sentence)]
    asked = [sentence for sentence in told if questions or not sentence.text.endswith("?")]
    return [(part, (CUT,) if len(parts) > 1 else ()) for parts in map(cut, asked) for part in parts]


def relates(word: str) -> bool:
    """Whether a word, in any regular form, says how one thing bears on another: "lowers", "blocked"."""
    return any(category(word[:end].lower()) for end in (None, -1, -2))


def _items(sentence: Sentence) -> Iterator[Sentence]:
    """The items of a list that runs through a sentence, and what stands before it; the sentence if it holds no list.

    A list whose items say nothing by themselves ("A lowers:", "- B", "- C") stays whole.
    """
    text = sentence.text
    bullets = list(_BULLET.finditer(text))
    # A number at the beginning of a line may end a sentence. It counts if the numbers run on from one.
    if [int(found["number"]) for found in bullets if found["number"]][:2] != [1, 2]:
        bullets = [found for found in bullets if not found["number"] or found.start() == 0]
    ends = [*(found.start() for found in bullets), len(text)]
    items = [(found.end(), end) for found, end in zip(bullets, ends[1:], strict=True)]
    lead = text[: ends[0]].strip()
    if not bullets or not all(_says(text[start:end]) for start, end in items) or _RESERVED.search(lead):
        yield sentence
        return
    for start, end in items if lead.endswith(":") else [(0, ends[0]), *items]:  # what announces items claims nothing
        if words := text[start:end].strip():
            at = sentence.start + text.index(words, start)
            yield Sentence(words, at, at + len(words))


def _says(item: str) -> bool:
    """Whether an item has a verb, and something before it."""
    words = re.findall(r"[\w-]+", item.lower())
    return any(word in _BEING or relates(word) for word in words[1:]) and not relates(words[0])
