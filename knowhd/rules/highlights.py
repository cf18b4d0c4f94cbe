"""Find the words of a sentence that matter for a claim: both ends of the claim, and the words that decide."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundwork.reading.encoder import Encoder, Marked, PairReading
from groundwork.records import Record, split_key
from knowhd.claims.claims import Claim
from knowhd.ground_report import ClaimReport
from knowhd.judge import CONTRARY
from knowhd.rules.stances import names, with_ends
from knowhd.rules.statement import marks, statement_of
from knowhd.rules.turning import Change

#: Maximum number of words to show as the reason for a stance.
SPEAKING = 3
#: Minimum loss of probability, without a word, that makes it a deciding word.
_LOSS = 0.1
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Highlights(Record):
    """Places in a sentence, as offsets (start, end), in order.

    Attributes:
        ends: Places where the sentence names one of the two concepts (ends) of the claim.
        words: Places of the words by which the sentence supports or contradicts the claim: without one of them, the
            encoder is much less sure. Empty if the sentence takes no side, or if no single word decides.
    """

    ends: tuple[tuple[int, int], ...] = ()
    words: tuple[tuple[int, int], ...] = ()


def highlights(report: ClaimReport, reader: Encoder) -> Mapping[str, Highlights]:
    """Return the highlights of each sentence among the evidence for a claim, by the id of the sentence.

    Args:
        report: The claim with its evidence.
        reader: Encoder that reads sentences. The highlighted words come from it, also if another judge decided.
    """
    claim = Claim(report.text, report.sentence, report.span, report.concepts, report.flags, report.mentions)
    statement = statement_of(claim, reader)
    found: dict[str, Highlights] = {}
    for passage in report.evidence.literature:
        mentions = with_ends(passage, statement) if statement else list(passage.mentions)
        ends = statement.ends if statement else report.concepts
        named = [m for m in mentions if any(end in m.candidates for end in ends)]
        words: tuple[tuple[int, int], ...] = ()
        if statement and passage.stance in CONTRARY:
            own = [[m for m in mentions if names(m, place, statement)] for place in (0, 1)]
            kinds = (split_key(statement.ends[0])[0], split_key(statement.ends[1])[0])
            if marked := marks(passage.sentence, own[0], own[1], kinds):
                words = deciding(marked, reader)
        found[passage.id] = Highlights(tuple((m.start, m.end) for m in named), words)
    return found


def deciding(marked: Marked, reader: Encoder) -> tuple[tuple[int, int], ...]:
    """Return the places of the words that decide what is read: at most `SPEAKING`, in the order of the sentence.

    Each word is left out in turn. A word decides if the probability of what the whole sentence states falls by `_LOSS`
    or more without it, and by half as much as without the word that matters most.
    """
    whole = reader.read([marked])[0]
    loss = {span: _sure(whole, whole) - _sure(reader.read([each])[0], whole) for span, each in _without(marked)}
    least = max(_LOSS, max(loss.values(), default=0.0) / 2)
    best = sorted((span for span, lost in loss.items() if lost >= least), key=lambda span: -loss[span])[:SPEAKING]
    return tuple(sorted(best))


def _sure(read: PairReading, whole: PairReading) -> float:
    """Return how probable a reading makes what another reading states: its sign, stated or denied."""
    sign = read.up if whole.sign > 0 else read.down
    return (sign if max(whole.up, whole.down) > whole.related else read.any) * (
        read.denied if whole.negated else read.stated
    )


def _without(marked: Marked) -> Iterator[tuple[tuple[int, int], Marked]]:
    """Yield each word outside the ends with the sentence without it."""
    for word in _WORD.finditer(marked.text):
        start, end = word.span()
        if any(s < end and start < e for s, e in (*marked.one, *marked.other)):
            continue
        text = marked.text[:start] + marked.text[end:]
        change = Change(text, end, start - end)
        yield (start, end), Marked(text, change.moved(marked.one), change.moved(marked.other), marked.types)
