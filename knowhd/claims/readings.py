"""The words of one text read: the concepts that they name, their parse, and the parses of words that are built alike.

A small parser loses a clause for a name it does not know, for a list, for "two copies of A". So a clause is looked for
in several readings, in which something short stands for what may have misled it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from groundwork.linking import Linker, Mention
from knowhd import lexicon
from knowhd.claims.grammar.agreement import many
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.objects import objects
from knowhd.claims.grammar.shown import LEAD
from knowhd.claims.lists import shortened
from knowhd.claims.naming import mentions_of
from knowhd.claims.reasons import asserts
from knowhd.claims.verbs import joined, relates

#: After a name: what may be a verb, and what a small parser may take for a noun.
ACTS = re.compile(r"\s+[a-z]+s\b(?! of\b)")
#: Words by which what stands before a verb is more than one thing, or a clause.
_FURTHER = lexicon.words(
    """and but by during for from if in nor not on or than that to unlike through via when where which who with without
    are is was were has have had may might can could will would should must do does did"""
)
_VERB, _PLURAL = re.compile(r"[a-z]+(?<!ing)(?<!ed)"), re.compile(r"[^suiy]s$")
_WORD = re.compile(r"[^\s,;:()]+(?P<end> ?)")
#: Words among which the verb is looked for.
_TRIED = 9
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
        named = self.mentions(text)
        parsed = Masked(text, named)
        lost = objects(parsed)
        return Masked(text, sorted((*named, *lost), key=lambda mention: mention.start)) if lost else parsed

    def either(self, text: str) -> Iterator[Masked]:
        """The text parsed, and parsed with "It" for a name before what may be a verb."""
        yield self.plain(text)
        first = next(iter(self.mentions(text)), None)
        if first and first.start == 0 and ACTS.match(text, first.end):
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
        if acting := self.acting(text):
            yield from (self.plain(said) for said in acting.spoken)

    def acting(self, text: str) -> "Acting | None":
        """The thing that a sentence begins with and what it does, told by its words.

        Returns:
            None where it does not begin with one thing and a word that relates it to what follows.
        """
        inside = {at for m in self.mentions(text) for at in range(m.start, m.end)}
        lead = LEAD.match(text)
        start = lead.end() if lead else 0
        for word in islice(_WORD.finditer(text, start), _TRIED):
            verb, at = word[0].strip(), word.start()
            if (verb in _FURTHER and at not in inside) or not word["end"]:
                return None
            if at > start and at not in inside and _VERB.fullmatch(verb) and relates(verb):
                acting = Acting(text[: at - 1], verb, text[word.end() :])
                if acting.one or _PLURAL.search(acting.who.partition(" of ")[0]):
                    return acting if any(map(self._first, acting.spoken)) else None
        return None

    def about(self, text: str) -> str:
        """What a sentence of one thing is about, if the parser sees no clause in it; empty if it does."""
        acting = None if any(map(asserts, self.either(text))) else self.acting(text)
        return acting.who if acting and acting.one else ""

    def _first(self, said: str) -> bool:
        """Whether the second word of a sentence is its verb."""
        return bool(next(self.plain(said).doc.sents).root.i == 1)


@dataclass(frozen=True, slots=True)
class Acting:
    """A thing and what it does.

    Attributes:
        who: The thing, behind a circumstance that stands in front.
        verb: The first word of what it does.
        rest: The others.
    """

    who: str
    verb: str
    rest: str

    @property
    def one(self) -> bool:
        """Whether the verb is said of one thing."""
        return self.verb != many(self.verb)

    @property
    def spoken(self) -> tuple[str, str]:
        """It with a pronoun for the thing; once more with a verb that any parser knows, for "it impairs B"."""
        who, known = ("It", "affects") if self.one else ("They", "affect")
        return f"{who} {self.verb} {self.rest}", f"{who} {known} {self.rest}"

    def seen(self, parsed: Masked) -> bool:
        """Whether a parse of the sentence has found the verb where it is, with its subject."""
        return asserts(parsed) and parsed.offsets(next(parsed.doc.sents).root)[0] == len(self.who) + 1

    @property
    def denied(self) -> str:
        """The denial of it."""
        return f"{self.who} {'does' if self.one else 'do'} not {many(self.verb)} {self.rest}"
