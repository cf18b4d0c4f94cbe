"""A file of named one-dimensional arrays, which is memory-mapped instead of read.

The file begins with the length of its header (8 bytes, little-endian) and the header in JSON. For each array, the
header gives the name, NumPy's name of the type, the number of elements, and the start as an offset from the end of the
header. Each array starts at a multiple of 64 bytes.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from groundwork.json_text import loads

Array = np.ndarray[Any, Any]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_ALIGNED = 64


def write(path: Path, arrays: Mapping[str, Array]) -> None:
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


def mapped(path: Path) -> dict[str, Array]:
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
