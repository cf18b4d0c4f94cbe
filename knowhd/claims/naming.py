"""Find the concepts that a part of a text names."""

from collections.abc import Iterable
from dataclasses import replace

from groundwork.linking import Linker, Mention
from groundwork.stretches import Places


def mentions_of(text: str, linker: Linker, known: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Return the mentions in a part of a text, including abbreviations that the text defines elsewhere."""
    found, places = list(linker.mentions(text)), Places(text)
    for short in known:
        for start, end in places.of(short.text) if short.text in text else ():
            inside = [m for m in found if m.start <= start and end <= m.end]
            if all((m.start, m.end) == (start, end) for m in inside):
                found = [m for m in found if m not in inside]
                found.append(replace(short, start=start, end=end))
    return tuple(sorted(found, key=lambda mention: mention.start))


def short_forms(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Return one mention of each abbreviation that a text defines."""
    return tuple({mention.text: mention for mention in mentions if mention.how == "abbreviation"}.values())
