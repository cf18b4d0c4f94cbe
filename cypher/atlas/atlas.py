"""A whole graph as arrays: its links with their evidence, laid out for walking.

Concepts are numbered by key. Links stand by (a, b, kind), first those between two concepts, then self-relations; the
PMIDs of each lie in a row, ascending. The arrays can be saved to a folder, from which they are mapped and not read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import cast, overload

import numpy as np
import pyarrow as pa

from groundwork import manifest
from groundwork.manifest import Fault, FileEntry
from groundwork.network import Floats, Ints, Marks, Network, Wiring

_KEYS, _MANIFEST = "keys.arrow", "manifest.json"


class Keys(Sequence[str]):
    """Texts in ascending order, in an Arrow array that may be mapped from a file."""

    def __init__(self, texts: pa.Array) -> None:
        self.texts = texts

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        found: str | list[str] = self.texts[at].as_py() if isinstance(at, int) else self.texts[at].to_pylist()
        return found

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts.to_pylist())


@dataclass(frozen=True, slots=True)
class Atlas:
    """The arrays.

    Attributes:
        keys: The concepts that have links, ascending.
        kinds: The kinds of link, ascending.
        a: Number of the end with the smaller key, one a link; self-relations come last.
        b: Number of the other end.
        kind: Number of the kind.
        cosine: The largest cosine over the models, for similarity links.
        row: (links + 1) where the PMIDs of each link begin.
        pmids: All PMIDs.
        first: See `network.Wiring`, as are target and link; without self-relations.
        target: The concept an arc leads to.
        link: The link it belongs to.
    """

    keys: Keys
    kinds: tuple[str, ...]
    a: Marks
    b: Marks
    kind: Marks
    cosine: Floats
    row: Ints
    pmids: Ints
    first: Ints
    target: Marks
    link: Marks

    @property
    def apart(self) -> int:
        """How many links are between two concepts."""
        return len(self.target) // 2

    def numbered(self) -> dict[str, int]:
        """The number of every key; who asks for many keeps it."""
        return {key: number for number, key in enumerate(self.keys)}

    def articles(self, before: int | None) -> Ints:
        """Distinct PMIDs of each link under the cut. PMIDs are read only of links that the cut parts."""
        counts: Ints = np.diff(self.row)
        if before is None or not len(self.pmids):
            return counts
        rows = np.flatnonzero(counts)
        counts = counts.copy()
        outside = self.pmids[self.row[rows]] > before
        counts[rows[outside]] = 0
        parted = rows[~outside & (self.pmids[self.row[rows + 1] - 1] > before)]
        sizes = counts[parted]
        owners = np.repeat(np.arange(len(parted)), sizes)
        places = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        inside = self.pmids[np.repeat(self.row[parted], sizes) + places] <= before
        counts[parted] = np.bincount(owners[inside], minlength=len(parted))
        return counts

    def network(self, articles: Ints) -> Network:
        """All links between two concepts, under some cut. Relations it leaves nothing of have 0 articles."""
        apart = slice(0, self.apart)
        return Network(
            self.keys,
            self.kinds,
            cast("Ints", self.a[apart]),
            cast("Ints", self.b[apart]),
            cast("Ints", self.kind[apart]),
            articles[apart],
            self.cosine[apart],
            Wiring(self.first, self.target, self.link),
        )

    def newest(self, link: int, articles: int, most: int) -> tuple[int, ...]:
        """The newest PMIDs of a link, newest first.

        Args:
            link: Which.
            articles: How many of its PMIDs are under the cut.
            most: How many to give.
        """
        begin = int(self.row[link])
        found: list[int] = self.pmids[begin + max(articles - most, 0) : begin + articles][::-1].tolist()
        return tuple(found)

    def among(self, numbers: Ints) -> Ints:
        """The links with both ends among some concepts, self-relations included."""
        low, high = self.first[numbers], self.first[numbers + 1]
        sizes = high - low
        arcs = np.repeat(low - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        wanted = np.zeros(len(self.keys), dtype=bool)
        wanted[numbers] = True
        links = np.unique(self.link[arcs[wanted[self.target[arcs]]]])
        selves = self.apart + np.flatnonzero(wanted[self.a[self.apart :]])
        return np.concatenate([links, selves])

    # -- on the disk

    def save(self, folder: Path) -> None:
        """Write the arrays into an empty folder; the manifest, written last, says that they are whole."""
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))
        table = pa.table({"key": self.keys.texts})
        with pa.OSFile(str(folder / _KEYS), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        files = {file.name: FileEntry.of(file) for file in sorted(folder.iterdir())}
        manifest.write(folder / _MANIFEST, {"kinds": self.kinds, "files": manifest.plain(files)})

    @classmethod
    def opened(cls, folder: Path) -> "Atlas | None":
        """Map the arrays of a folder; None if they are not there, or not whole."""
        try:
            noted = manifest.read(folder / _MANIFEST)
            if any(manifest.faults(folder, manifest.entries(noted["files"]))):
                return None
            mapped = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
            arrays = {name: array.view(np.ndarray) for name, array in mapped.items()}  # memmap's own indexing is slow
            with pa.memory_map(str(folder / _KEYS)) as source:
                texts = pa.ipc.open_file(source).read_all()["key"].combine_chunks()
            return cls(keys=Keys(texts), kinds=tuple(noted["kinds"]), **arrays)
        except (OSError, ValueError, KeyError, TypeError):
            return None


def faults(folder: Path) -> list[Fault]:
    """The damaged files of an atlas, each read to its end."""
    remedy = f"remove {folder}: the atlas is drawn again when it is needed"
    try:
        files = manifest.entries(manifest.read(folder / _MANIFEST)["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [Fault(folder / _MANIFEST, f"cannot be read: {error}", "the manifest of an atlas", remedy)]
    return [replace(fault, remedy=remedy) for fault in manifest.faults(folder, files, thorough=True)]


_ARRAYS = tuple(field.name for field in fields(Atlas) if field.name not in {"keys", "kinds"})
