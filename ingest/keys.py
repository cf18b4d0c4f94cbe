"""Keys by number. A release names a few hundred thousand concepts tens of millions of times: rows carry numbers.

The texts go to a Parquet file as they are met. Two spellings of one key (`A&gt;G`, `A>G`) have two numbers; so has a
key that was met again after the memory for texts was cleared. `normalise.places` makes one of them.
"""

from html import unescape
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from groundwork.vocabulary import TYPES
from ingest.rejects import Reason

#: Each number with its key, unescaped.
KEYS = pa.schema([pa.field("code", pa.int32(), nullable=False), pa.field("key", pa.string(), nullable=False)])

_REMEMBERED = 4_000_000  # texts whose number is known
_OFTEN = 500_000  # of them those met first, which are looked up in bulk: mostly the ones met most often
_WRITTEN = 100_000  # keys written at once


class Keys:
    """Gives each text a number. A context manager: the file is whole when it is left.

    Args:
        file: The Parquet file (`KEYS`) that gets the keys.
    """

    def __init__(self, file: Path) -> None:
        self._writer = pq.ParquetWriter(file, KEYS, compression="zstd")
        self._codes: dict[str, int] = {}  # -1 for what is no key
        self._often = pa.array([], pa.string())
        self._often_codes = np.array([], np.int32)
        self._new: list[str] = []
        self._next = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write()
        self._writer.close()

    def codes(self, *columns: pa.StringArray) -> list[npt.NDArray[np.int32]]:
        """The number of each text of some columns, as it stands in a file; -1 where it is no key."""
        texts = pa.chunked_array(columns, pa.string())
        places = pc.index_in(texts, value_set=self._often)
        codes = self._looked_up(texts, places) if places.null_count else self._often_codes[places.to_numpy()]
        return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])

    def _looked_up(self, texts: pa.ChunkedArray, places: pa.ChunkedArray) -> npt.NDArray[np.int32]:
        """The numbers of texts, of which some are not among those met often."""
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
        """The number of one text as it stands in a file; -1 if it is no key."""
        found = self._codes.get(text)
        if found is None:
            plain = key(text)
            found = -1 if isinstance(plain, Reason) else self._add(plain)
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
    """The key `Type|ID` with HTML entities unescaped, or why it is none."""
    plain = unescape(text)
    kind, _, ident = plain.partition("|")
    if kind not in TYPES:
        return Reason.UNKNOWN_TYPE
    return Reason.EMPTY_ID if ident.strip() in {"", "-"} else plain
