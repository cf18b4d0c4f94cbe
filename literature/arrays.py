"""A file of named one-dimensional arrays, which is mapped and not read.

The file begins with the length of its header (8 bytes, little-endian) and the header, which is JSON: for each array its
name, NumPy's name of its type, its number of elements and where it begins. Each array begins at a multiple of 64 bytes.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_ALIGNED = 64


def write(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write a file of arrays; it is on the disk when this returns.

    Raises:
        OSError: It cannot be written.
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
    """Map a file of arrays, which is not changed through them: what is written into them goes with the process.

    They are open for writing all the same, since numba takes 20 microseconds longer for each array that is not.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no such file.
    """
    whole = np.memmap(path, np.uint8, "c").view(np.ndarray)
    begin = 8 + int.from_bytes(whole[:8].tobytes(), "little")
    places = json.loads(whole[8:begin].tobytes())
    found = {}
    for name, kind, count, start in places:
        stop = start + count * np.dtype(kind).itemsize
        found[name] = whole[begin + start : begin + stop].view(kind)
    return found
