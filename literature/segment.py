"""A segment of the embedded index: some documents and the postings of their terms, in arrays that never change.

A term is stored as the 64-bit BLAKE2 hash of its token. Among ten million tokens, the probability that two have the
same hash is 3e-6. A posting names a document and a kind. The kind says how often the document holds the term and how
long the document is. A segment has some hundred kinds, so a search computes the saturation of each kind only once.

A segment is a file of named one-dimensional arrays, which is memory-mapped instead of read. The file begins with the
length of its header (8 bytes, little-endian) and the header in JSON. For each array, the header gives the name, NumPy's
name of the type, the number of elements, and the start as an offset from the end of the header. Each array starts at a
multiple of 64 bytes.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from isal import isal_zlib

from groundwork.files import loads
from groundwork.study import DESIGNS, Study, study_of
from literature import stored

Array = np.ndarray[Any, Any]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_ALIGNED = 64


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write a file of arrays. The file is on the disk when this function returns.

    Raises:
        OSError: The file cannot be written.
    """
    places, end = [], 0
    for name, array in arrays.items():
        places.append((name, array.dtype.str, len(array), end))
        end += -(-array.nbytes // _ALIGNED) * _ALIGNED
    header = json.dumps(places).encode()
    header += b" " * (-(8 + len(header)) % _ALIGNED)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(bytes(-array.nbytes % _ALIGNED))
        file.flush()
        os.fsync(file.fileno())


def mapped_arrays(path: Path) -> dict[str, Array]:
    """Map a file of arrays into memory. Return the arrays by name. Writing into them does not change the file.

    The arrays are not read-only, because numba takes 20 microseconds longer for each read-only array.

    Raises:
        OSError: The file cannot be opened.
        ValueError: The file is not a file of arrays.
    """
    whole = np.memmap(path, np.uint8, "c").view(np.ndarray)
    begin = 8 + int.from_bytes(whole[:8].tobytes(), "little")
    places = loads(whole[8:begin].tobytes())
    found = {}
    for name, kind, count, start in places:
        stop = start + count * np.dtype(kind).itemsize
        found[name] = whole[begin + start : begin + stop].view(kind)
    return found


#: Largest number of documents in a segment: replacing one document rewrites up to that many. Postings number documents
#: with 16 bits.
LARGEST = 32_768

#: Stands for the year of a document without a year.
UNDATED = -(2**63)

#: Compression level of isal for stored documents. It halves a document's size and takes some microseconds.
_LEVEL = 1
#: The error of isal for damaged data. The type stub declares the class as an instance.
_BROKEN = cast(type[Exception], isal_zlib.error)


def hashes(tokens: Iterable[str]) -> Array:
    """Return the terms (hashes) of tokens, in the same order, as unsigned 64-bit numbers."""
    return np.frombuffer(b"".join(blake2b(token.encode(), digest_size=8).digest() for token in tokens), "<u8")


@dataclass(frozen=True, slots=True)
class Segment:
    """Documents and their postings.

    Attributes:
        pmids: The PMIDs of the documents, ascending (int64).
        retracted: Whether each document is a retracted article (bool).
        terms: The terms, ascending (uint64).
        first: For each term, the index of its first posting. The last entry is the number of postings (int64).
        documents: The document of each posting, as its place in `pmids`; ascending within a term (uint16).
        kinds: The kind of each posting (uint16, or uint32 if there are more than 65,536 kinds).
        frequencies: For each kind, how often the document holds the term (uint32).
        lengths: For each kind, the length of the document as `bm25.stored_length` returns it (uint32).
        titles: The documents' titles, one after the other (UTF-8).
        title_ends: For each title, the position in `titles` after its end (int64).
        sources: The documents' stored fields as JSON, each compressed on its own, one after the other.
        source_ends: For each document, the position in `sources` after its stored fields (int64).
        years: The year of each document, or UNDATED (int64); None in a file of format 3, see `published`.
        notices: Whether each document is a notice (bool); None in a file of format 4 or earlier, see `uncounted`.
        designs: The design of each document as its place in `groundwork.study.DESIGNS` plus 1, or 0 (uint8); None in a
            file of format 5 or earlier, see `studies`.
        taxa: The taxon id of the organism that each document is about, or 0 (uint32); None together with `designs`.
        dois: The hash of each document's DOI, as of a term, or 0 (uint64); None together with `designs`.
    """

    pmids: Ints
    retracted: Bools
    terms: Array
    first: Ints
    documents: Array
    kinds: Array
    frequencies: Array
    lengths: Array
    titles: Bytes
    title_ends: Ints
    sources: Bytes
    source_ends: Ints
    years: Ints | None = None
    notices: Bools | None = None
    designs: Array | None = None
    taxa: Array | None = None
    dois: Array | None = None

    @classmethod
    def opened(cls, path: Path) -> Self:
        """Map a segment from its file.

        Raises:
            OSError: The file cannot be opened.
            ValueError: The file is not a segment.
        """
        found = mapped_arrays(path)
        if {*found, "years", "notices", "designs", "taxa", "dois"} != {field.name for field in fields(cls)}:
            raise ValueError(f"{path} holds {', '.join(found)}, which is not a segment")
        return cls(**found)

    def save(self, path: Path) -> None:
        """Write the segment. It is on the disk when this method returns.

        Raises:
            OSError: The file cannot be written.
        """
        write_arrays(path, {field.name: getattr(self, field.name) for field in fields(self)})

    def __len__(self) -> int:
        return len(self.pmids)

    def counts(self) -> tuple[int, int]:
        """Return how many documents hold at least one token, and how many tokens they hold in all."""
        said = np.zeros(len(self), dtype=bool)
        said[self.documents] = True
        of_kind = np.bincount(self.kinds, minlength=len(self.frequencies))
        return int(said.sum()), int(of_kind @ self.frequencies.astype(np.int64))

    def rows(self, terms: Array) -> Ints:
        """Return the row of each term (its index in the `terms` of this segment); -1 if the segment lacks the term."""
        rows = np.searchsorted(self.terms, terms)
        rows[rows == len(self.terms)] = -1
        if len(self.terms):
            rows[self.terms[rows] != terms] = -1
        return rows

    def holding(self, rows: Ints) -> Ints:
        """Return how many documents hold the term of each row; 0 for row -1."""
        counts: Ints = np.where(rows < 0, 0, self.first[rows + 1] - self.first[rows])
        return counts

    def places(self, pmids: Array) -> Ints:
        """Return the places (indexes) of those PMIDs that the segment holds. The given PMIDs must be ascending."""
        found = np.searchsorted(self.pmids, pmids)
        inside = found < len(self)
        found, wanted = found[inside], pmids[inside]
        places: Ints = found[self.pmids[found] == wanted]
        return places

    def title(self, place: int) -> str:
        """Return the title of a document."""
        return _piece(self.titles, self.title_ends, place).decode("utf-8", "surrogatepass")

    def source(self, place: int) -> dict[str, Any]:
        """Return the stored fields of a document.

        Raises:
            ValueError: The stored fields are damaged.
        """
        try:
            found: dict[str, Any] = loads(isal_zlib.decompress(_piece(self.sources, self.source_ends, place)))
        except _BROKEN as error:
            raise ValueError(f"document {self.pmids[place]}: {error}") from error
        return found

    def published(self) -> Ints:
        """Return the year of each document, or UNDATED. In a file of format 3, this reads all stored fields.

        Raises:
            ValueError: The stored fields are damaged.
        """
        if self.years is not None:
            return self.years
        return np.array([dated(self.source(place)) for place in range(len(self))], dtype=np.int64)

    def uncounted(self) -> Bools:
        """Return whether each document is a notice. In a file of format 4 or earlier, this reads all stored fields.

        Raises:
            ValueError: The stored fields are damaged.
        """
        if self.notices is not None:
            return self.notices
        return np.array([stored.uncounted(self.source(place)) for place in range(len(self))], dtype=bool)

    def studies(self) -> tuple[Array, Array]:
        """Return the arrays `designs` and `taxa`. In a file of format 5 or earlier, this reads all stored fields.

        Raises:
            ValueError: The stored fields are damaged.
        """
        if self.designs is not None and self.taxa is not None:
            return self.designs, self.taxa
        return coded(study_of(stored.abstract(self.source(place))) for place in range(len(self)))

    def identified(self) -> Array:
        """Return the array `dois`. In a file of format 5 or earlier no document has a DOI."""
        return np.zeros(len(self), np.uint64) if self.dois is None else self.dois

    def study(self, place: int) -> Study:
        """Return the kind of study that a document reports.

        Raises:
            ValueError: The stored fields are damaged.
        """
        if self.designs is None or self.taxa is None:
            return study_of(stored.abstract(self.source(place)))
        design, taxon = int(self.designs[place]), int(self.taxa[place])
        return Study(DESIGNS[design - 1] if design else None, str(taxon) if taxon else "")


def coded(studies: Iterable[Study]) -> tuple[Array, Array]:
    """Return the designs and the organisms of documents as the arrays of a segment."""
    pairs = [(DESIGNS.index(each.design) + 1 if each.design else 0, int(each.taxon or 0)) for each in studies]
    return np.array([code for code, _ in pairs], np.uint8), np.array([taxon for _, taxon in pairs], np.uint32)


def identifiers(dois: Sequence[str]) -> Array:
    """Return the hashes of DOIs, 0 for an empty one, as the array of a segment."""
    return np.where([bool(doi) for doi in dois], hashes(dois), 0) if dois else np.empty(0, np.uint64)


def dated(fields: Mapping[str, Any]) -> int:
    """Return the year in the stored fields of a document, or UNDATED."""
    year: int | None = fields["year"]
    return UNDATED if year is None else year


def compressed(source: bytes) -> bytes:
    """Return the JSON of a document's stored fields, compressed for a segment."""
    return isal_zlib.compress(source, _LEVEL)


def joined(texts: Sequence[bytes]) -> tuple[Bytes, Ints]:
    """Join texts into one array. Return the array, and the position in the array after the end of each text."""
    return np.frombuffer(b"".join(texts), np.uint8), np.cumsum([len(text) for text in texts], dtype=np.int64)


def chosen(texts: Bytes, ends: Ints, kept: Bools) -> Iterator[bytes]:
    """Yield those of the joined texts for which `kept` is true, in order."""
    for place in np.flatnonzero(kept).tolist():
        yield _piece(texts, ends, place)


def _piece(texts: Bytes, ends: Ints, place: int) -> bytes:
    return texts[ends[place - 1] if place else 0 : ends[place]].tobytes()
