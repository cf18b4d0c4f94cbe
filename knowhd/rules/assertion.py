"""What a claim asserts: between which two things, and which way.

The two are concepts of the graph. A claim that names fewer than two is read between its nouns instead, so that the
literature can still be asked about it; the report flags it `unlinked`.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from groundwork.linking import Mention
from groundwork.records import split_key
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.rules.absent import Present
from knowhd.rules.reading import Reading, Thing, read

if TYPE_CHECKING:
    from spacy.tokens import Span

_WORD = "word:"
#: Things of one claim that are read against each other at most, the first ones: 120 pairs.
ENDS = 16


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing a claim says, as the rules read it.

    Attributes:
        ends: What it is about: keys of concepts, or `word:LEMMA` for a noun that is none.
        reading: What it says about the two.
    """

    ends: tuple[str, str]
    reading: Reading

    @property
    def words(self) -> str:
        """What was read, for the reason."""
        kind = {1: "more", -1: "less", 0: "some relation"}[self.reading.sign]
        cues = ", ".join(repr(cue) for cue in self.reading.cues)
        return f"Read as {'not ' if self.reading.negated else ''}{kind} ({cues})."


def assertions_of(claim: Claim) -> tuple[Assertion, ...]:
    """What a claim says, the clearest first: with a sign before without, then the shortest way.

    Of a claim about concepts only the clearest, since the others are its circumstances ("A lowers B in C"); of a
    claim read between nouns all, since any of them may be what the literature speaks of. None if nothing is read.
    Beyond `ENDS` things the claim is a list, and the others are not read (flag `crowded` of the report).
    """
    parsed = Present(claim.text, claim.mentions)
    linked = len(claim.concepts) > 1
    ends = claim.concepts if linked else (*claim.concepts, *_nouns(parsed))
    found = []
    for pair in combinations(ends[:ENDS], 2):
        reading = read_ends(parsed, pair)
        if reading is not None and reading.related:
            found.append(Assertion(pair, reading))
    found.sort(key=lambda assertion: (assertion.reading.sign == 0, assertion.reading.length))
    return tuple(found[:1] if linked else found)


def read_ends(parsed: Present, ends: tuple[str, str], asked: Reading | None = None) -> Reading | None:
    """What a text says about two things, in the first of its sentences that joins them; for `asked` see `read`."""
    for sentence in parsed.doc.sents:
        first, second = (_thing(parsed, sentence, end) for end in ends)
        reading = read(sentence, first, second, asked)
        if reading is not None:
            return reading
    return None


def word_of(end: str) -> str:
    """The noun that an end is, empty for a concept."""
    return end.removeprefix(_WORD) if end.startswith(_WORD) else ""


def meanings(mention: Mention) -> set[str]:
    """The concepts a mention may mean."""
    return {match.key for match in mention.alternatives} | ({mention.key} if mention.key else set())


def _thing(parsed: Present, sentence: "Span", end: str) -> Thing:
    """Where an end stands in a sentence."""
    places = tuple(p for p in _places(parsed, end) if sentence.start <= p.start < sentence.end)
    return Thing(places, _harmful(end), frozenset(p.start for p in places if parsed.lacks(p)))


def _places(parsed: Present, end: str) -> tuple["Span", ...]:
    word = word_of(end)
    return parsed.words(word) if word else parsed.places(end)


def _nouns(parsed: Present) -> tuple[str, ...]:
    """The nouns of a text that stand for something of their own, as ends."""
    nouns = [t.lemma_.lower() for t in parsed.doc if t.pos_ in {"NOUN", "PROPN"} and not parsed.hides(t)]
    return tuple(
        f"{_WORD}{n}" for n in dict.fromkeys(nouns) if len(n) > 2 and n not in lexicon.VAGUE and not lexicon.sign_of(n)
    )


def _harmful(end: str) -> bool:
    word = word_of(end)
    return bool(lexicon.HARMFUL.search(word)) if word else split_key(end)[0] == "Disease"
