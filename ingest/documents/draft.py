"""A document in the process of reading: its annotations and relations, independent of the file format."""

from typing import NamedTuple

from groundwork.records import Text, split_key
from groundwork.vocabulary import VARIANTS
from ingest import identifiers, predicates
from ingest.documents.annotated import AnnotatedDocument
from ingest.documents.document import Document
from ingest.rejects import Reason, RowCount

#: Kinds of problems with annotations; they are counted separately from rows.
BEYOND_TEXT = "beyond_text"
UNKNOWN_TYPE = "unknown_type"
UNMATCHED_VARIANT = "unmatched_variant"
BAD_PMID = "bad_pmid"
MALFORMED = "malformed"


class End(NamedTuple):
    """The head or tail of a relation as written in the document: the id, and the type if the relation states it."""

    id: str
    type: str | None = None


class Draft:
    """Collects one document: first all its annotations, then its relations.

    Args:
        pmid: PMID of the document.
        rows: Receives the counts of the document's rows and annotations.
    """

    def __init__(self, pmid: int, rows: RowCount) -> None:
        self.pmid = pmid
        self._rows = rows
        self._annotated = AnnotatedDocument()
        self._spans: list[tuple[int, int]] = []
        self._relations: list[tuple[str, str, str]] = []

    def annotate(self, type_name: str, ident: str, mention: str, span: tuple[int, int], names: str = "") -> None:
        """Add an annotation and count it. An annotation that is left out is counted by the reason.

        Args:
            type_name: Entity type as written in the document.
            ident: Content of the id column.
            mention: The annotated words.
            span: Offset of the first character, and offset after the last one.
            names: BC5CDR's words for each id of a composite mention, joined by bars; empty if there are none.
        """
        self._spans.append(span)
        kind = predicates.entity_type(type_name)
        if kind is None:
            self._rows.problems[UNKNOWN_TYPE] += 1
            return
        pairs = [(ident, mention)]
        if names and kind not in {predicates.BY_ID, *VARIANTS} and names.count("|") == ident.count("|"):
            pairs = list(zip(ident.split("|"), names.split("|"), strict=True))
        refusals = {self._annotated.add(type_name, part, name) for part, name in pairs}
        self._rows.organisms |= identifiers.organisms(kind, ident)
        if Reason.LONG_KEY in refusals:
            self._rows.problems[Reason.LONG_KEY.value] += 1
        if None in refusals:
            self._rows.annotations += 1
        elif refusals == {Reason.EMPTY_ID}:
            self._rows.unnormalised += 1

    def refusal(self, text: Text) -> Reason | None:
        """Return the reason to reject a document without text and annotation, or None. Call it after all annotations.

        Such a document would replace the content that was loaded for its PMID by nothing.
        """
        return Reason.EMPTY_DOCUMENT if self._annotated.empty and not (text.title or text.abstract) else None

    def relate(self, name: str, head: End, tail: End) -> Reason | None:
        """Add a relation row and count it, or return the reason why it is rejected.

        A composite mention names several concepts. The row then gives one relation for each pair of a head and a tail.
        """
        if not predicates.known(name):
            return Reason.UNKNOWN_RELATION
        expected = predicates.COLUMN_TYPES.get(name, (None, None))
        heads, tails = self._keys(head, expected[0]), self._keys(tail, expected[1])
        if isinstance(heads, Reason):
            return heads
        if isinstance(tails, Reason):
            return tails
        for a in heads:
            for b in tails:
                relation = predicates.rewrite(name, split_key(a)[0], split_key(b)[0])
                if relation is None:
                    return Reason.UNKNOWN_RELATION
                self._relations.append((a, relation, b))
        self._rows.kept += 1
        return None

    def _keys(self, end: End, expected: str | None) -> tuple[str, ...] | Reason:
        if end.type is None:
            return self._annotated.end(end.id, expected)
        if predicates.entity_type(end.type) is None:
            return Reason.UNKNOWN_TYPE
        return self._annotated.relate(end.type, end.id)

    def done(self, text: Text, extent: int) -> Document:
        """Return the finished document, and count the problems with its annotations.

        Args:
            text: Title, abstract, year and journal of the document.
            extent: The largest offset that an annotation may have.
        """
        self._rows.documents += 1
        for kind, count in (
            (BEYOND_TEXT, sum(not 0 <= start <= end <= extent for start, end in self._spans)),
            (UNMATCHED_VARIANT, self._annotated.unmatched),
        ):
            if count:
                self._rows.problems[kind] += count
        return Document(
            self.pmid,
            text.title,
            text.abstract,
            text.year,
            text.journal,
            self._annotated.mentions(),
            tuple(self._relations),
        )
