"""Extract the claims of a sentence with the fitted reader of relations, between the concepts that the sentence names.

If no claim is found between concepts, claims are read between noun phrases. If that finds no claim either, and the
sentence names fewer than two concepts, the rule of the paper (`pattern`) is used.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from fuzzygraph.triples.pattern import relaxed, strict
from fuzzygraph.triples.predicates import Predicate, predicate_of
from fuzzygraph.triples.triple import Triple, end_of
from groundwork.linking import Mention
from groundwork.reading.cues import TURNING, category
from groundwork.reading.features import PairView
from groundwork.reading.phrases import is_phrase, with_phrases
from groundwork.reading.reader import PairReading, Reader
from groundwork.reading.repair import mended, parse_mended
from groundwork.reading.roles import apart
from groundwork.reading.tree import Tree, Word
from groundwork.reading.weights import Weights

#: Maximum number of mentions in a sentence that are compared with each other (276 pairs); the first ones are used.
MOST_MENTIONS = 24
#: Maximum number of words of a predicate that is looked up in predicates.tsv. The reader alone decides on longer ones.
DIRECT = 4
#: Minimum probability of a sign, and of a relation that a predicate in predicates.tsv states.
LIKELY = 0.4
#: The relation between two concepts for each sign.
_CORRELATIONS = {1: "positive_correlate", -1: "negative_correlate", 0: "associate"}


def extract(text: str, mentions: Sequence[Mention], reader: Reader) -> list[Triple]:
    """Return the claims of a sentence, in order; none if it makes no claim or is a question.

    The mentions are the concepts named in the sentence, in order, with offsets in the sentence.
    """
    if text.endswith("?"):
        return []
    tree = parse_mended(text, mentions)
    found = sorted(_claims(tree, reader), key=_place) or list(_claims(mended(with_phrases(tree)), reader))[:1]
    single = len({mention.key for mention in mentions}) < 2
    return found or (strict(tree) or relaxed(tree) if single else [])


def _place(claim: Triple) -> list[int]:
    """Return the positions of the subject and the object in the sentence, in ascending order."""
    return sorted(end.mention.start for end in (claim.subject, claim.object) if end.mention is not None)


def _claims(tree: Tree, reader: Reader) -> Iterator[Triple]:
    """Yield the most certain claim of each pair of concepts, in descending order of certainty."""
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
    """Return whether the sentence asserts a relation between the two mentions.

    A relation in a question or a condition is not asserted (see `PairReading.asserted`). The relation reader must be
    certain. If a predicate in predicates.tsv states the relation, the probability `LIKELY` suffices.
    """
    sure = _signed(read, weights.threshold) or read.any >= weights.threshold_any
    likely = meaning.relation is not None and read.any >= LIKELY
    return read.asserted and not apart(view) and (sure or likely)


def _signed(read: PairReading, threshold: float) -> bool:
    """Return whether a sign is stated clearly and is likely. Both are required, because there is only one sentence."""
    return read.clear >= threshold and read.signed >= LIKELY


def _triple(read: PairReading, view: PairView, words: list[Word], meaning: Predicate, threshold: float) -> Triple:
    """Return a reading as a triple. The sign of a predicate in predicates.tsv overrides the sign of the reading."""
    less = sum(word.index > meaning.place and category(word.lemma) in TURNING for word in words)
    turned = (less + sum(_lessened(view, end, words) for end in view.ends)) % 2 == 1 and meaning.sign != 0
    relation, sign = meaning.relation, -meaning.sign if turned else meaning.sign
    if not sign and not any(is_phrase(view.tree.mentions[each].key) for each in (read.first, read.second)):
        sign = read.sign if _signed(read, threshold) else 0
        relation = _CORRELATIONS[sign] if sign or relation is None else relation
    acts = read.second if meaning.turned else read.first if read.acts is None else read.acts
    order = sorted((read.first, read.second), key=lambda each: each != acts)
    actor, other = (end_of(view.tree, view.tree.places[each]) for each in order)
    flags = tuple(flag for flag, raised in (("hedged", "hedge" in read.context), ("reversed", turned)) if raised)
    return Triple(actor, " ".join(word.text for word in words), relation, other, read.negated, sign, flags)


def _lessened(view: PairView, end: Word, predicate: Sequence[Word]) -> bool:
    """Return whether a word outside the predicate says that there is less of a concept ("loss of PTEN")."""
    noun = view.tree.words[end.head] if end.dep == "compound" else end
    said = [child for child in view.tree.children(noun, "amod") if category(child.lemma) == "less"]
    return any(word is not None and word not in predicate for word in (*said, view.lessening(end)))


def _predicate(view: PairView) -> list[Word]:
    """Return the words that state a relation between two mentions, in order.

    Words before `PairView.stating` are left out. Then the modifiers of the first two words are added. The list is empty
    if a third noun phrase stands between the mentions: "A is a symptom of B" relates A and the symptom.
    """
    if any(word.mention is not None and is_phrase(view.tree.mentions[word.mention].key) for word in view.inner):
        return []
    words = [word for word in view.inner if word.mention is None] or _governing(view)
    if view.stating in words:
        words = words[words.index(view.stating) :]
    words += [child for word in words[:2] for child in view.tree.children(word, "advmod", "amod")]  # "inversely"
    return sorted(words, key=lambda word: word.index)


def _governing(view: PairView) -> list[Word]:
    """Return the words that govern two mentions: "association found for" in "an association was found for A and B"."""
    if view.ends[0].dep not in {"pobj", "nsubjpass"}:
        return []
    above = [word for word in view.tree.above(view.ends[0])[1:] if word.mention is None]
    last = next((n for n, word in enumerate(above) if word.dep != "prep"), -1)
    subjects = view.tree.children(above[last], "nsubjpass") if above else ()
    return [*above[: last + 1], *(word for word in subjects if word.mention is None)]
