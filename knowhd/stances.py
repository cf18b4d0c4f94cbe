"""Decide how a piece of evidence bears on what a claim states, and find the words of a sentence that decide."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwork.linking import Mention
from groundwork.reading.encoder import Encoder, Marked, PairReading, clearness
from groundwork.reading.tree import PHRASE, phrase_key, places
from groundwork.records import Record, split_key
from groundwork.vocabulary import Sign, relation_sign
from knowhd.claims import Claim
from knowhd.ground_report import ClaimReport
from knowhd.judge import CONTRARY, Stance
from knowhd.pieces import DONE_TO_DISEASES, Bearing, Edge, Passage, Trail
from knowhd.statement import Change, Statement, forms, marks, statement_of

#: Sections of an abstract that say what was known, asked and done.
_WITHOUT_RESULTS = frozenset({"background", "objective", "methods"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a piece of evidence says about a statement.

    Attributes:
        relation: How the relation in the piece bears on the relation of the statement.
        probability: Probability of `relation`, in [0, 1].
        lacking: Content words of the claim that the piece does not contain. The piece decides only if there are none.
        denied: Whether the piece denies a relation.
        opposite: For a sentence, the probability in [0, 1] that it states the opposite of `relation`; 0 for edges and
            chains.
    """

    relation: Bearing
    probability: float
    lacking: tuple[str, ...] = ()
    denied: bool = False
    opposite: float = 0.0

    @property
    def stance(self) -> Stance | None:
        """The side that the piece takes on the whole claim; None if it takes none."""
        return self.relation if self.relation in CONTRARY and not self.lacking else None

    @property
    def bearing(self) -> dict[Bearing, float]:
        """How the piece bears on the whole claim, with the probability. A piece with `lacking` words takes no side."""
        return {"about_both": 1.0} if self.lacking else {self.relation: round(self.probability, 4)}


def of_link(piece: Edge | Trail, statement: Statement) -> Reading | None:
    """Compare an edge or a chain of edges with a statement; None if they have no end in common."""
    held = len({piece.head, piece.tail} & set(statement.ends))
    if held < len(set(statement.ends)):
        return Reading("about_one", 1.0) if held else None
    sign = piece.sign if isinstance(piece, Trail) else relation_sign(piece.relation)
    sure = piece.score if isinstance(piece, Trail) else piece.belief
    taken = not _reversed(piece, statement) and (sign or isinstance(piece, Edge))
    side = compared(statement, sign, denied=False) if taken else None
    return Reading(side, sure, tuple(statement.rest.values())) if side else Reading("about_both", sure)


def of_passages(passages: Iterable[Passage], statement: Statement, reader: Encoder) -> dict[str, Reading]:
    """Compare sentences with a statement. Return readings by id for sentences that name at least one end."""
    found: dict[str, Reading] = {}
    both: list[Passage] = []
    kinds = (split_key(statement.ends[0])[0], split_key(statement.ends[1])[0])
    for passage in passages:
        mentions = with_ends(passage, statement)
        ends = [[m for m in mentions if names(m, place, statement)] for place in (0, 1)]
        if not any(ends):
            continue
        marked = marks(passage.sentence, ends[0], ends[1], kinds)
        if marked is None:
            found[passage.id] = Reading("about_both" if all(ends) else "about_one", 1.0)
        else:
            found[passage.id] = _of_reading(reader.read([marked])[0], statement, reader)
            both.append(passage)
    found |= {
        p.id: Reading("about_both", 1 - found[p.id].probability)
        for p in both
        if found[p.id].stance and p.section in _WITHOUT_RESULTS
    }
    limit = reader.threshold_of(kinds)
    found |= unclear(both, found, min(limit, statement.clear) if statement.sign and not statement.negated else limit)
    for passage in both:
        if found[passage.id].stance:
            found[passage.id] = replace(found[passage.id], lacking=_lacking(passage, statement))
    return found


def unclear(passages: Iterable[Passage], readings: Mapping[str, Reading], threshold: float) -> dict[str, Reading]:
    """Return new readings, without a stance, for the sentences that do not state their stance clearly (`clearness`).

    The probability of a sentence is compared with the probability that it states the opposite, and with those of the
    sentences of its article that take the opposite side.
    A sentence that denies a relation keeps its stance.
    """
    sided = [(p, r, r.stance) for p in passages if (r := readings[p.id]).stance and not r.denied]
    most: dict[tuple[int, Stance], float] = defaultdict(float)
    for passage, read, side in sided:
        most[passage.pmid, side] = max(most[passage.pmid, side], read.probability)
    return {
        passage.id: Reading("about_both", 1 - read.probability)
        for passage, read, side in sided
        if clearness(read.probability, max(read.opposite, most[passage.pmid, CONTRARY[side]])) < threshold
    }


def names(mention: Mention, place: int, statement: Statement) -> bool:
    """Return whether a mention names the first (place 0) or second (1) end of a statement."""
    return not statement.meanings[place].isdisjoint({*mention.candidates, phrase_key(mention.text)})


def with_ends(passage: Passage, statement: Statement) -> list[Mention]:
    """Return the mentions of a sentence, and the places where it names an end of the claim in the words of the claim.

    Such an end is a phrase and no concept, or a concept that the annotation of the article lacks. Words that mean
    another concept in the article do not name it.
    """
    mentions = list(passage.mentions)
    for place, end in enumerate(statement.ends):
        if split_key(end)[0] == PHRASE:
            mentions += places(passage.sentence, end, mentions)
        elif not any(names(mention, place, statement) for mention in mentions):
            spelled = places(passage.sentence, phrase_key(statement.mentions[place].text), mentions)
            free = (new for new in spelled if not any(m.start < new.end and new.start < m.end for m in mentions))
            mentions += [replace(new, key=end) for new in free]
    return sorted(mentions, key=lambda mention: mention.start)


def _of_reading(read: PairReading, statement: Statement, reader: Encoder) -> Reading:
    """Return what a sentence says about the two ends of a statement.

    If the statement has a sign and the sentence is not negated, `unclear` tests later whether the sentence is clear.
    """
    if not read.asserted or _turned_round(read, statement):
        return Reading("about_both", 1 - read.signed)
    if read.negated:
        sure = read.any * read.denied
        sign = read.sign if clearness(max(read.up, read.down), min(read.up, read.down)) >= reader.threshold else 0
        side = compared(statement, sign, denied=True) if sure >= reader.threshold_any else None
        return Reading(side or "about_both", sure if side else 1 - sure, denied=side is not None)
    if statement.sign:
        side = compared(statement, read.sign, denied=False)
        return Reading(side or "about_both", read.signed, opposite=read.opposite)
    sure = read.any * read.stated
    side = compared(statement, 0, denied=False) if sure >= reader.threshold_any else None
    return Reading(side or "about_both", sure if side else 1 - sure)


def compared(statement: Statement, sign: Sign, *, denied: bool) -> Stance | None:
    """Return how a sign in the evidence bears on a statement; None if it does not.

    =============  ==============  =====================================
    the claim      the evidence    stance
    =============  ==============  =====================================
    some relation  some relation   supports; contradicts if denied
    some relation  a sign          supports; nothing if denied
    a sign         the same        supports; contradicts if denied
    a sign         the opposite    contradicts; nothing if denied
    a sign         some relation   nothing; contradicts if denied
    =============  ==============  =====================================

    If the claim itself is negated, the stance is reversed.
    """
    found: Stance | None
    if statement.sign == 0:
        found = None if denied and sign else "contradicts" if denied else "supports"
    elif sign == statement.sign:
        found = "contradicts" if denied else "supports"
    else:
        found = "contradicts" if denied == (sign == 0) else None
    return CONTRARY[found] if found and statement.negated else found


def _turned_round(read: PairReading, statement: Statement) -> bool:
    """Return whether the sentence reverses the roles of the ends.

    This is tested for statements with a sign, if both concepts have the same type or if a disease acts. Otherwise,
    either order states the same relation: "the variant raises the risk" and "the risk is raised with the variant". If a
    disease acts on a concept of another type, unclear roles count as reversed.
    """
    if statement.acts is None or statement.sign == 0:
        return False
    by_disease = _by_disease(statement)
    if read.acts is None:
        return by_disease
    return (by_disease or _alike(statement)) and read.acts != statement.ends.index(statement.acts)


def _by_disease(statement: Statement) -> bool:
    """Return whether a disease acts on a concept of another type."""
    acts = statement.acts if statement.directed else None
    return acts is not None and split_key(acts)[0] == "Disease" and not _alike(statement)


def _alike(statement: Statement) -> bool:
    """Return whether both ends are of one type."""
    return len({split_key(end)[0] for end in statement.ends}) == 1


def _reversed(piece: Edge | Trail, statement: Statement) -> bool:
    """Return whether a disease acts in the claim but is acted on in the edge, as in "thrombosis prevents warfarin"."""
    if not isinstance(piece, Edge) or piece.relation not in DONE_TO_DISEASES or statement.acts is None:
        return False
    other = next(end for end in statement.ends if end != statement.acts)
    return split_key(statement.acts)[0] == "Disease" != split_key(other)[0]


def _lacking(passage: Passage, statement: Statement) -> tuple[str, ...]:
    """Return the words in `statement.rest` that neither the sentence nor the title of its article contains.

    A noun may stand for its adjective, and an adjective for its noun (`forms`).
    """
    text = _words(passage.title) + _words(passage.sentence)
    named = {each for mention in passage.mentions for each in mention.candidates}
    return tuple(
        word
        for known, word in statement.rest.items()
        if known not in named and not any(_words(form) in text for form in forms(known) | forms(word.lower()))
    )


def _words(text: str) -> str:
    """Return the words of a text in lower case and without plural endings, each between two blanks.

    The parts of a compound count as words: "opiate" is said in "opiate-induced".
    """
    return f" {phrase_key(re.sub(r'[-–/]', ' ', text)).partition('|')[2]} "


def tells_who_acts(edges: Sequence[Edge], statement: Statement) -> bool:
    """Return False if the claim tells which end acts, and the edges do not because both ends have the same type."""
    return not edges or statement.acts is None or not _alike(statement)


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
