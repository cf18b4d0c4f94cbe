"""The claims of a sentence, as the reader of relations reads them between the concepts that it names.

If none is read, it is read between its noun phrases; if it names fewer than two concepts, then by the paper's rule.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from fuzzygraph.triples.pattern import relaxed, strict
from fuzzygraph.triples.predicates import Predicate, predicate_of
from fuzzygraph.triples.triple import Triple, end_of
from groundwork.linking import Mention
from groundwork.reading.cues import TURNING, category
from groundwork.reading.features import PairView
from groundwork.reading.phrases import PHRASE, with_phrases
from groundwork.reading.reader import PairReading, Reader
from groundwork.reading.repair import mended, parse_mended
from groundwork.reading.roles import apart
from groundwork.reading.tree import Tree, Word
from groundwork.reading.weights import Weights
from groundwork.records import split_key

#: Mentions of one sentence that are read against each other, the first ones: 276 pairs.
MOST_MENTIONS = 24
#: Words of a predicate, at most, that is looked up in the table; what more words state is left to the reading.
DIRECT = 4
#: Labels of words that tell how a relation is: "inversely associated", "a negative correlation".
_MANNER = frozenset({"advmod", "amod"})
#: The relation that a sign stands for between two concepts.
_CORRELATIONS = {1: "positive_correlate", -1: "negative_correlate", 0: "associate"}


def extract(text: str, mentions: Sequence[Mention], reader: Reader) -> list[Triple]:
    """Return the claims of a sentence, in its order; none if it claims nothing or asks.

    Args:
        text: The sentence.
        mentions: The concepts named in it, in order, with offsets in the sentence.
        reader: Reads relations.
    """
    if text.endswith("?"):
        return []
    tree = parse_mended(text, mentions)
    found = sorted(_claims(tree, reader), key=_place) or list(_claims(mended(with_phrases(tree)), reader))[:1]
    single = len({mention.key for mention in mentions}) < 2
    return found or (strict(tree) or relaxed(tree) if single else [])


def _place(claim: Triple) -> list[int]:
    """Where the two ends of a claim stand, the earlier one first."""
    return sorted(end.mention.start for end in (claim.subject, claim.object) if end.mention is not None)


def _claims(tree: Tree, reader: Reader) -> Iterator[Triple]:
    """The surest claim of each two concepts, the surest first."""
    pairs = combinations(range(min(len(tree.mentions), MOST_MENTIONS)), 2)
    seen: set[frozenset[str | None]] = set()
    for read in sorted(reader.read(tree, pairs), key=lambda read: -read.any):
        keys = frozenset(tree.mentions[each].key for each in (read.first, read.second))
        view = PairView(tree, read.first, read.second)
        words = _predicate(view)
        meaning = predicate_of(words) if len(words) <= DIRECT else Predicate()
        if words and keys not in seen and _stated(read, view, meaning, reader.weights):
            seen.add(keys)
            yield _triple(read, view, words, meaning, reader.weights.threshold)


def _stated(read: PairReading, view: PairView, meaning: Predicate, weights: Weights) -> bool:
    """Whether a relation is stated: surely, or likelier than not by a predicate of the table."""
    if not read.asserted or apart(view):
        return False
    sure = read.signed >= weights.threshold or read.any >= weights.threshold_any
    return sure or (meaning.relation is not None and read.any > read.none)


def _triple(read: PairReading, view: PairView, words: list[Word], meaning: Predicate, threshold: float) -> Triple:
    """A reading as a triple; a predicate that the table has goes before the sign of the reading."""
    tree = view.tree
    less = sum(word.index > meaning.place and category(word.lemma) in TURNING for word in words)
    turned = (less + sum(_lessened(view, end, words) for end in view.ends)) % 2 == 1 and meaning.sign != 0
    relation, sign = meaning.relation, -meaning.sign if turned else meaning.sign
    if not sign and all(split_key(str(tree.mentions[each].key))[0] != PHRASE for each in (read.first, read.second)):
        sign = read.sign if read.signed >= threshold else 0
        relation = _CORRELATIONS[sign] if sign or relation is None else relation
    acts = read.second if meaning.turned else read.first if read.acts is None else read.acts
    ends = [
        end_of(tree, tree.places[each]) for each in sorted((read.first, read.second), key=lambda each: each != acts)
    ]
    told = {"hedged": "hedge" in read.context, "reversed": turned}
    flags = tuple(flag for flag, raised in told.items() if raised)
    said = " ".join(word.text for word in words)
    return Triple(ends[0], said, relation, ends[1], read.negated, sign, flags)


def _lessened(view: PairView, end: Word, predicate: Sequence[Word]) -> bool:
    """Whether the sentence speaks of less of an end, by a word that is no part of the predicate."""
    noun = view.tree.words[end.head] if end.dep == "compound" else end
    said = [child for child in view.tree.children(noun) if child.dep == "amod" and category(child.lemma) == "less"]
    said += [word for word in (view.lessening(end),) if word is not None]
    return any(word not in predicate for word in said)


def _predicate(view: PairView) -> list[Word]:
    """The words that state a relation, in order: from where the path turns to the second end."""
    words = [word for word in view.inner if word.mention is None] or _governing(view)
    if view.stating in words:
        words = words[words.index(view.stating) :]
    words += [child for word in words[:2] for child in view.tree.children(word) if child.dep in _MANNER]
    return sorted(words, key=lambda word: word.index)


def _governing(view: PairView) -> list[Word]:
    """What two coordinated mentions hang on: "association found between" of "no association was found between"."""
    if view.ends[0].dep not in {"pobj", "nsubjpass"}:
        return []
    above = [word for word in view.tree.above(view.ends[0])[1:] if word.mention is None]
    last = next((n for n, word in enumerate(above) if word.dep != "prep"), -1)
    subjects = [child for child in view.tree.children(above[last]) if child.dep == "nsubjpass"] if above else []
    return [*above[: last + 1], *(word for word in subjects if word.mention is None)]
