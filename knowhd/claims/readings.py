"""The words of one text read: the concepts that they name, their parse, and the parses of words that are built alike.

A small parser loses a clause for a name it does not know, for a list, for "two copies of A". So a clause is looked for
in several readings, in which something short stands for what may have misled it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from groundwork.linking import Linker, Mention
from knowhd.claims.grammar.agreement import many
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.lists import shortened
from knowhd.claims.naming import mentions_of
from knowhd.claims.verbs import joined, relates

#: After a name: what may be a verb, and what a small parser may take for a noun.
_ACTS = re.compile(r"\s+[a-z]+s\b(?! of\b)")
#: A part, a trait or some of a thing, and what it does: "The loss of A lowers", "Two copies of A raise".
_PART_OF = re.compile(r"(?P<who>[A-Z][\w-]*(?: [\w-]+){0,4} of [\w-]+) (?P<verb>[a-z]+) (?!of\b)")
#: Words whose reading is kept: taking a sentence apart comes back to the same ones.
_KEPT = 64


class Readings:
    """Reads the words of one text.

    Args:
        linker: Finds the concepts.
        known: Short forms that the text defines.
    """

    def __init__(self, linker: Linker, known: tuple[Mention, ...]) -> None:
        self._linker = linker
        self._known = known
        self.mentions = lru_cache(_KEPT)(self._mentions)
        self.plain = lru_cache(_KEPT)(self._plain)

    def _mentions(self, text: str) -> tuple[Mention, ...]:
        return mentions_of(text, self._linker, self._known)

    def _plain(self, text: str) -> Masked:
        return Masked(text, self.mentions(text))

    def either(self, text: str) -> Iterator[Masked]:
        """The text parsed, and parsed with "It" for a name before what may be a verb."""
        yield self.plain(text)
        first = next(iter(self.mentions(text)), None)
        if first and first.start == 0 and _ACTS.match(text, first.end):
            yield Masked(text, self.mentions(text), "It")

    def listed(self, text: str) -> Iterator[Masked]:
        """The readings of a text with one name for each list behind a verb, if there is one and nothing else joined."""
        if short := shortened(self.plain(text), behind=True):
            yield from (parsed for parsed in self.either(short) if not joined(parsed))

    def alike(self, text: str) -> Iterator[Masked]:
        """The readings of a text and of such as are built like it: one name for each list, "It" for "the X of A"."""
        yield from self.either(text)
        if short := shortened(self.plain(text)):
            yield from self.either(short)
        if part := self.part_of(text):
            yield self.plain(part[1])

    def part_of(self, text: str) -> tuple[str, str] | None:
        """What a text that begins with "the X of A" is about, and the text with a pronoun for it.

        Returns:
            None where it begins otherwise, or with what relates nothing behind it.
        """
        whose = next((m for m in self.mentions(text) if text[: m.start].endswith(" of ")), None)
        found = _PART_OF.match(f"{text[: whose.start]}A{text[whose.end :]}" if whose else text)
        if found is None or not relates(found["verb"]):
            return None
        who = text[: whose.end] if whose else found["who"]
        return who, f"{'They' if many(found['verb']) == found['verb'] else 'It'}{text[len(who) :]}"
