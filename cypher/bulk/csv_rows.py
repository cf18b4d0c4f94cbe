"""The input of neo4j-admin's importer: CSV files. A character that no value contains separates the items of lists."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from cypher import schema
from cypher.caption import article_urls, caption, url
from cypher.names import forms_of
from cypher.rows import concepts_of
from groundwork.errors import InputError
from groundwork.ports.graph import Batches
from groundwork.records import Release
from groundwork.settings import Settings
from groundwork.vocabulary import VARIANTS

CONCEPTS, EDGES, RELEASE, SHAPE = "concepts.csv", "edges.csv", "release.csv", "input.json"

#: Possible separators of list items: control characters for this purpose, then private-use characters.
_SEPARATORS = ("\x1f", "\x1e", "\x1d", "\x1c", *map(chr, range(0xE000, 0xE010)))
_KINDS = {int: "long", str: "string"}


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of the input that the importer needs, and the expected result.

    Attributes:
        separator: The separator of list items.
        multiline: Whether a value contains a line end.
        longest: UTF-8 bytes of the longest value.
        nodes: Number of rows of concepts, plus one for the release.
        relationships: Number of rows of edges.
    """

    separator: str
    multiline: bool
    longest: int
    nodes: int
    relationships: int

    @classmethod
    def of(cls, folder: Path) -> "Shape":
        """Return the shape of the input in a folder."""
        return cls(**json.loads((folder / SHAPE).read_text("utf-8")))


class _PartedError(Exception):
    """A value contains the separator."""


def write(folder: Path, release: Release, concepts: Batches, edges: Batches, settings: Settings) -> None:
    """Write the input; see `BulkImport.write`."""
    for separator in _SEPARATORS:
        with suppress(_PartedError):
            nodes = _Values(_concept_columns(concepts(), separator))
            _save(nodes, folder / CONCEPTS)
            links = _Values(_edge_columns(edges(), separator, release, settings))
            _save(links, folder / EDGES)
            break
    else:
        raise InputError(
            "the names of a concept contain every character that could separate them", "names as in PubTator's releases"
        )
    _save([_release_columns(release)], folder / RELEASE)
    longest = max(nodes.longest, links.longest)
    shape = Shape(separator, nodes.multiline, longest, nodes.rows + 1, links.rows)
    (folder / SHAPE).write_text(json.dumps(asdict(shape)), "utf-8")


class _Values:
    """Passes tables on, and measures them: number of rows, longest value, and whether a value has several lines."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._tables = tables
        self.rows, self.longest, self.multiline = 0, 0, False

    def __iter__(self) -> Iterator[pa.Table]:
        for table in self._tables:
            texts = [column for column in table.columns if pa.types.is_string(column.type)]
            self.rows += table.num_rows
            self.longest = max([self.longest, *(pc.max(pc.binary_length(text)).as_py() or 0 for text in texts)])
            self.multiline |= any(pc.any(pc.match_substring_regex(text, "[\r\n]")).as_py() for text in texts)
            yield table


def _concept_columns(batches: Iterable[pa.RecordBatch], separator: str) -> Iterator[pa.Table]:
    """Yield the columns of concepts, with the values of `bolt.parameter_rows.concept_row`.

    CSV cannot express empty lists; `BoltWriter.complete_import` adds them after the import.
    """
    for batch in batches:
        rows = schema.concept_rows(pa.Table.from_batches([batch]))
        concepts = list(concepts_of([batch]))
        forms = pa.array([sorted(forms_of(concept)) for concept in concepts], pa.list_(pa.string()))
        kinds = rows["type"].to_pylist()
        labels = [
            separator.join(("Concept", kind, "Variant") if kind in VARIANTS else ("Concept", kind)) for kind in kinds
        ]
        columns = {
            "key:ID": rows["key"],
            "id:string": rows["id"],
            "type:string": rows["type"],
            "name:string": rows["name"],
            "synonyms:string[]": _join_lists(rows["synonyms"], separator),
            "counts:long[]": _join_lists(rows["counts"], separator),
            "mentions:long": rows["mentions"],
            "organism:string": rows["organism"],
            "description:string": rows["description"],
            "forms:string[]": _join_lists(pa.chunked_array([forms]), separator),
            "caption:string": pa.array(map(caption, concepts), pa.string()),
            "url:string": pa.array(map(url, concepts), pa.string()),
            ":LABEL": pa.array(labels, pa.string()),
        }
        yield pa.table(columns)


def _edge_columns(
    batches: Iterable[pa.RecordBatch], separator: str, release: Release, settings: Settings
) -> Iterator[pa.Table]:
    """Yield the columns of edges, as `bolt.edges` writes them."""
    for batch in batches:
        rows = schema.edge_rows(pa.Table.from_batches([batch]), [release.id] * batch.num_rows, settings)
        columns = {
            ":START_ID": rows["from"],
            ":END_ID": rows["to"],
            ":TYPE": pc.utf8_upper(batch["relation"]),
            "pmids:long[]": _join_lists(rows["pmids"], separator),
            "articles:long": rows["articles"],
            "first_pmid:long": rows["first_pmid"],
            "last_pmid:long": rows["last_pmid"],
            "belief:double": rows["belief"],
            "changed_in:string": rows["changed_in"],
            "url:string": article_urls(rows["pmids"].combine_chunks()),
        }
        yield pa.table(columns)


def _release_columns(release: Release) -> pa.Table:
    columns = {f"{name}:{_KINDS[type(value)]}": [value] for name, value in release.flat.items()}
    return pa.table({**columns, ":LABEL": ["Release"]})


def _join_lists(lists: pa.ChunkedArray, separator: str) -> pa.ChunkedArray:
    """Return each list as one text, in which `separator` separates the items."""
    if pa.types.is_string(lists.type.value_type):
        items = pc.list_flatten(lists)
        if pc.any(pc.match_substring(items, separator)).as_py():
            raise _PartedError
    return pc.binary_join(lists.cast(pa.list_(pa.string())), separator)


def _save(tables: Iterable[pa.Table], file: Path) -> None:
    """Write tables as one CSV file with a header; texts are quoted as in RFC 4180."""
    writer: csv.CSVWriter | None = None
    for table in tables:
        writer = writer or csv.CSVWriter(file, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
