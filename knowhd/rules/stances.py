"""Decide how a piece of evidence bears on what a claim states."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwork.linking import Mention
from groundwork.polarity import Sign, relation_sign
from groundwork.reading.phrases import PHRASE, phrase_key, places
from groundwork.reading.reader import PairReading, Reader, clearness
from groundwork.reading.tree import Tree, parse_all
from groundwork.records import split_key
from knowhd.evidence.pieces import Bearing, Edge, Passage, Trail
from knowhd.judge import CONTRARY, Stance
from knowhd.rules.statement import Statement
from knowhd.wording import DONE_TO_DISEASES


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


def of_passages(passages: Iterable[Passage], statement: Statement, reader: Reader) -> dict[str, Reading]:
    """Compare sentences with a statement. Return readings by id for sentences that name at least one end."""
    found: dict[str, Reading] = {}
    both: list[tuple[Passage, list[Mention]]] = []
    for passage in passages:
        mentions = with_ends(passage, statement)
        named = [any(names(mention, place, statement) for mention in mentions) for place in (0, 1)]
        if all(named):
            both.append((passage, mentions))
        elif any(named):
            found[passage.id] = Reading("about_one", 1.0)
    trees = list(parse_all((passage.sentence, mentions) for passage, mentions in both))
    found |= {p.id: _of_tree(tree, statement, reader) for (p, _), tree in zip(both, trees, strict=True)}
    found |= unclear([passage for passage, _ in both], found, reader.weights.threshold)
    for (passage, _), tree in zip(both, trees, strict=True):
        if found[passage.id].stance:
            found[passage.id] = replace(found[passage.id], lacking=_lacking(passage, tree, statement))
    return found


def unclear(passages: Iterable[Passage], readings: Mapping[str, Reading], threshold: float) -> dict[str, Reading]:
    """Return new readings, without a stance, for the sentences that do not state their stance clearly (`clearness`).

    The probability of a sentence is compared with the largest probability of the opposite stance in its article.
    A sentence that denies a relation keeps its stance.
    """
    sided = [(p, r, r.stance) for p in passages if (r := readings[p.id]).stance and not r.denied]
    most: dict[tuple[int, Stance], float] = defaultdict(float)
    for passage, read, side in sided:
        for each, sure in ((side, read.probability), (CONTRARY[side], read.opposite)):
            most[passage.pmid, each] = max(most[passage.pmid, each], sure)
    return {
        passage.id: Reading("about_both", 1 - read.probability)
        for passage, read, side in sided
        if clearness(read.probability, most[passage.pmid, CONTRARY[side]]) < threshold
    }


def names(mention: Mention, place: int, statement: Statement) -> bool:
    """Return whether a mention names the first (place 0) or second (1) end of a statement."""
    return not statement.meanings[place].isdisjoint({*mention.candidates, phrase_key(mention.text)})


def with_ends(passage: Passage, statement: Statement) -> list[Mention]:
    """Return the mentions of a sentence, and the mentions of each end of the claim that is a phrase and no concept."""
    mentions = list(passage.mentions)
    for end in statement.ends:
        if split_key(end)[0] == PHRASE:
            mentions += places(passage.sentence, end, mentions)
    return sorted(mentions, key=lambda mention: mention.start)


def _of_tree(tree: Tree, statement: Statement, reader: Reader) -> Reading:
    """Return what a sentence says about the two ends: the most probable stance of all pairs of their mentions.

    A special rule applies if the statement has a sign and a disease acts on a concept of another type. A stance without
    negation then counts only if it is more probable than the sign of every pair of mentions whose roles are exchanged
    or unclear.
    """
    ends = [[n for n, each in enumerate(tree.mentions) if names(each, place, statement)] for place in (0, 1)]
    pairs = [(one, other) for one in ends[0] for other in ends[1] if one != other]
    reads = list(reader.read(tree, pairs))
    by_disease = [read.signed for read in reads if _by_disease(statement) and _turned_round(read, tree, statement)]
    turned = max(by_disease, default=0.0)
    found = [_of_pair(read, tree, statement, reader) for read in reads]
    found = [each for each in found if each.stance is None or each.denied or each.probability > turned]
    best = max(found, key=lambda each: (each.stance is not None, each.probability), default=Reading("about_both", 1.0))
    others = (each.opposite if each.relation == best.relation else each.probability for each in found if each.stance)
    return replace(best, opposite=max(others, default=0.0))


def _of_pair(read: PairReading, tree: Tree, statement: Statement, reader: Reader) -> Reading:
    """Return what a sentence says about two mentions.

    If the statement has a sign and the sentence is not negated, `unclear` tests later whether the sentence is clear.
    """
    if not read.asserted or _turned_round(read, tree, statement):
        return Reading("about_both", 1.0)
    if statement.sign and not read.negated:
        side = compared(statement, read.sign, denied=False)
        return Reading(side or "about_both", read.signed, opposite=min(read.up, read.down))
    signed = read.clear >= reader.weights.threshold
    if not signed and read.any < reader.weights.threshold_any:
        return Reading("about_both", 1 - read.signed)
    side = compared(statement, read.sign if signed else 0, denied=read.negated)
    return Reading(side or "about_both", read.signed if signed else read.any, denied=read.negated)


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


def _turned_round(read: PairReading, tree: Tree, statement: Statement) -> bool:
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
    acting = statement.ends.index(statement.acts)
    return (by_disease or _alike(statement)) and not names(tree.mentions[read.acts], acting, statement)


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


def _lacking(passage: Passage, tree: Tree, statement: Statement) -> tuple[str, ...]:
    """Return the words in `statement.rest` that neither the sentence nor the title of its article contains."""
    title = _words(passage.title)
    said = {form for word in tree.words for form in (word.lemma, word.text.lower())}
    said |= {each for mention in tree.mentions for each in (*mention.text.lower().split(), *mention.candidates)}
    return tuple(
        word
        for known, word in statement.rest.items()
        if said.isdisjoint({known, word.lower()}) and _words(known) not in title and _words(word) not in title
    )


def _words(text: str) -> str:
    """Return the words of a text in lower case and without plural endings, each between two blanks."""
    return f" {phrase_key(text).partition('|')[2]} "


def tells_who_acts(edges: Sequence[Edge], statement: Statement) -> bool:
    """Return False if the claim tells which end acts, and the edges do not because both ends have the same type."""
    return not edges or statement.acts is None or not _alike(statement)
