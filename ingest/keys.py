"""Number the keys of a release. Some hundred thousand concepts occur tens of millions of times, so rows store numbers.

A key is written to a Parquet file when it first occurs. Two spellings of one key (`A&gt;G`, `A>G`) get two numbers. A
key that occurs again after the memory for keys was cleared also gets a second number. `normalise.places` gives all
numbers of a key the same place.
"""

from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from groundwork.records import split_key
from groundwork.vocabulary import TYPES
from ingest import identifiers
from ingest.rejects import Reason

#: Each number with its key, as `key` returns it.
KEYS = pa.schema([pa.field("code", pa.int32(), nullable=False), pa.field("key", pa.string(), nullable=False)])

_REMEMBERED = 4_000_000  # number of texts kept in memory with their numbers
_OFTEN = 500_000  # this many of the first texts are looked up in bulk; most of the frequent texts are among them
_WRITTEN = 100_000  # number of keys written at once


class Keys:
    """Gives each text a number. It is a context manager; the file is complete when the context ends.

    Args:
        file: The Parquet file (`KEYS`) for the keys.

    Attributes:
        organisms: Taxon id of each gene whose organism the texts tell, by key.
    """

    def __init__(self, file: Path) -> None:
        self._writer = pq.ParquetWriter(file, KEYS, compression="zstd")
        self._codes: dict[str, int] = {}  # -1 if the text is not a key
        self._often = pa.array([], pa.string())
        self._often_codes = np.array([], np.int32)
        self._new: list[str] = []
        self._next = 0
        self.organisms: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()
        self._writer.close()

    def codes(self, *columns: pa.StringArray) -> list[npt.NDArray[np.int32]]:
        """Return the number of each text in some columns of a file; -1 for a text that is not a key."""
        texts = pa.chunked_array(columns, pa.string())
        places = pc.index_in(texts, value_set=self._often)
        codes = self._looked_up(texts, places) if places.null_count else self._often_codes[places.to_numpy()]
        return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])

    def _looked_up(self, texts: pa.ChunkedArray, places: pa.ChunkedArray) -> npt.NDArray[np.int32]:
        """Return the number of each text; -1 for a text that is not a key.

        `places` holds the position of each text among the texts that are looked up in bulk (`_often`); null for a text
        that is not among them yet.
        """
        rare = np.flatnonzero(places.is_null().to_numpy())
        others = texts.take(pa.array(rare)).combine_chunks().dictionary_encode()
        known, names = self._codes, others.dictionary.to_pylist()
        found = np.fromiter(
            (code if (code := known.get(name)) is not None else self.code(name) for name in names), np.int32, len(names)
        )
        known_or_none = np.append(self._often_codes, np.int32(-1))
        codes: npt.NDArray[np.int32] = known_or_none[places.fill_null(len(self._often)).to_numpy()]
        codes[rare] = found[others.indices.to_numpy()]
        room = _OFTEN - len(self._often)
        self._often = pa.concat_arrays([self._often, others.dictionary[:room]])
        self._often_codes = np.append(self._often_codes, found[:room])
        return codes

    def code(self, text: str) -> int:
        """Return the number of one text of a file; -1 if the text is not a key."""
        found = self._codes.get(text)
        if found is None:
            plain = key(text)
            found = -1 if isinstance(plain, Reason) else self._add(plain)
            self.organisms |= identifiers.organisms(*split_key(text))
            if len(self._codes) >= _REMEMBERED:
                self._codes.clear()
            self._codes[text] = found
        return found

    def _add(self, plain: str) -> int:
        if len(self._new) >= _WRITTEN:
            self._write()
        self._new.append(plain)
        self._next += 1
        return self._next - 1

    def _write(self) -> None:
        codes = np.arange(self._next - len(self._new), self._next, dtype=np.int32)
        self._writer.write_batch(
            pa.RecordBatch.from_arrays([pa.array(codes), pa.array(self._new, pa.string())], schema=KEYS)
        )
        self._new.clear()


def key(text: str) -> str | Reason:
    """Return the key that a text `Type|ID` of a file means (see `identifiers.keys`), or the reason why it means none.

    A text with several ids is refused, because it does not say which of them it means.
    """
    kind, _, ident = text.partition("|")
    if kind not in TYPES:
        return Reason.UNKNOWN_TYPE
    found = identifiers.keys(kind, ident)
    if isinstance(found, Reason):
        return found
    return found[0] if len(found) == 1 else Reason.AMBIGUOUS_ID
