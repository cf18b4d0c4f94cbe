"""Convert records to rows of parameters, and split rows into portions for one transaction each."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from cypher.bolt.values import CAPTION, FORMS, URL
from cypher.caption import caption, url
from cypher.names import forms_of
from cypher.rows import EdgeKey, SimilarityKey
from groundwork.records import Concept
from groundwork.vocabulary import VARIANTS

T = TypeVar("T")
Row = dict[str, Any]

#: Maximum number of rows in a transaction, and of values in the lists of these rows. They limit the server's memory.
ROWS, VALUES = 10_000, 500_000


def portions(items: Iterable[T], weigh: Callable[[T], int] = lambda _: 0, most: int = ROWS) -> Iterator[list[T]]:
    """Yield lists of at most `most` items with a total weight of at most `VALUES`, unless a single item weighs more."""
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
    """Return a row for the query `put_concepts`: key, labels other than Concept, and properties other than the key."""
    properties = {
        "id": concept.id,
        "type": concept.type,
        "name": concept.name,
        "synonyms": list(concept.synonyms),
        "counts": list(concept.counts),
        "mentions": concept.mentions,
        "organism": concept.organism or None,
        "description": concept.description or None,
        FORMS: sorted(forms_of(concept)),
        **shown(concept),
    }
    labels = [concept.type, "Variant"] if concept.type in VARIANTS else [concept.type]
    return {"key": concept.key, "labels": labels, "properties": properties}


def shown(concept: Concept) -> Row:
    """Return the properties that Neo4j Browser shows of a concept."""
    return {CAPTION: caption(concept), URL: url(concept)}


def by_relation(edges: Iterable[EdgeKey]) -> dict[str, list[Row]]:
    """Return rows with head and tail for each relation.

    The rows are sorted by head, so that the server handles one concept at a time.
    """
    groups: dict[str, list[Row]] = defaultdict(list)
    for head, relation, tail in sorted(edges):
        groups[relation].append({"head": head, "tail": tail})
    return groups


def similarity_rows(keys: Iterable[SimilarityKey]) -> list[Row]:
    """Return a row for each key of a similarity edge, sorted by head."""
    ordered = sorted(keys, key=lambda key: key[1:])
    return [{"model": model, "head": head, "tail": tail} for model, head, tail in ordered]
