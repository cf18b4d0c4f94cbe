"""A text parsed with every concept standing in it as one familiar name.

A small parser trained on the web takes "Metformin lowers" for two nouns and falls apart over "type 2 diabetes
mellitus". It reads "John lowers Mary" without fault. So concepts are linked first, names stand in for them while
the text is parsed, and all that is handed out is in the words of the original.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from groundwork.language import parse
from groundwork.linking import Mention

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

#: Names of one token that any parser of English knows; on a battery of statements first names were read best (cities,
#: countries, firms and common chemicals were tried).
NAMES = ("John", "Mary", "Peter", "Susan", "David", "Laura", "Paul", "Helen")


class Masked:
    """A parsed text with names for its concepts.

    Args:
        text: The original.
        mentions: Where it names concepts, in order and without overlap.
        opening: What stands for a name that the text begins with; "It" helps where a verb after it is read as a noun.

    Attributes:
        text: The original.
        mentions: As given.
        doc: The parse of the text with names in it.
    """

    def __init__(self, text: str, mentions: Sequence[Mention], opening: str = NAMES[0]) -> None:
        self.text = text
        self.mentions = tuple(mentions)
        masked, at, self._moves = "", 0, [(0, 0)]
        self._places: list[tuple[int, int]] = []
        for mention, next_name in zip(self.mentions, cycle(NAMES), strict=False):
            name = next_name if mention.start else opening
            masked += text[at : mention.start]
            self._places.append((len(masked), len(masked) + len(name)))
            masked += name
            at = mention.end
            self._moves.append((len(masked), at - len(masked)))
        self.doc = parse(masked + text[at:])

    def place(self, mention: Mention) -> "Span":
        """Where a mention stands in the parse."""
        start, end = self._places[self.mentions.index(mention)]
        span: Span | None = self.doc.char_span(start, end, alignment_mode="expand")
        if span is None:
            raise ValueError(f"the mention {mention.text!r} is not in the text it was found in")
        return span

    def places(self, key: str) -> tuple["Span", ...]:
        """Where a concept stands in the parse; a mention that may mean it (by an alternative) counts."""
        return tuple(
            self.place(mention)
            for mention in self.mentions
            if mention.key == key or any(match.key == key for match in mention.alternatives)
        )

    def hides(self, token: "Token") -> bool:
        """Whether a token of the parse is a name that stands for a concept."""
        return any(start < token.idx + len(token) and token.idx < end for start, end in self._places)

    def original(self, tokens: Iterable["Token"]) -> str:
        """Tokens of the parse in the words of the original, in order, spaced as there, without doubled spaces."""
        words: list[str] = []
        last = -1
        for token in sorted(tokens, key=lambda t: t.i):
            start, end = self.offsets(token)
            # What stood between two tokens and is left out must not make one word of them.
            apart = " " if words and token.i > last + 1 else ""
            words.append(apart + self.text[start:end] + (" " if token.whitespace_ else ""))
            last = token.i
        return " ".join("".join(words).split())

    def offsets(self, token: "Token") -> tuple[int, int]:
        """Where a token of the parse stands in the original text."""
        start, end = token.idx, token.idx + len(token)
        for (begin, stop), mention in zip(self._places, self.mentions, strict=True):
            if start < stop and begin < end:
                return mention.start - (begin - min(start, begin)), mention.end + (max(end, stop) - stop)
        shift = next(shift for at, shift in reversed(self._moves) if at <= start)
        return start + shift, end + shift
