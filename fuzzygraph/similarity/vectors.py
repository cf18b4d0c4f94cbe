"""Vectors of names kept on the disk: a name is embedded once for each model, and a run that was cut off goes on.

A folder for each model (with its pooling, precision and version) under HOME/vectors holds two files that only grow:
`rows.f32`, the vectors, and `names.hash`, 16 bytes a name in the same order. A row counts once both files hold it, so
what a killed run left half-written is cut off by the next. The rows are read through the system's file cache: a
million vectors of 768 numbers take 3 GB of disk, and of memory what is free.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from fuzzygraph.similarity.nearest import Places, Short, Singles
from groundwork.disk import full, is_full
from groundwork.errors import ModelError

_HASH = 16
_ROWS, _NAMES, _ABOUT = "rows.f32", "names.hash", "about.json"

Hashes = NDArray[np.void]
_NOTHING: Singles = np.zeros((0, 1), np.float32)


class Chosen:
    """Some rows of a table of vectors, in an order of one's own, read when asked for.

    Args:
        rows: (n, d) float32.
        places: Which of them.
    """

    def __init__(self, rows: Singles, places: Places) -> None:
        self._rows, self._places = rows, places

    @property
    def shape(self) -> tuple[int, ...]:
        """(chosen, d)."""
        return len(self._places), self._rows.shape[1]

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, which: slice | Places | Short, /) -> Singles:
        found: Singles = np.asarray(self._rows[self._places[which]])
        return found


class Vectors:
    """The vectors of one model.

    Args:
        home: The folder HOME.
        identity: What the vectors depend on beside the name: the model, how it pools, which version.
    """

    def __init__(self, home: Path, identity: str) -> None:
        self.folder = home.absolute() / "vectors" / sha256(identity.encode()).hexdigest()[:16]
        self._identity = identity

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs from these vectors, and cut off what a killed run left half-written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / "lock"):
                self._mend()
                yield
        except OSError as error:
            if is_full(self.folder, str(error)):
                raise full(self.folder, error) from error
            raise

    @property
    def width(self) -> int:
        """Numbers in a vector; 0 before the first is there."""
        about = self.folder / _ABOUT
        return int(json.loads(about.read_text("utf-8"))["width"]) if about.is_file() else 0

    def missing(self, names: Sequence[str]) -> list[str]:
        """Those names that have no vector here yet, in their order."""
        known = set(self._hashes().tolist())
        return [name for name in names if _hash(name) not in known]

    def add(self, names: Sequence[str], rows: Singles) -> None:
        """Keep the vectors of names that have none; both files are on the disk before this returns.

        Raises:
            ModelError: Vectors of another length than those kept of this model.
        """
        if not len(rows):
            return
        width = self.width
        if not width:
            draft = self.folder / f"{_ABOUT}.part"
            draft.write_text(json.dumps({"identity": self._identity, "width": rows.shape[1]}, indent=1), "utf-8")
            draft.replace(self.folder / _ABOUT)
        elif width != rows.shape[1]:
            raise ModelError(
                f"the embedder gave vectors of {rows.shape[1]} numbers, and those kept in {self.folder} have {width}",
                "one length for one model",
                "remove that folder if the model was changed, and run the command again",
            )
        _append(self.folder / _ROWS, np.ascontiguousarray(rows, np.float32).tobytes())
        _append(self.folder / _NAMES, b"".join(map(_hash, names)))

    def places(self, names: Sequence[str]) -> Places:
        """(names,) The row of each name in `table`; -1 for a name that has none."""
        place = {code: at for at, code in enumerate(self._hashes().tolist())}
        return np.fromiter((place.get(_hash(name), -1) for name in names), np.int64, len(names))

    def table(self) -> Singles:
        """All rows, read from the file as they are asked for; later ones are not in it."""
        count = len(self._hashes())
        return np.memmap(self.folder / _ROWS, np.float32, "r", shape=(count, self.width)) if count else _NOTHING

    def _hashes(self) -> Hashes:
        path = self.folder / _NAMES
        return np.frombuffer(path.read_bytes() if path.is_file() else b"", np.dtype((np.void, _HASH)))

    def _mend(self) -> None:
        """Cut both files to the rows that both hold whole."""
        sizes = ((_ROWS, 4 * max(1, self.width)), (_NAMES, _HASH))
        paths = [(self.folder / name, size) for name, size in sizes]
        whole = min(path.stat().st_size // size if path.is_file() else 0 for path, size in paths)
        for path, size in paths:
            if path.is_file() and path.stat().st_size != whole * size:
                os.truncate(path, whole * size)


def _hash(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_HASH).digest()


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
