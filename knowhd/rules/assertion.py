"""What a claim asserts: between which two things, and which way.

The two are concepts of the graph. A claim that names fewer than two is read between its phrases instead, so that the
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
from knowhd.rules.phrases import PHRASE, phrased
from knowhd.rules.reading import Reading, Thing, read

if TYPE_CHECKING:
    from spacy.tokens import Span

#: Things of one claim that are read against each other at most, the first ones: 120 pairs.
ENDS = 16


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing a claim says, as the rules read it.

    Attributes:
        ends: What it is about: keys of concepts, or of phrases (`phrases`).
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
    """What a claim says: the clearest only, since the others are its circumstances ("A lowers B in C").

    What it says is clearer than what it only mentions ("A-induced B"), one with a sign than one without, then that of
    the shortest way; none if nothing is read. Beyond `ENDS`
    things the claim is a list, and the others are not read (flag `crowded` of the report).
    """
    told = claim if len(claim.concepts) > 1 else phrased(claim)
    parsed = Present(told.text, told.mentions)
    found = []
    for pair in combinations(told.concepts[:ENDS], 2):
        reading = read_ends(parsed, pair)
        if reading is not None and reading.related:
            found.append(Assertion(pair, reading))
    found.sort(key=lambda a: (a.reading.aside, a.reading.sign == 0, a.reading.length))
    return tuple(found[:1])


def read_ends(parsed: Present, ends: tuple[str, str], asked: Reading | None = None) -> Reading | None:
    """What a text says about two things, in the first of its sentences that joins them; for `asked` see `read`."""
    for sentence in parsed.doc.sents:
        first, second = (_thing(parsed, sentence, end) for end in ends)
        reading = read(sentence, first, second, asked)
        if reading is not None:
            return reading
    return None


def meanings(mention: Mention) -> set[str]:
    """The concepts a mention may mean."""
    return {match.key for match in mention.alternatives} | ({mention.key} if mention.key else set())


def _thing(parsed: Present, sentence: "Span", end: str) -> Thing:
    """Where an end stands in a sentence."""
    places = tuple(p for p in parsed.places(end) if sentence.start <= p.start < sentence.end)
    return Thing(places, harmful(end), frozenset(p.start for p in places if parsed.lacks(p)))


def harmful(end: str) -> bool:
    """Whether less of an end is better."""
    kind, name = split_key(end)
    return kind == "Disease" or (kind == PHRASE and lexicon.HARMFUL.search(name) is not None)
