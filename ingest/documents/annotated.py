"""What a document annotates, and which concepts the ids in its relations mean.

Relations of documents name bare ids. Their types come from the document's own annotations:

- An id annotated nowhere in the document has no type: the relation is rejected, not guessed.
- An id annotated with two types (MESH ids that are chemical and disease) is rejected too, unless the relation's
  column has a fixed type (BC5CDR's `CID`), or only one of them is a type that relations are made of: NCBI writes
  relations of chemicals, diseases, genes and variants, so the gene 10116 stays a gene beside rats (taxon 10116).
- A variant's id differs between annotation and relation; the two are one concept, with the relation's id (the bulk
  file's), if RS number, or HGVS name and gene, are equal. Where several annotations agree, those that agree in most
  parts count.
"""

from collections import Counter
from collections.abc import Iterable

from groundwork.records import split_key
from groundwork.vocabulary import VARIANTS
from ingest import identifiers, predicates
from ingest.documents.document import Annotation
from ingest.rejects import Reason

_NEVER_RELATED = frozenset({"Species", "CellLine"})


class AnnotatedDocument:
    """The annotations of one document."""

    def __init__(self) -> None:
        self._mentions: list[Annotation] = []
        self._types: dict[str, dict[str, None]] = {}
        self._related: dict[str, None] = {}
        self.unmatched = 0  # variants in relations that no annotation of the document agrees with

    def add(self, type_name: str, ident: str, mention: str) -> bool:
        """Take in one annotation.

        Args:
            type_name: The document's entity type, known to `predicates.entity_type`.
            ident: Its id column, maybe of several ids.
            mention: The words.

        Returns:
            Whether it is normalised; if not, it is left out.
        """
        keys = identifiers.keys(type_name, ident)
        for key in keys:
            kind, bare = split_key(key)
            self._types.setdefault(bare, {})[kind] = None
            self._mentions.append(Annotation(key, mention))
        return bool(keys)

    def mentions(self) -> tuple[Annotation, ...]:
        """The annotations, variants under the key that the document's relations gave them."""
        renamed = {
            annotation.key: self._relation_keys(annotation.key)
            for annotation in self._mentions
            if split_key(annotation.key)[0] in VARIANTS
        }
        return tuple(
            Annotation(key, annotation.mention)
            for annotation in self._mentions
            for key in renamed.get(annotation.key, (annotation.key,))
        )

    def end(self, text: str, expected: str | None = None) -> tuple[str, ...] | Reason:
        """The concepts that one end of a relation names.

        Args:
            text: The id as the relation writes it; `Type|ID` needs no annotation.
            expected: The type that the relation's column has, if it is fixed.

        Returns:
            Their keys (several for a composite mention), or why there are none.
        """
        ident = identifiers.whole(text)
        prefix, bar, rest = ident.partition("|")
        if bar and predicates.entity_type(prefix):
            return self.relate(prefix, rest)
        parts = (ident,) if ident in self._types else identifiers.split(ident)
        if not parts:
            return Reason.EMPTY_ID
        if not all(part in self._types for part in parts):
            return self._variant(ident)
        ends = []
        for part in parts:
            kind = _only(self._types[part], expected)
            if not kind:
                return Reason.AMBIGUOUS_ID
            ends.append(f"{kind}|{part}")
        self._relate(ends)
        return tuple(ends)

    def relate(self, type_name: str, ident: str) -> tuple[str, ...] | Reason:
        """The concepts of an end that says its own type; annotated or not, it stands."""
        keys = identifiers.keys(type_name, ident)
        self._relate(keys)
        for key in keys:
            if split_key(key)[0] in VARIANTS and not self._agreeing(split_key(key)[1]):
                self.unmatched += 1
        return keys or Reason.EMPTY_ID

    def _relate(self, keys: Iterable[str]) -> None:
        self._related.update((key, None) for key in keys if split_key(key)[0] in VARIANTS)

    def _variant(self, ident: str) -> tuple[str, ...] | Reason:
        """The end as a variant that the annotations write otherwise."""
        types = {kind for bare in self._agreeing(ident) for kind in self._types[bare]} & VARIANTS
        if not types:
            self.unmatched += identifiers.variant(ident) != identifiers.Variant()
            return Reason.UNMATCHED_ID
        if len(types) > 1:
            return Reason.AMBIGUOUS_ID
        key = f"{types.pop()}|{ident}"
        self._relate([key])
        return (key,)

    def _agreeing(self, ident: str) -> list[str]:
        """Annotated variant ids that agree best with a relation's id; none if none may be joined to it."""
        variants = [bare for bare, types in self._types.items() if not VARIANTS.isdisjoint(types)]
        return _best(ident, variants)

    def _relation_keys(self, key: str) -> tuple[str, ...]:
        """Keys of the relations' variants that an annotated one is joined to; its own if there are none."""
        if key in self._related:
            return (key,)
        best = set(_best(split_key(key)[1], [split_key(other)[1] for other in self._related]))
        return tuple(other for other in self._related if split_key(other)[1] in best) or (key,)


def _best(ident: str, others: Iterable[str]) -> list[str]:
    """The other ids that agree best with a variant's id; equal ids agree whatever their form."""
    wanted = identifiers.variant(ident)
    scores = Counter({other: 4 if other == ident else wanted.agreement(identifiers.variant(other)) for other in others})
    best = max(scores.values(), default=0)
    return [other for other, score in scores.items() if score == best] if best else []


def _only(types: Iterable[str], expected: str | None) -> str:
    """The one type an annotated id can mean in a relation, empty if there are several."""
    known = list(types)
    if expected is not None and expected in known:
        return expected
    related = [kind for kind in known if kind not in _NEVER_RELATED] or known
    return related[0] if len(related) == 1 else ""
