"""Whether a piece of evidence supports or contradicts what a claim states."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundwork.linking import Mention
from groundwork.polarity import Sign, relation_sign
from groundwork.reading.phrases import PHRASE, places
from groundwork.reading.reader import PairReading, Reader
from groundwork.reading.tree import Tree, parse_all
from groundwork.records import split_key
from knowhd.evidence.pieces import Edge, Passage, Trail
from knowhd.judge import CONTRARY, Stance
from knowhd.rules.statement import Statement

#: Relations of a chemical or variant with a disease: the disease is acted on.
_DONE_TO_DISEASES = frozenset({"cause", "prevent", "treat"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a piece of evidence says of a statement.

    Attributes:
        stance: supports or contradicts.
        probability: Of that stance, in [0, 1].
        lacking: Content words of the claim that the piece does not hold; it decides only if there are none.
    """

    stance: Stance
    probability: float
    lacking: tuple[str, ...] = ()


def of_link(piece: Edge | Trail, statement: Statement) -> Reading | None:
    """Hold an edge, or a chain of edges, against a statement; None if it takes no side."""
    if {piece.head, piece.tail} != set(statement.ends) or _reversed(piece, statement):
        return None
    sign = piece.sign if isinstance(piece, Trail) else relation_sign(piece.relation)
    if not sign and isinstance(piece, Trail):
        return None
    stance = compared(statement, sign, denied=False)
    sure = piece.score if isinstance(piece, Trail) else piece.belief
    return Reading(stance, sure, tuple(statement.rest.values())) if stance else None


def of_passages(passages: Iterable[Passage], statement: Statement, reader: Reader) -> dict[str, Reading]:
    """Hold sentences against a statement; by id, those that take a side."""
    named = [(passage, mentions) for passage in passages if (mentions := _named(passage, statement)) is not None]
    trees = parse_all((passage.sentence, mentions) for passage, mentions in named)
    found = {}
    for (passage, _), tree in zip(named, trees, strict=True):
        read = _of_tree(tree, statement, reader)
        if read is not None:
            found[passage.id] = Reading(*read, _lacking(passage, tree, statement))
    return found


def meanings(mention: Mention) -> set[str]:
    """Return the concepts that a mention may mean."""
    return {match.key for match in mention.alternatives} | ({mention.key} if mention.key else set())


def _named(passage: Passage, statement: Statement) -> list[Mention] | None:
    """The mentions of a sentence with those of phrases; None unless both ends are among them."""
    mentions = list(passage.mentions)
    for end in statement.ends:
        if split_key(end)[0] == PHRASE:
            mentions += places(passage.sentence, end, mentions)
    known = {key for mention in mentions for key in meanings(mention)}
    return sorted(mentions, key=lambda m: m.start) if known.issuperset(statement.ends) else None


def _of_tree(tree: Tree, statement: Statement, reader: Reader) -> tuple[Stance, float] | None:
    """The surest stance of a sentence, from the mentions of the two ends."""
    ends = [[n for n, mention in enumerate(tree.mentions) if end in meanings(mention)] for end in statement.ends]
    pairs = [(one, other) for one in ends[0] for other in ends[1] if one != other]
    sided = [side for read in reader.read(tree, pairs) if (side := _stance(read, tree, statement, reader)) is not None]
    return max(sided, key=lambda side: side[1], default=None)


def _stance(read: PairReading, tree: Tree, statement: Statement, reader: Reader) -> tuple[Stance, float] | None:
    """The stance of a reading and its probability, if that reaches the threshold."""
    if not read.asserted or _turned_round(read, tree, statement):
        return None
    if read.signed >= reader.weights.threshold:
        stance = compared(statement, read.sign, denied=read.negated)
        return (stance, read.signed) if stance else None
    if read.any >= reader.weights.threshold_any:
        stance = compared(statement, 0, denied=read.negated)
        return (stance, read.any) if stance else None
    return None


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
    """Whether the sentence lets the other end act, between two concepts of one type."""
    if read.acts is None or statement.acts is None or statement.sign == 0:
        return False
    kinds = {split_key(end)[0] for end in statement.ends}
    return len(kinds) == 1 and statement.acts not in meanings(tree.mentions[read.acts])


def _reversed(piece: Edge | Trail, statement: Statement) -> bool:
    """Whether a disease acts in the claim and is acted on in the edge: "thrombosis prevents warfarin"."""
    if not isinstance(piece, Edge) or piece.relation not in _DONE_TO_DISEASES or statement.acts is None:
        return False
    other = next(end for end in statement.ends if end != statement.acts)
    return split_key(statement.acts)[0] == "Disease" != split_key(other)[0]


def _lacking(passage: Passage, tree: Tree, statement: Statement) -> tuple[str, ...]:
    """The content words of a claim that neither a sentence nor its article's title holds."""
    title = passage.title.lower()
    said = {form for word in tree.words for form in (word.lemma, word.text.lower())}
    said |= {each for mention in tree.mentions for each in mention.text.lower().split()}
    return tuple(
        word for lemma, word in statement.rest.items() if said.isdisjoint({lemma, word.lower()}) and lemma not in title
    )


def tells_who_acts(edges: Sequence[Edge], statement: Statement) -> bool:
    """Return whether edges tell which end acts, if the claim does: those between two concepts of one type do not."""
    kinds = [split_key(end)[0] for end in statement.ends]
    return not edges or statement.acts is None or kinds[0] != kinds[1]
