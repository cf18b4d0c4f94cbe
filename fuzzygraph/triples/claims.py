"""The claims of a sentence that are worth measuring."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from fuzzygraph.triples.bridge import bridges
from fuzzygraph.triples.pattern import relaxed
from fuzzygraph.triples.phrases import End
from fuzzygraph.triples.predicates import predicates
from fuzzygraph.triples.pronouns import resolved
from fuzzygraph.triples.reading import read
from fuzzygraph.triples.syntax import Tree
from fuzzygraph.triples.triple import Triple, triples
from groundwork.contrast import Stretch, halves


def told(text: str, names: Collection[Stretch], before: Sequence[Triple] = ()) -> Iterator[Triple]:
    """The claims of a sentence; of one that sets a thing against another, those it makes and those it denies.

    Args:
        text: The sentence; a question claims nothing.
        names: Where names of concepts stand in it.
        before: The claims of the sentence before, for its pronouns; see `pronouns.shifted`.
    """
    if text.endswith("?"):
        return
    said: set[tuple[int, int]] = set()
    known = list(before)
    for half in halves(text, names):
        tree = read(text, names, half.without, half.noun)
        claims = [claim for claim in claims_of(tree, known) if _places(claim) not in said]
        said.update(map(_places, claims))
        known += claims
        yield from (replace(claim, negated=claim.negated != half.denied) for claim in claims)


def claims_of(tree: Tree, before: Sequence[Triple] = ()) -> list[Triple]:
    """The claims of a sentence that are worth measuring.

    All whose both ends are named concepts; where there is none, the nearest two names that a predicate joins. Then
    those of a known predicate between a named concept and something of its own. Where there is nothing of the kind,
    the first claim; else what the paper's fallback gives.

    Args:
        tree: The sentence.
        before: Claims before it, for its pronouns.
    """
    found = resolved(tree, triples(tree), before)
    named = [triple for triple in found if triple.subject.word.named and triple.object.word.named]
    best = named or bridges(tree)[:1]
    return [*best, *_half_named(found, best)] or found[:1] or relaxed(tree)


def _half_named(found: Iterable[Triple], best: Collection[Triple]) -> Iterator[Triple]:
    """Claims of a known predicate one end of which is no known concept, but something that no better claim covers."""
    covered = [word.start for triple in best for word in (triple.subject.word, triple.object.word)]
    for triple in found:
        inner, outer = triple.subject, triple.object
        named = inner.word.named != outer.word.named
        other = outer if inner.word.named else inner
        if named and triple.relation is not None and not _stands_for_others(other) and other.word.start not in covered:
            yield triple


def _stands_for_others(end: End) -> bool:
    """Whether an end is somebody unsaid, or a word that stands for what it is a measure of ("patients", "use")."""
    table = predicates()
    return end.generic or any(table.knows(kind, end.word.lemma) for kind in ("measure", "reversing", "noun"))


def _places(claim: Triple) -> tuple[int, int]:
    return claim.subject.word.start, claim.object.word.start
