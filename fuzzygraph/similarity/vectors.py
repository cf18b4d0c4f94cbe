"""Store vectors of names on disk, so that each model embeds a name only once and an interrupted run can continue.

Each model (with its pooling and version) has a folder under HOME/vectors with two files that only grow:
`rows.f32` with the vectors, and `names.hash` with 16 bytes per name in the same order. A row counts once both files
hold it; the next run removes what an interrupted run left incomplete. Rows are read through the system's file cache: a
million vectors of 768 numbers take 3 GB on disk, and no memory that another program needs.
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
from groundwork import manifest
from groundwork.disk import full, is_full
from groundwork.errors import ModelError

_HASH = 16
_ROWS, _NAMES, _ABOUT = "rows.f32", "names.hash", "about.json"

Hashes = NDArray[np.void]
_NOTHING: Singles = np.zeros((0, 1), np.float32)


class Chosen:
    """Some rows of a table of vectors, in any order, read on demand.

    Args:
        rows: (n, d) float32.
        places: Positions of the rows.
    """

    def __init__(self, rows: Singles, places: Places) -> None:
        self._rows, self._places = rows, places

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of chosen rows, and numbers per row."""
        return len(self._places), self._rows.shape[1]

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, which: slice | Places | Short, /) -> Singles:
        found: Singles = np.asarray(self._rows[self._places[which]])
        return found


class Vectors:
    """The stored vectors of one model.

    Args:
        home: The folder HOME.
        identity: What the vectors depend on besides the name: the model, its pooling and its version.
    """

    def __init__(self, home: Path, identity: str) -> None:
        self.folder = home.absolute() / "vectors" / sha256(identity.encode()).hexdigest()[:16]
        self._identity = identity

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock these vectors against other runs, and remove what an interrupted run left incomplete."""
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
        """The length of a vector; 0 before the first is stored."""
        about = self.folder / _ABOUT
        return int(json.loads(about.read_text("utf-8"))["width"]) if about.is_file() else 0

    def missing(self, names: Sequence[str]) -> list[str]:
        """Return the names without a stored vector, in order."""
        known = set(self._hashes().tolist())
        return [name for name in names if _hash(name) not in known]

    def add(self, names: Sequence[str], rows: Singles) -> None:
        """Store the vectors of new names. Both files are on disk before this returns.

        Raises:
            ModelError: The vectors have another length than those already stored for this model.
        """
        if not len(rows):
            return
        width = self.width
        if not width:
            about = {"identity": self._identity, "width": rows.shape[1]}
            manifest.replace(self.folder / _ABOUT, json.dumps(about, indent=1))
        elif width != rows.shape[1]:
            raise ModelError(
                f"the embedder gave vectors of {rows.shape[1]} numbers, but those stored in {self.folder} have {width}",
                "one length per model",
                "remove that folder if the model was changed, and run the command again",
            )
        _append(self.folder / _ROWS, np.ascontiguousarray(rows, np.float32).tobytes())
        _append(self.folder / _NAMES, b"".join(map(_hash, names)))

    def places(self, names: Sequence[str]) -> Places:
        """Return the row of each name in `table`, as an array (names,); -1 for a name without a vector."""
        place = {code: at for at, code in enumerate(self._hashes().tolist())}
        return np.fromiter((place.get(_hash(name), -1) for name in names), np.int64, len(names))

    def table(self) -> Singles:
        """Return all rows, read from the file on demand. Rows added later are not included."""
        count = len(self._hashes())
        return np.memmap(self.folder / _ROWS, np.float32, "r", shape=(count, self.width)) if count else _NOTHING

    def _hashes(self) -> Hashes:
        path = self.folder / _NAMES
        return np.frombuffer(path.read_bytes() if path.is_file() else b"", np.dtype((np.void, _HASH)))

    def _mend(self) -> None:
        """Cut both files to the rows that are complete in both."""
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
