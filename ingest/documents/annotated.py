"""The annotations of a document, and the concepts that the ids in its relations mean.

Relations of documents contain ids without types. The types come from the document's own annotations:

- An id that is not annotated in the document has no type, so the relation is rejected.
- If an id is annotated with two types (some MESH ids are chemical and disease), the relation is rejected as well, with
  two exceptions: the name of the relation fixes the type (BC5CDR's `CID` joins a chemical and a disease), or only one
  of the types occurs in relations. For example, the id 10116 names both a gene and the species rat. In relations it
  means the gene, because NCBI's relations have no species.
- The id of a sequence variant can differ between annotation and relation. Both ids name one concept if the RS numbers
  are equal, or if the HGVS names and the genes are equal. The concept gets the id in the relation (as in the bulk
  file). If the ids of several annotations agree with the id in the relation, those with the most equal parts (RS
  number, HGVS name, gene) are used.
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
        self.unmatched = 0  # number of variants in relations that agree with no annotation of the document

    @property
    def empty(self) -> bool:
        """Whether no annotation was added."""
        return not self._mentions

    def add(self, type_name: str, ident: str, mention: str) -> Reason | None:
        """Add one annotation.

        Args:
            type_name: Entity type as written in the document, known to `predicates.entity_type`.
            ident: Content of the id column, which may contain several ids.
            mention: The annotated words.

        Returns:
            None, or the reason why the annotation is left out.
        """
        keys = identifiers.keys(type_name, ident)
        if isinstance(keys, Reason):
            return keys
        for key in keys:
            kind, bare = split_key(key)
            self._types.setdefault(bare, {})[kind] = None
            self._mentions.append(Annotation(key, mention))
        return None

    def mentions(self) -> tuple[Annotation, ...]:
        """Return the annotations. If the relations use other keys for a variant, these replace the annotated key."""
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
        """Return the concepts that the head or tail of a relation names.

        Args:
            text: The id as written in the relation. An id of the form `Type|ID` need not be annotated.
            expected: The entity type that this end always has in relations of the same name; None if the type is not
                fixed.

        Returns:
            The keys of the concepts (several for a composite mention), or the reason why there are none.
        """
        prefix, bar, rest = text.strip().partition("|")
        if bar and predicates.entity_type(prefix):
            return self.relate(prefix, rest)
        ident = identifiers.whole(text)
        parts = (ident,) if ident in self._types else identifiers.split(text)
        if not parts:
            return Reason.EMPTY_ID
        if not all(part in self._types for part in parts):
            return self._variant(text)
        ends = []
        for part in parts:
            kind = _only(self._types[part], expected)
            if not kind:
                return Reason.AMBIGUOUS_ID
            ends.append(f"{kind}|{part}")
        self._relate(ends)
        return tuple(ends)

    def relate(self, type_name: str, ident: str) -> tuple[str, ...] | Reason:
        """Return the concepts of a head or tail whose type the relation states. The concepts need not be annotated."""
        keys = identifiers.keys(type_name, ident)
        if isinstance(keys, Reason):
            return keys
        self._relate(keys)
        for key in keys:
            if split_key(key)[0] in VARIANTS and not self._agreeing(split_key(key)[1]):
                self.unmatched += 1
        return keys

    def _relate(self, keys: Iterable[str]) -> None:
        self._related.update((key, None) for key in keys if split_key(key)[0] in VARIANTS)

    def _variant(self, text: str) -> tuple[str, ...] | Reason:
        """Return the key of a variant that the annotations write in another form, or the reason why none is found."""
        ident = identifiers.whole(text)
        types = {kind for bare in self._agreeing(ident) for kind in self._types[bare]} & VARIANTS
        if not types:
            self.unmatched += identifiers.variant(ident) != identifiers.Variant()
            return Reason.UNMATCHED_ID
        if len(types) > 1:
            return Reason.AMBIGUOUS_ID
        keys = identifiers.keys(types.pop(), text)
        if not isinstance(keys, Reason):
            self._relate(keys)
        return keys

    def _agreeing(self, ident: str) -> list[str]:
        """Return the annotated variant ids that agree best with a relation's id; empty if none of them agrees."""
        variants = [bare for bare, types in self._types.items() if not VARIANTS.isdisjoint(types)]
        return _best(ident, variants)

    def _relation_keys(self, key: str) -> tuple[str, ...]:
        """Return the keys that the relations use for an annotated variant, or its own key if no relation names it."""
        if key in self._related:
            return (key,)
        best = set(_best(split_key(key)[1], [split_key(other)[1] for other in self._related]))
        return tuple(other for other in self._related if split_key(other)[1] in best) or (key,)


def _best(ident: str, others: Iterable[str]) -> list[str]:
    """Return those of the other ids that agree best with a variant's id; empty if none of them agrees.

    Equal ids agree, even if they cannot be parsed.
    """
    wanted = identifiers.variant(ident)
    scores = Counter({other: 4 if other == ident else wanted.agreement(identifiers.variant(other)) for other in others})
    best = max(scores.values(), default=0)
    return [other for other, score in scores.items() if score == best] if best else []


def _only(types: Iterable[str], expected: str | None) -> str:
    """Return the one type that an annotated id can have in a relation; empty if there are several."""
    known = list(types)
    if expected is not None and expected in known:
        return expected
    related = [kind for kind in known if kind not in _NEVER_RELATED] or known
    return related[0] if len(related) == 1 else ""
