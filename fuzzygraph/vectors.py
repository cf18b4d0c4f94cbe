"""The vectors of the names of a graph's concepts, stored on disk.

Each model embeds a name only once, and an interrupted run can continue. Each model (with its pooling and version) has a
folder under HOME/vectors with three files that only grow: `rows.f32` with the vectors, `names.hash` with a hash of 16
bytes per name, and `sums.crc32` with a checksum of each vector and its name, all in the same order. A row is valid only
if all three files hold it. Each run first removes the rows that an interrupted run left incomplete, and all rows from
the first damaged one on. Rows are read through the system's file cache: a million vectors of 768 numbers take 3 GB on
disk, and the system can free the cache when another program needs memory.

`named` reads the concepts of a graph and embeds their names. Concepts without a name or a usable vector are left out.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from fuzzygraph.nearest import Places, Rows, Short, Singles
from groundwork import manifest
from groundwork.errors import DamagedStore, InputError, ModelError
from groundwork.files import full, is_full, loads
from groundwork.manifest import Fault
from groundwork.ports import Embedder, GraphReader, Progress

_HASH = 16
_ROWS, _NAMES, _SUMS, _ABOUT = "rows.f32", "names.hash", "sums.crc32", "about.json"
Hashes = NDArray[np.void]
_NOTHING: Singles = np.zeros((0, 1), np.float32)
_BATCH = 4096  # number of names embedded and stored at a time
_LOOKED_AT = 4096  # number of vectors checked for zeros at a time


class _SelectedVectors:
    """Some rows of a table of vectors, in any order, read on demand."""

    def __init__(self, rows: Singles, places: Places) -> None:
        self._rows, self._places = rows, places

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of chosen rows, and length of each row."""
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
        identity: What the vectors depend on besides the embedded name: the model, its pooling and its version.
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
        """The length of each vector; 0 before the first vector is stored.

        Raises:
            DamagedStore: The file about.json, which records the length, is damaged.
        """
        return int(_about(self.folder / _ABOUT).get("width", 0))

    def missing(self, names: Sequence[str]) -> list[str]:
        """Return the names without a stored vector, in order."""
        known = set(self._hashes().tolist())
        return [name for name in names if _hash(name) not in known]

    def add(self, names: Sequence[str], rows: Singles) -> None:
        """Store the vectors of new names. They are on the disk before this method returns.

        Raises:
            ModelError: The vectors do not have the length of the vectors already stored for this model.
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
        kept, hashes = np.ascontiguousarray(rows, np.float32), [_hash(name) for name in names]
        _append(self.folder / _ROWS, kept.tobytes())
        _append(self.folder / _NAMES, b"".join(hashes))
        _append(self.folder / _SUMS, _sums(kept, hashes).tobytes())

    def places(self, names: Sequence[str]) -> Places:
        """Return the row number of each name in `table()`, as an array (names,); -1 for a name without a vector."""
        place = {code: at for at, code in enumerate(self._hashes().tolist())}
        return np.fromiter((place.get(_hash(name), -1) for name in names), np.int64, len(names))

    def table(self) -> Singles:
        """Return all rows, read from the file on demand. Rows added later are not included."""
        count = len(self._hashes())
        return np.memmap(self.folder / _ROWS, np.float32, "r", shape=(count, self.width)) if count else _NOTHING

    def _hashes(self) -> Hashes:
        path = self.folder / _NAMES
        held = path.read_bytes() if path.is_file() else b""
        return np.frombuffer(held[: len(held) // _HASH * _HASH], np.dtype((np.void, _HASH)))

    def _mend(self) -> None:
        """Shorten all files to the rows before the first row that is incomplete or damaged in one of the files."""
        whole = self.undamaged()
        if whole and not (self.folder / _SUMS).is_file():  # stored by an older version of the program
            _append(self.folder / _SUMS, self._computed(whole).tobytes())
        for path, size in self._files():
            if path.is_file() and path.stat().st_size != whole * size:
                os.truncate(path, whole * size)

    def complete(self) -> int:
        """Return the number of complete rows: those that are present in every file.

        An interrupted run can leave files with different numbers of rows. A file of checksums that does not exist is
        ignored.
        """
        files = [(path, size) for path, size in self._files() if path.name != _SUMS or path.is_file()]
        return min(path.stat().st_size // size if size and path.is_file() else 0 for path, size in files)

    def undamaged(self) -> int:
        """Return the number of complete rows before the first one that does not match its checksum. Reads all rows."""
        whole, sums = self.complete(), self.folder / _SUMS
        if not whole or not sums.is_file():
            return whole
        wrong = np.flatnonzero(self._computed(whole) != np.fromfile(sums, np.uint32, whole))
        return int(wrong[0]) if len(wrong) else whole

    def _files(self) -> list[tuple[Path, int]]:
        """Return the files to which rows are appended, each with its number of bytes per row."""
        return [(self.folder / name, size) for name, size in ((_ROWS, 4 * self.width), (_NAMES, _HASH), (_SUMS, 4))]

    def _computed(self, count: int) -> NDArray[np.uint32]:
        """Return the checksums of the first `count` rows, computed anew."""
        rows = np.memmap(self.folder / _ROWS, np.float32, "r", shape=(count, self.width))
        return _sums(rows, self._hashes()[:count].tolist())


def faults(home: Path) -> Iterator[Fault]:
    """Yield a fault for each model whose vectors under HOME are damaged. All vectors are read."""
    for about in sorted((home.absolute() / "vectors").glob(f"*/{_ABOUT}")):
        try:
            held = Vectors(home, _about(about)["identity"])
            first = held.undamaged()
        except DamagedStore as error:
            yield Fault(about, error.seen, error.wanted, error.remedy)
            continue
        if first < held.complete():
            seen = f"does not match {_NAMES} and {_SUMS} from row {first + 1:,} on"
            yield Fault(held.folder / _ROWS, seen, "the vectors as a run left them", _remedy(held.folder))


def _about(path: Path) -> dict[str, Any]:
    """Return the content of about.json; empty before the first vector is stored."""
    try:
        found: dict[str, Any] = loads(manifest.content(path))
        _ = int(found["width"]), str(found["identity"])
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        fault = Fault(path, f"cannot be read: {error}", "the length of the vectors", _remedy(path.parent))
        raise manifest.damaged("a table of vectors", [fault]) from error
    return found


def _remedy(folder: Path) -> str:
    return f"remove {folder}; the next run of ingest similarity computes the vectors again"


def _sums(rows: Singles, hashes: Sequence[bytes]) -> NDArray[np.uint32]:
    """Return one CRC-32 per row, computed from the hash of its name and the row."""
    sums = (crc32(row.tobytes(), crc32(code)) for row, code in zip(rows, hashes, strict=True))
    return np.fromiter(sums, np.uint32, len(hashes))


def _hash(name: str) -> bytes:
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_HASH).digest()


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@dataclass(frozen=True, slots=True)
class NamedConcepts:
    """Concepts that can be compared.

    Attributes:
        keys: Keys of the concepts, in ascending order.
        names: Preferred name of each concept.
        vectors: Vector of each name, (concepts, d); all numbers are finite, and no vector is all zeros.
        embedded: Number of names embedded in this run; the vectors of the other names were already stored.
        left_out: Number of concepts left out, by reason: `unnamed`; `zero_vector` (the embedder gave only zeros);
            `not_finite` (the embedder gave NaN or infinity).
    """

    keys: list[str]
    names: list[str]
    vectors: Rows
    embedded: int
    left_out: dict[str, int]


def named(graph: GraphReader, embedder: Embedder, home: Path | None, progress: Progress) -> NamedConcepts:
    """Read the concepts and embed their names.

    Args:
        graph: Store of the concepts.
        embedder: Model that embeds the names. Each name that has no stored vector is embedded once.
        home: The folder HOME, where vectors are stored. With None, no vectors are stored or read.
        progress: Receives progress.

    Raises:
        InputError: Fewer than two concepts have a name.
        ModelError: The embedder failed, returned an array of a wrong shape, or gave usable vectors for fewer than two
            concepts.
    """
    keys, names, unnamed = _read(graph)
    if len(keys) < 2:
        raise InputError(
            f"{len(keys)} concepts with a name in {graph.address}",
            "at least two to compare",
            "load names first: truthhypo ingest concepts FILE",
        )
    distinct = list(dict.fromkeys(names))
    table, places, embedded = _embedded(embedder, distinct, home, progress)
    of_name = dict(zip(distinct, places.tolist(), strict=True))
    at = np.fromiter((of_name[name] for name in names), np.int64, len(names))
    lost, empty = at < 0, np.zeros(len(at), np.bool_)
    empty[~lost] = _zero(table, at[~lost])
    left_out = {"unnamed": unnamed, "zero_vector": int(empty.sum()), "not_finite": int(lost.sum())}
    usable = np.flatnonzero(~lost & ~empty).tolist()
    if len(usable) < 2:
        raise ModelError(
            f"the embedder {embedder.name} gave a usable vector for {len(usable)} of {len(names)} concepts "
            f"({left_out['zero_vector']} zero, {left_out['not_finite']} not finite)",
            "one vector of finite numbers per name, not all zero",
            "try another embedder",
        )
    chosen = _SelectedVectors(table, at[usable])
    return NamedConcepts([keys[i] for i in usable], [names[i] for i in usable], chosen, embedded, left_out)


def _read(graph: GraphReader) -> tuple[list[str], list[str], int]:
    """Return the keys of named concepts, their preferred names, and the number of concepts without a name."""
    keys, names, unnamed = [], [], 0
    for concept in graph.every_concept():
        if concept.synonyms and concept.name.strip():
            keys.append(concept.key)
            names.append(concept.name)
        else:
            unnamed += 1
    return keys, names, unnamed


def _embedded(
    embedder: Embedder, names: list[str], home: Path | None, progress: Progress
) -> tuple[Singles, Places, int]:
    """Return a table of vectors, the row number of each name, and the number of names embedded in this run.

    The row number is -1 if the vector of the name is not finite.
    """
    if home is None:
        progress.begin("embed names", len(names), "names")
        parts, places, size = [], np.full(len(names), -1, np.int64), 0
        for start, rows, finite in _batches(embedder, names, progress):
            parts.append(rows[finite])
            places[start + np.flatnonzero(finite)] = np.arange(size, size + len(parts[-1]))
            size += len(parts[-1])
        return np.concatenate(parts), places, len(names)
    kept = Vectors(home, str(getattr(embedder, "identity", embedder.name)))
    with kept.alone():
        new = kept.missing(names)
        progress.begin("embed names", len(new), "names")
        for start, rows, finite in _batches(embedder, new, progress):
            kept.add([new[start + place] for place in np.flatnonzero(finite)], rows[finite])
        return kept.table(), kept.places(names), len(new)


def _batches(
    embedder: Embedder, names: Sequence[str], progress: Progress
) -> Iterator[tuple[int, Singles, NDArray[np.bool_]]]:
    """Yield for each batch of names the position of its first name, its vectors, and a mask of the finite vectors."""
    for start in range(0, len(names), _BATCH):
        some = names[start : start + _BATCH]
        rows = np.asarray(embedder.embed(some), np.float32)
        if rows.ndim != 2 or len(rows) != len(some):
            raise ModelError(
                f"the embedder {embedder.name} gave an array of shape {rows.shape} for {len(some)} names",
                "one vector per name",
                "try another embedder",
            )
        finite = np.asarray(np.isfinite(rows).all(axis=1), np.bool_)
        yield start, rows, finite
        progress.advance(len(some))


def _zero(table: Singles, places: Places) -> NDArray[np.bool_]:
    """Return a mask over the given row numbers of a table: True for each row that holds only zeros."""
    starts = range(0, len(places), _LOOKED_AT)
    parts = [~table[places[start : start + _LOOKED_AT]].any(1) for start in starts]
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)
