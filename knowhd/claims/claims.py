"""A text as atomic claims, each with the sentence it came from and the concepts it names (paper A, section 3)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from groundwork.language import Sentence
from groundwork.linking import Linker, Mention
from groundwork.ports import Progress, Silent, watched
from groundwork.records import Record
from knowhd.claims.conditions import conditions
from knowhd.claims.leaning.leaning import leaning
from knowhd.claims.lines import CUT, lines
from knowhd.claims.naming import mentions_of, short_forms, telling
from knowhd.claims.parting import Parting

#: What a sentence ends with, in any script, before quotes and brackets; and the letters it has at least.
_STOPS, _ENCLOSING, _LEAST = (".", "!", "\u3002", "\uff01"), " \"'\u2019\u201d\u00bb)]", 8
#: Parts of cut sentences that are taken apart in one text: more are found in no prose.
_PARTED = 8
_LETTERS = re.compile(r"[^\W\d_]{2}")
#: Blanks before a stop, where something stood that is not read: "[glucose](https://...)."
_GAP = re.compile(r" (?=[,.;:!?](?: |$))")
#: What only says which part of a text follows.
_PART = (
    r"(?:answer|background|claim|conclusions?|discussion|explanation|findings?|hypothesis|interpretation|justification|"
    r"mechanism|objectives?|prediction|premise|rationale|reasoning|results?|significance|statement|summary)"
)
_LABEL = re.compile(
    r"^(?:(?:central|final|main|overall|primary|proposed|secondary|testable|working) )?"
    rf"{_PART}(?: and {_PART})?(?: \d{{1,2}})?\s*:\s*",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """One claim of a text.

    Attributes:
        text: Self-contained words.
        sentence: The sentence it came from; the whole text where a model named none.
        span: Where that sentence stands in the text: offsets of its first character and after its last.
        concepts: Keys of the concepts it names, in order, each once.
        flags: `pronoun_resolved`, `pronoun_unresolved` (it does not stand by itself: see `leaning`), `ambiguous` (a
            name that may mean another concept), `untraced` (a model's claim that is not in the sentence it names),
            `added` (it names a concept or a number that the text does not), `conditional` (it holds under a condition,
            which its words name), `unconditional` (a model's claim without a condition, from a sentence with one),
            `turned` (a model's claim that denies what its sentence states, or the other way round), `undivided` (the
            model failed to take the text apart, or a sentence is endless: it, or a part of it, stands as it is).
        mentions: Where it names them.
    """

    text: str
    sentence: str
    span: tuple[int, int]
    concepts: tuple[str, ...]
    flags: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = field(default=(), metadata={"private": True})


class Claims(Protocol):
    """Takes a text apart into claims."""

    def extract(self, text: str) -> tuple[Claim, ...]:
        """The claims of a text, in order; none if it claims nothing."""


class RuleClaims:
    """Claims by rules on the parse: deterministic, no language model, no limit on their number.

    Args:
        linker: Finds the concepts.
        progress: Told of each sentence; None: nobody is.
    """

    def __init__(self, linker: Linker, progress: Progress | None = None) -> None:
        self._linker = linker
        self._progress = progress or Silent()

    def extract(self, text: str) -> tuple[Claim, ...]:
        """The claims of a text: its statements, one predicate, subject and object each; questions claim nothing."""
        known = short_forms(self._linker.mentions(text))
        parting = Parting(self._linker, known)
        found: list[Claim] = []
        cut = 0
        for line, flags in watched(lines(text, questions=False), self._progress, "reading", "sentences"):
            if not _LETTERS.search(line.text):
                continue
            words, cut = _LABEL.sub("", _GAP.sub("", " ".join(line.text.split()))), cut + (CUT in flags)
            if cut > _PARTED:
                found += self._whole(words, line, flags, known)
                continue
            told = parting.statements(words)
            found += [linked(each.text, line, (*each.flags, *flags), self._linker, known) for each in told]
        return tuple(found)

    def _whole(self, words: str, line: Sentence, flags: tuple[str, ...], known: tuple[Mention, ...]) -> Iterator[Claim]:
        """A part of an endless sentence as it stands, if it says anything."""
        claim = linked(f"{words.rstrip(' ,;.')}.", line, ("undivided", *flags), self._linker, known)
        if telling(claim.text, claim.mentions):
            yield claim


def linked(
    text: str, sentence: Sentence, flags: tuple[str, ...], linker: Linker, known: tuple[Mention, ...] = ()
) -> Claim:
    """A claim with the concepts it names.

    Args:
        text: The claim's words.
        sentence: Where it came from.
        flags: What is to be said about it.
        linker: Finds the concepts.
        known: Short forms of the whole text (`short_forms`), which hold in the claim too.
    """
    mentions = mentions_of(text, linker, known)
    keys = dict.fromkeys(mention.key for mention in mentions if mention.key)
    flags = (*flags, "conditional") if conditions(text) else flags
    doubt = ("ambiguous",) if any(mention.ambiguous for mention in mentions) else ()
    if "pronoun_unresolved" not in flags and leaning(text, mentions):
        doubt = ("pronoun_unresolved", *doubt)
    return Claim(text, sentence.text, (sentence.start, sentence.end), tuple(keys), (*flags, *doubt), mentions)


def missed(claims: Sequence[Claim], text: str, linker: Linker) -> tuple[Sentence, ...]:
    """The sentences of a text that say something, in whatever language, and that no claim came from; no headings."""
    covered = {claim.span for claim in claims}
    left = [line for line, _ in lines(text, questions=False) if (line.start, line.end) not in covered]
    return tuple(line for line in left if _is_sentence(line.text) or telling(line.text, linker.mentions(line.text)))


def _is_sentence(text: str) -> bool:
    """Whether a text has enough letters for a sentence and ends as one does; a heading has no stop."""
    return text.rstrip(_ENCLOSING).endswith(_STOPS) and sum(map(str.isalpha, text)) >= _LEAST
