"""Find known names in a text, and select the names within a sentence."""

from collections.abc import Iterable
from dataclasses import replace

from groundwork.language import Sentence
from groundwork.linking import Mention
from groundwork.records import Match, split_key
from groundwork.stretches import Places, longest


def placed(text: str, names: Iterable[tuple[str, str]]) -> tuple[Mention, ...]:
    """Return a mention for every place where a text contains a name that an annotator marked.

    Args:
        text: The text.
        names: (words, key) of each annotation in the document. If a name has several keys, the first one counts and the
            others become alternatives.

    Returns:
        The mentions in text order. If mentions overlap, only the longest is returned.
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
    """Return the mentions inside a sentence, with offsets relative to the sentence."""
    inside = (m for m in mentions if part.start <= m.start and m.end <= part.end)
    return tuple(replace(m, start=m.start - part.start, end=m.end - part.start) for m in inside)
