"""Readers of thesauri: files that add names to concepts which are in the graph. They add no concepts.

`genes` files are NCBI's gene_info: symbol, synonyms, organism and description of genes. `names` files are a table of
keys and names, or MeSH's descriptors or supplementary records in XML. A table of all human genes with a symbol comes
with the program (`HUMAN_GENES`), made from NCBI's gene_info, which is in the public domain:

    python -m ingest.thesauri Homo_sapiens.gene_info.gz
"""

import codecs
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq
from lxml import etree

from groundwork.errors import InputError
from groundwork.organisms import HUMAN
from groundwork.ports import Progress, Silent
from groundwork.records import split_key
from ingest.columns import key
from ingest.pubmed.reader import elements
from ingest.rejects import Reason, Rejects, RowCount, decoded, fields
from ingest.release import SourceFile

#: Names of concepts. A row with an organism (NCBI taxon id) has the description of a gene and its symbol, which is its
#: preferred name (empty if it has none). The other names of the gene are in rows without an organism.
ADDED = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("organism", pa.string(), nullable=False),
        pa.field("description", pa.string(), nullable=False),
    ]
)

#: The symbols and descriptions of human genes, a table with the schema `ADDED`.
HUMAN_GENES = Path(__file__).with_name("human_genes.parquet")

_NUMBER = re.compile(r"[1-9]\d{0,17}")
#: The columns of gene_info that are read: tax_id, GeneID, Symbol, Synonyms, description. Files have 13 to 16 columns.
_TAXON, _GENE, _SYMBOL, _SYNONYMS, _DESCRIPTION = 0, 1, 2, 4, 8
_COLUMNS = range(13, 17)
_NONE = "-"
#: MeSH's records that name chemicals and diseases, with how the names of their elements begin, and where terms are.
_MESH = {"DescriptorRecord": "Descriptor", "SupplementalRecord": "SupplementalRecord"}
_TERMS = "ConceptList/Concept/TermList/Term/String"
_MESH_ID = re.compile(r"[DC]\d+")
_MESH_TYPES = ("Chemical", "Disease")
_RECORDS = 1_000  # number of records in one batch
#: NCBI's symbol for a gene that has not been named yet.
_UNNAMED = "NEWENTRY"

Row = tuple[str, str, str, str]
Parser = Callable[[bytes], list[Row] | Reason]


def read_genes(
    files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[pa.RecordBatch]:
    """Yield the names of genes as batches of `ADDED`, from files in the format of NCBI's gene_info.

    Args:
        files: The files, each read to its end, one after the other. A line that begins with `#` is no row.
        rejects: Receives the lines that are not genes.
        rows: Receives the number of rows kept.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If a file cannot be read to its end, or contains no row.
    """
    return _read(files, _gene, rejects, rows, progress)


def read_names(
    files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[pa.RecordBatch]:
    """Yield names as batches of `ADDED`, from files with the tab-separated columns key and name, or from MeSH's XML.

    A record of MeSH may be a chemical or a disease; it names the one that is in the graph. Arguments and errors are
    those of `read_genes`.
    """
    for file in files:
        if file.peek(progress).removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<"):
            yield from _read_mesh(file, rejects, rows, progress)
        else:
            yield from _read([file], _name, rejects, rows, progress)


def _read_mesh(file: SourceFile, rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[pa.RecordBatch]:
    """Yield the names in a file of MeSH: those of the record, and the terms of all its concepts."""
    found = elements(file, tuple(_MESH), progress)
    while some := list(islice(map(_mesh_names, found), _RECORDS)):
        kept = [names for names in some if not isinstance(names, tuple)]
        for line, text in (names for names in some if isinstance(names, tuple)):
            rejects.add(file.path, line, Reason.EMPTY_ID, text)
        rows.kept += len(kept)
        yield _batch([row for names in kept for row in names])


def _mesh_names(record: etree._Element) -> list[Row] | tuple[int, str]:
    """Return the names of one record of MeSH; its line and text if it has no id or no name."""
    kind = _MESH[record.tag]
    ident = (record.findtext(f"{kind}UI") or "").strip()
    texts = [record.findtext(f"{kind}Name/String"), *(term.text for term in record.iterfind(_TERMS))]
    names = dict.fromkeys(" ".join(text.split()) for text in texts if text and text.strip())
    if not (_MESH_ID.fullmatch(ident) and names):
        return cast("int", record.sourceline), etree.tostring(record, encoding="unicode")
    return [(f"{type_name}|MESH:{ident}", name, "", "") for type_name in _MESH_TYPES for name in names]


def _read(
    files: Iterable[SourceFile], parse: Parser, rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[pa.RecordBatch]:
    for file in files:
        for block in file.blocks(progress):
            kept: list[Row] = []
            for number, line in block.lines():
                if not line or line.startswith(b"#"):
                    continue
                found = parse(line)
                if isinstance(found, Reason):
                    rejects.add(file.path, number, found, line)
                else:
                    rows.kept += 1
                    kept += found
            yield _batch(kept)


def _batch(rows: Sequence[Row]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True) if rows else [()] * len(ADDED)
    return pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in columns], schema=ADDED)


def _gene(line: bytes) -> list[Row] | Reason:
    """Return the symbol and the synonyms of a gene, or the reason why the line is no gene."""
    text = decoded(line)
    if isinstance(text, Reason):
        return text
    columns = text.split("\t")
    if len(columns) not in _COLUMNS:
        return Reason.WRONG_COLUMN_COUNT
    taxon, ident, symbol = (columns[at].strip() for at in (_TAXON, _GENE, _SYMBOL))
    if not (_NUMBER.fullmatch(taxon) and _NUMBER.fullmatch(ident)):
        return Reason.MALFORMED_RECORD
    description = columns[_DESCRIPTION].strip()
    named = symbol not in {"", _NONE, _UNNAMED}
    gene = f"Gene|{ident}"
    first = (gene, symbol if named else "", taxon, "" if description == _NONE else description)
    others = dict.fromkeys(name.strip() for name in columns[_SYNONYMS].split("|"))
    return [first, *((gene, name, "", "") for name in others if name not in {"", _NONE, symbol})]


def _name(line: bytes) -> list[Row] | Reason:
    """Return the name of a concept, or the reason why the line has none. An id of MeSH may stand without a type."""
    columns = fields(line, 2)
    if isinstance(columns, Reason):
        return columns
    ident, name = (" ".join(column.split()) for column in columns)
    found = key(ident if "|" in ident else f"{_MESH_TYPES[0]}|{ident}")
    if isinstance(found, Reason):
        return found
    _, bare = split_key(found)
    if "|" not in ident and not bare.startswith("MESH:"):
        return Reason.UNKNOWN_TYPE
    keys = [found] if "|" in ident else [f"{kind}|{bare}" for kind in _MESH_TYPES]
    return [(each, name, "", "") for each in keys] if name else Reason.EMPTY_NAME


def main(path: str) -> None:
    """Write `HUMAN_GENES` from NCBI's gene_info of human genes."""
    with Rejects(Path("rejects.tsv")) as rejects:
        table = pa.Table.from_batches(read_genes([SourceFile(path)], rejects, RowCount(), Silent()))
    chosen = (row for row in table.to_pylist() if row["organism"] == HUMAN and row["name"])
    human = sorted(chosen, key=itemgetter("key"))
    if not human:
        raise InputError(f"no human gene in {path}", "NCBI's Homo_sapiens.gene_info.gz", "give that file")
    found = pa.Table.from_pylist(human, ADDED)
    pq.write_table(found, HUMAN_GENES, compression="zstd", compression_level=22, use_dictionary=["organism"])


if __name__ == "__main__":
    main(sys.argv[1])
