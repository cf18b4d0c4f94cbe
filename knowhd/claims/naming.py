"""The concepts that a part of a text names, and whether it says anything of them."""

import re
from collections.abc import Iterable
from dataclasses import replace

from groundwork.linking import Linker, Mention
from groundwork.stretches import Places
from knowhd import lexicon


def mentions_of(text: str, linker: Linker, known: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """The mentions in a part of a text, with the short forms that the text defines elsewhere."""
    found, places = list(linker.mentions(text)), Places(text)
    for short in known:
        for start, end in places.of(short.text) if short.text in text else ():
            inside = [m for m in found if m.start <= start and end <= m.end]
            if all((m.start, m.end) == (start, end) for m in inside):
                found = [m for m in found if m not in inside]
                found.append(replace(short, start=start, end=end))
    return tuple(sorted(found, key=lambda mention: mention.start))


def short_forms(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """One mention of each short form that a text defines."""
    return tuple({mention.text: mention for mention in mentions if mention.how == "abbreviation"}.values())


def telling(text: str, mentions: tuple[Mention, ...]) -> bool:
    """Whether a sentence whose predicate the parser missed still says something.

    It has a word that relates or changes things, and either two concepts, or three words and a full stop: headings
    have none.
    """
    words = re.findall(r"[\w-]+", text)
    tables = (lexicon.RELATING, lexicon.REMEDYING, lexicon.RISKING, lexicon.BETTERING, lexicon.WORSENING)
    says = any(lexicon.sign_of(word) or any(lexicon.base(word, table) for table in tables) for word in words)
    closed = len(words) > 2 and text.endswith((".", "!"))
    return says and (closed or len({mention.key for mention in mentions}) > 1)
