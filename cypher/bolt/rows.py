"""Records as rows of parameters, and rows in portions that a transaction can bear."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from cypher.bolt.values import FORMS
from cypher.names import forms_of
from cypher.rows import EdgeKey, SimilarityKey
from groundwork.records import Concept
from groundwork.vocabulary import VARIANTS

T = TypeVar("T")
Row = dict[str, Any]

#: Most rows in a transaction, and most values in their lists: together they bound the server's memory.
ROWS, VALUES = 10_000, 500_000


def portions(items: Iterable[T], weigh: Callable[[T], int] = lambda _: 0, most: int = ROWS) -> Iterator[list[T]]:
    """Items in lists of at most `most`, and of at most `VALUES` in weight unless a single one weighs more."""
    portion: list[T] = []
    weight = 0
    for item in items:
        more = weigh(item)
        if portion and (len(portion) == most or weight + more > VALUES):
            yield portion
            portion, weight = [], 0
        portion.append(item)
        weight += more
    if portion:
        yield portion


def concept_row(concept: Concept) -> Row:
    """What `put_concepts` takes: the key, the labels beside Concept, the other properties."""
    properties = {
        "id": concept.id,
        "type": concept.type,
        "name": concept.name,
        "synonyms": list(concept.synonyms),
        "counts": list(concept.counts),
        "mentions": concept.mentions,
        FORMS: sorted(forms_of(concept)),
    }
    labels = [concept.type, "Variant"] if concept.type in VARIANTS else [concept.type]
    return {"key": concept.key, "labels": labels, "properties": properties}


def by_relation(edges: Iterable[EdgeKey]) -> dict[str, list[Row]]:
    """The ends of edges by relation, sorted: rows by head keep the server at one concept."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for head, relation, tail in sorted(edges):
        groups[relation].append({"head": head, "tail": tail})
    return groups


def similarity_rows(keys: Iterable[SimilarityKey]) -> list[Row]:
    """Which similarities, sorted by head likewise."""
    ordered = sorted(keys, key=lambda key: key[1:])
    return [{"model": model, "head": head, "tail": tail} for model, head, tail in ordered]
