"""Read what a sentence states about two concepts: more, less, some relation, or none, each with a probability."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from groundwork.polarity import Sign
from groundwork.reading.features import PairView, features
from groundwork.reading.roles import actor
from groundwork.reading.scope import Category, Scope, denying, scopes
from groundwork.reading.tree import Tree, Word
from groundwork.reading.weights import Weights, load, shipped
from groundwork.records import Record

#: Maximum number of words to report as the reason for a sign.
SPEAKING = 3
#: The opposite sign's probability, times this factor, is subtracted from the probability of a sign. Measured
#: on BioRED Train (folds by document), with the threshold set so that .86 of the decided pairs are right: the recall is
#: .505 with the factor 0.75, .491 with 0.5 and .466 with 0.
OPPOSED = 0.75
#: Maximum distance, in words, from "in the absence of" to the mention or list of mentions that it refers to.
_CLOSE = 3


@dataclass(frozen=True, slots=True)
class PairReading(Record):
    """What a sentence states about two of its mentions.

    Attributes:
        first: Index of the mention that comes first in the sentence.
        second: Index of the other mention.
        up: Probability in [0, 1] that, according to the sentence, more of one mention goes with more of the other. A
            negation is not considered here.
        down: Probability that more of one mention goes with less of the other. A negation is not considered here.
        related: Probability that the sentence states a relation without a sign.
        none: Probability that the sentence states no relation. The four probabilities sum to 1.
        acts: Index of the mention that acts on the other mention; None if the sentence does not say.
        context: Categories of the modifiers that apply to the statement (see `reaches`): negation, hedge, question,
            condition, population.
    """

    first: int
    second: int
    up: float
    down: float
    related: float
    none: float
    acts: int | None = None
    context: frozenset[Category] = frozenset()

    @property
    def sign(self) -> Sign:
        """The more likely sign: +1 if `up` is at least as large as `down`, else -1."""
        return 1 if self.up >= self.down else -1

    @property
    def signed(self) -> float:
        """The probability of the more likely sign."""
        return max(self.up, self.down)

    @property
    def clear(self) -> float:
        """How clearly the sentence states the more likely sign, as computed by `clearness`."""
        return clearness(self.signed, min(self.up, self.down))

    @property
    def any(self) -> float:
        """The probability that any relation is stated."""
        return 1.0 - self.none

    @property
    def negated(self) -> bool:
        """Whether the statement is negated."""
        return "negation" in self.context

    @property
    def asserted(self) -> bool:
        """Whether the statement is neither a question nor a condition, and is about the two mentions themselves."""
        return self.context.isdisjoint({"question", "condition", "population"})


def clearness(sure: float, opposite: float) -> float:
    """Return how clearly a sign is stated: its probability minus `OPPOSED` times the probability of the opposite sign.

    The result is at most 1. A sign is decided if the result reaches `Weights.threshold`. The two probabilities may come
    from different sentences of one article, so that sentences that contradict each other decide nothing.
    """
    return sure - OPPOSED * opposite


def connect(weights: str = "", threshold: float | None = None) -> "Reader":
    """Return a reader configured by the settings `reader` and `reader_threshold`.

    Args:
        weights: A file of weights; empty for the weights that come with the program.
        threshold: Clearness from which a sign is decided, in (0, 1); None for the value in the weights.

    Raises:
        InputError: If the file contains no weights.
    """
    held = load(Path(weights)) if weights else shipped()
    return Reader(replace(held, threshold=threshold) if threshold is not None else held)


class Reader:
    """Reads relations between mentions.

    Args:
        weights: Fitted weights; by default the weights that come with the program.
    """

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or shipped()

    def read(self, tree: Tree, pairs: Iterable[tuple[int, int]] | None = None) -> Iterator[PairReading]:
        """Read what a sentence states about pairs of its mentions.

        Args:
            tree: The sentence.
            pairs: Indexes of the mentions of each pair, in any order; by default all pairs.

        Yields:
            One reading per pair, in order.
        """
        found = scopes(tree)
        hidden = denying(found)
        for pair in combinations(range(len(tree.mentions)), 2) if pairs is None else pairs:
            first, second = sorted(pair)
            yield self._pair(PairView(tree, first, second, hidden), found)

    def _pair(self, view: PairView, found: Iterable[Scope]) -> PairReading:
        none, related, down, up = map(float, self.weights.probabilities(name for name, _ in features(view)))
        context = frozenset(scope.category for scope in found if reaches(scope, view))
        return PairReading(view.first, view.second, up, down, related, none, actor(view), context)

    def speaking(self, tree: Tree, read: PairReading) -> tuple[tuple[int, int], ...]:
        """Return the offsets (start, end) of the words that support the more likely sign of a reading, in order.

        These are at most `SPEAKING` content words: those that increase the score of the sign most, compared with the
        score of "no relation".

        Args:
            tree: The sentence.
            read: What the sentence states about two of its mentions, as read by this reader.
        """
        view = PairView(tree, read.first, read.second, denying(scopes(tree)))
        column = 3 if read.sign > 0 else 2
        weight: dict[int, float] = defaultdict(float)
        for name, indexes in dict(features(view)).items():
            row = self.weights.row(name)
            if row is not None and indexes:
                for index in indexes:
                    weight[index] += float(row[column] - row[0]) / len(indexes)
        telling = [i for i, w in weight.items() if w > 0 and _is_content(tree.words[i])]
        best = sorted(sorted(telling, key=lambda index: -weight[index])[:SPEAKING])
        return tuple((tree.words[index].start, tree.words[index].end) for index in best)


def reaches(scope: Scope, view: PairView) -> bool:
    """Return whether a modifier applies to the statement about two mentions.

    A population modifier applies if one of the mentions follows it closely ("in the absence of A") or stands directly
    before it ("A withdrawal").
    "Lack of" a mention reverses the sign of the statement (`PairView.turned`) and does not negate it. If the scope of a
    negation contains only mentions ("but not B"), the negation applies to statements about these mentions. Any other
    modifier applies if its scope contains the word that states the relation. It also applies if it stands between the
    two mentions and its scope contains only the second of them ("raised A but not B").
    """
    first, second = view.ends
    if scope.category == "population":
        return any(_behind(scope, end, view.tree) or _before(scope, end) for end in view.ends)
    if any(word is not None and word.index in scope.phrase for word in map(view.lessening, view.ends)):
        return False
    if scope.category == "negation" and all(view.tree.words[index].mention is not None for index in scope.reach):
        return any(end.index in scope.reach for end in view.ends)
    if view.stating is not None and view.stating.index in scope.reach:
        return True
    between = min(scope.phrase) > first.index
    return between and second.index in scope.reach and first.index not in scope.reach


def _is_content(word: Word) -> bool:
    return word.mention is None and word.tag.startswith(("VB", "NN", "JJ", "RB"))


def _before(scope: Scope, end: Word) -> bool:
    return end.index in scope.reach and end.index + 1 in scope.phrase


def _behind(scope: Scope, end: Word, tree: Tree) -> bool:
    """Return whether the list that contains a mention follows a modifier closely: not A in "without B, A raised C"."""
    after, start = max(scope.phrase) + 1, tree.listed(end)[0]
    between = tree.words[after:start]
    near = start in scope.reach and after <= start < after + _CLOSE
    return near and not any(word.mention is not None or word.text == "," for word in between)
