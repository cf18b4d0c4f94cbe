"""Find the words of a sentence that matter for a claim: both ends of the claim, and the words that decide."""

from collections.abc import Mapping
from dataclasses import dataclass

from groundwork.reading.cues import category
from groundwork.reading.reader import Reader
from groundwork.reading.tree import Tree, parse_all
from groundwork.records import Record
from knowhd.claims.claims import Claim
from knowhd.ground_report import ClaimReport
from knowhd.judge import CONTRARY
from knowhd.rules.stances import with_ends
from knowhd.rules.statement import statement_of


@dataclass(frozen=True, slots=True)
class Highlights(Record):
    """Places in a sentence, as offsets (start, end), in order.

    Attributes:
        ends: Places where the sentence names one of the two concepts (ends) of the claim.
        words: Places of the cue words by which the sentence supports or contradicts the claim, according to the reader
            of relations. Empty if the sentence takes no side, or takes a side without a cue word.
    """

    ends: tuple[tuple[int, int], ...] = ()
    words: tuple[tuple[int, int], ...] = ()


def highlights(report: ClaimReport, reader: Reader) -> Mapping[str, Highlights]:
    """Return the highlights of each sentence among the evidence for a claim, by the id of the sentence.

    Args:
        report: The claim with its evidence.
        reader: Reader of relations in sentences. The highlighted words come from this reader, also if another judge
            decided.
    """
    claim = Claim(report.text, report.sentence, report.span, report.concepts, report.flags, report.mentions)
    statement = statement_of(claim, reader)
    found: dict[str, Highlights] = {}
    for passage in report.evidence.literature:
        mentions = with_ends(passage, statement) if statement else list(passage.mentions)
        ends = statement.ends if statement else report.concepts
        at = {end: [n for n, mention in enumerate(mentions) if end in mention.candidates] for end in ends}
        named = sorted({n for places in at.values() for n in places})
        words: tuple[tuple[int, int], ...] = ()
        if statement and passage.stance in CONTRARY:
            tree = next(parse_all([(passage.sentence, mentions)]))
            words = _deciding(tree, at[statement.ends[0]], at[statement.ends[1]], reader)
        found[passage.id] = Highlights(tuple((mentions[n].start, mentions[n].end) for n in named), words)
    return found


def _deciding(tree: Tree, first: list[int], second: list[int], reader: Reader) -> tuple[tuple[int, int], ...]:
    """Return the places of the cue words of the most certain relation between the mentions of two ends.

    Other words that the reader weighs are left out, because they do not show a person why the reader decided.
    """
    pairs = [(one, other) for one in first for other in second if one != other]
    read = max(reader.read(tree, pairs), key=lambda each: each.any, default=None)
    lemmas = {word.start: word.lemma for word in tree.words}
    words = reader.speaking(tree, read) if read else ()
    return tuple(span for span in words if category(lemmas.get(span[0], "")))
