"""Where known names stand in a text, and which of them a sentence holds."""

from collections.abc import Iterable
from dataclasses import replace

from groundwork.language import Sentence
from groundwork.linking import Mention
from groundwork.records import Match, split_key
from groundwork.stretches import Places, longest


def placed(text: str, names: Iterable[tuple[str, str]]) -> tuple[Mention, ...]:
    """Find every place where names that an annotator marked stand in a text.

    Args:
        text: The text.
        names: (words, key) of each annotation, as its document gives them; a place of several keys means the first,
            with the others as alternatives.

    Returns:
        The mentions in text order, the longest where several overlap.
    """
    keys: dict[str, dict[str, None]] = {}
    for words, key in names:
        if words.strip():
            keys.setdefault(words, {})[key] = None
    places = Places(text)
    found = []
    for words, named in keys.items():
        matches = tuple(Match(key, words, split_key(key)[0], 1.0, words, "name") for key in named)
        found += [
            Mention(words, start, end, matches[0].key, words, 1.0, matches, how="name")
            for start, end in places.of(words)
        ]
    return tuple(longest(found))


def within(mentions: Iterable[Mention], part: Sentence) -> tuple[Mention, ...]:
    """Return the mentions that lie in a sentence, with offsets in it."""
    inside = (m for m in mentions if part.start <= m.start and m.end <= part.end)
    return tuple(replace(m, start=m.start - part.start, end=m.end - part.start) for m in inside)
