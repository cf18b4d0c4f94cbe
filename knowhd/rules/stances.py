"""How a piece of evidence bears on what a claim states."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwork.linking import Mention
from groundwork.polarity import Sign, relation_sign
from groundwork.reading.phrases import PHRASE, places
from groundwork.reading.reader import PairReading, Reader
from groundwork.reading.tree import Tree, parse_all
from groundwork.records import split_key
from knowhd.evidence.pieces import Bearing, Edge, Passage, Trail
from knowhd.judge import CONTRARY, Stance
from knowhd.rules.statement import Statement

#: Relations of a chemical or variant with a disease: the disease is acted on.
_DONE_TO_DISEASES = frozenset({"cause", "prevent", "treat"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a piece of evidence says of a statement.

    Attributes:
        relation: How the relation that the piece states bears on that of the statement.
        probability: Of that, in [0, 1].
        lacking: Content words of the claim that a piece on one side does not hold; it decides only if there are none.
        hedged: The piece says that it may be so.
        denied: The piece denies a relation.
    """

    relation: Bearing
    probability: float
    lacking: tuple[str, ...] = ()
    hedged: bool = False
    denied: bool = False

    @property
    def stance(self) -> Stance | None:
        """The side it takes on the whole claim; None if it takes none."""
        return self.relation if self.relation in CONTRARY and not self.lacking else None

    @property
    def bearing(self) -> dict[Bearing, float]:
        """How the piece bears on the whole claim, with the probability; one that lacks words takes no side."""
        return {"about_both": 1.0} if self.lacking else {self.relation: round(self.probability, 4)}


def of_link(piece: Edge | Trail, statement: Statement) -> Reading | None:
    """Hold an edge, or a chain of edges, against a statement; None if it joins neither end to anything."""
    held = len({piece.head, piece.tail} & set(statement.ends))
    if held < len(set(statement.ends)):
        return Reading("about_one", 1.0) if held else None
    sign = piece.sign if isinstance(piece, Trail) else relation_sign(piece.relation)
    sure = piece.score if isinstance(piece, Trail) else piece.belief
    taken = not _reversed(piece, statement) and (sign or isinstance(piece, Edge))
    side = compared(statement, sign, denied=False) if taken else None
    return Reading(side, sure, tuple(statement.rest.values())) if side else Reading("about_both", sure)


def of_passages(passages: Iterable[Passage], statement: Statement, reader: Reader) -> dict[str, Reading]:
    """Hold sentences against a statement; by id, those that name one of its ends or both."""
    found: dict[str, Reading] = {}
    both: list[tuple[Passage, list[Mention]]] = []
    for passage in passages:
        mentions = _with_ends(passage, statement)
        keys = {key for mention in mentions for key in meanings(mention)}
        if keys.issuperset(statement.ends):
            both.append((passage, mentions))
        elif not keys.isdisjoint(statement.ends):
            found[passage.id] = Reading("about_one", 1.0)
    trees = parse_all((passage.sentence, mentions) for passage, mentions in both)
    for (passage, _), tree in zip(both, trees, strict=True):
        read = _of_tree(tree, statement, reader)
        lacking = _lacking(passage, tree, statement) if read.relation in CONTRARY else ()
        found[passage.id] = replace(read, lacking=lacking)
    return found


def outweighed(passages: Iterable[Passage], readings: Mapping[str, Reading]) -> dict[str, Reading]:
    """Return new readings of sentences that a surer sentence of the same article opposes: they take no side.

    On BioRED Dev, with a reader fitted on Train, the surest sentence of an article is right more often than an article
    that is counted on both sides, and so not at all (kappa .379 against .369). Denials always count.
    """
    sided = [(passage.pmid, passage.id, readings[passage.id]) for passage in passages if passage.id in readings]
    sided = [each for each in sided if each[2].stance and not each[2].denied]
    surest: dict[int, Reading] = {}
    for pmid, _, reading in sided:
        surest[pmid] = max(surest.get(pmid, reading), reading, key=lambda each: (not each.hedged, each.probability))
    return {
        key: Reading("about_both", 1 - reading.probability)
        for pmid, key, reading in sided
        if reading.stance != surest[pmid].stance
    }


def meanings(mention: Mention) -> set[str]:
    """Return the concepts that a mention may mean."""
    return {match.key for match in mention.alternatives} | ({mention.key} if mention.key else set())


def _with_ends(passage: Passage, statement: Statement) -> list[Mention]:
    """The mentions of a sentence, and the places of an end that is a phrase."""
    mentions = list(passage.mentions)
    for end in statement.ends:
        if split_key(end)[0] == PHRASE:
            mentions += places(passage.sentence, end, mentions)
    return sorted(mentions, key=lambda mention: mention.start)


def _of_tree(tree: Tree, statement: Statement, reader: Reader) -> Reading:
    """What a sentence says of the two ends: the surest side that any two of their mentions take, if any do."""
    ends = [[n for n, mention in enumerate(tree.mentions) if end in meanings(mention)] for end in statement.ends]
    pairs = [(one, other) for one in ends[0] for other in ends[1] if one != other]
    found = [_of_pair(read, tree, statement, reader) for read in reader.read(tree, pairs)]
    apart = Reading("about_both", 1.0)  # one mention that may mean either end
    return max(found, key=lambda each: (each.stance is not None, each.probability), default=apart)


def _of_pair(read: PairReading, tree: Tree, statement: Statement, reader: Reader) -> Reading:
    """What a sentence says of two mentions; it takes a side from the reader's threshold on."""
    if not read.asserted or _turned_round(read, tree, statement):
        return Reading("about_both", 1.0)
    signed = read.signed >= reader.weights.threshold
    if not signed and read.any < reader.weights.threshold_any:
        return Reading("about_both", 1 - read.signed)
    sign, sure = (read.sign, read.signed) if signed else (0, read.any)
    side = compared(statement, sign, denied=read.negated)
    return Reading(side or "about_both", sure, hedged="hedge" in read.context, denied=read.negated)


def compared(statement: Statement, sign: Sign, *, denied: bool) -> Stance | None:
    """Return how a sign bears on a statement, None if it does not.

    =============  ==============  =====================================
    the claim      the evidence    stance
    =============  ==============  =====================================
    some relation  some relation   supports; contradicts if denied
    some relation  a sign          supports; nothing if denied
    a sign         the same        supports; contradicts if denied
    a sign         the opposite    contradicts; nothing if denied
    a sign         some relation   nothing; contradicts if denied
    =============  ==============  =====================================

    A claim that is denied turns the stance round.
    """
    found: Stance | None
    if statement.sign == 0:
        found = None if denied and sign else "contradicts" if denied else "supports"
    elif sign == statement.sign:
        found = "contradicts" if denied else "supports"
    else:
        found = "contradicts" if denied == (sign == 0) else None
    return CONTRARY[found] if found and statement.negated else found


def _turned_round(read: PairReading, tree: Tree, statement: Statement) -> bool:
    """Whether the sentence lets the other end act: between two concepts of one type, or where a disease acts.

    Between other types a statement may name them in either order: "the variant raises the risk" and "the risk is raised
    with the variant" are one relation.
    """
    if statement.acts is None or statement.sign == 0:
        return False
    alike = len({split_key(end)[0] for end in statement.ends}) == 1
    by_disease = not alike and statement.directed and split_key(statement.acts)[0] == "Disease"
    if read.acts is None:
        return by_disease
    return (alike or by_disease) and statement.acts not in meanings(tree.mentions[read.acts])


def _reversed(piece: Edge | Trail, statement: Statement) -> bool:
    """Whether a disease acts in the claim and is acted on in the edge: "thrombosis prevents warfarin"."""
    if not isinstance(piece, Edge) or piece.relation not in _DONE_TO_DISEASES or statement.acts is None:
        return False
    other = next(end for end in statement.ends if end != statement.acts)
    return split_key(statement.acts)[0] == "Disease" != split_key(other)[0]


def _lacking(passage: Passage, tree: Tree, statement: Statement) -> tuple[str, ...]:
    """What else a claim speaks of that neither a sentence nor its article's title holds."""
    title = passage.title.lower()
    said = {form for word in tree.words for form in (word.lemma, word.text.lower())}
    said |= {each for mention in tree.mentions for each in (*mention.text.lower().split(), *meanings(mention))}
    return tuple(
        word
        for known, word in statement.rest.items()
        if said.isdisjoint({known, word.lower()}) and known not in title and word.lower() not in title
    )


def tells_who_acts(edges: Sequence[Edge], statement: Statement) -> bool:
    """Return whether edges tell which end acts, if the claim does: those between two concepts of one type do not."""
    kinds = [split_key(end)[0] for end in statement.ends]
    return not edges or statement.acts is None or kinds[0] != kinds[1]
