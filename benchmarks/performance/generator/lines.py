"""Generate the lines of a release: the rows of an article together, articles in random order, with repeats and traps
between them."""

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.performance.generator.evidence import World
from benchmarks.performance.generator.mix import RELATIONS
from benchmarks.performance.generator.traps import OVERLONG, RELATION_TRAPS, REPEAT, Counts, Trap

_ROWS = 500_000  # rows made at a time
_EDGE_BITS = 32


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing. A name that ends in .gz is compressed, always to the same bytes for the same content."""
    with path.open("wb") as file:
        if path.suffix != ".gz":
            yield file
            return
        with gzip.GzipFile("", "wb", 1, file, mtime=0) as packed:
            yield packed


class Extras:
    """Repeats and traps: the row after which each one comes, and its kind."""

    def __init__(
        self, rows: int, traps: float, repeats: float, rng: Generator, choice: Sequence[Trap] = RELATION_TRAPS
    ) -> None:
        weights = np.array([trap.weight for trap in choice], float)
        spoilt = round(rows * traps)
        kinds = [choice[kind] for kind in rng.choice(len(choice), spoilt, p=weights / weights.sum())]
        kinds += [OVERLONG] * (1 + spoilt // 10_000 if spoilt >= 10 else 0)
        kinds += [REPEAT] * round(rows * repeats)
        self._after = np.sort(rng.integers(0, rows, len(kinds)))
        self._kinds = [kinds[place] for place in rng.permutation(len(kinds))]
        self.counts: Counter[str | Counts] = Counter(kind.counts for kind in kinds)

    def between(self, start: int, stop: int) -> Iterator[tuple[int, Trap, int]]:
        """Yield (row, trap, number) for each extra line that follows a row from `start` to `stop` - 1."""
        first, last = np.searchsorted(self._after, [start, stop])
        for number in range(first, last):
            yield int(self._after[number]), self._kinds[number], number


def rows_of(world: World) -> Iterator[pa.BinaryArray]:
    """Yield the rows of a release, each with its line end. Memory: 8 bytes for each row, in addition to the world."""
    shuffled = world.recipe.rng(10).permutation(len(world.pmids))
    rows = _places(world, shuffled)
    rows.sort()
    pmid_at = np.empty_like(world.pmids)
    pmid_at[shuffled] = world.pmids
    relations = pa.array([name.encode() for name in RELATIONS])
    firsts = pa.array([key.encode() for key in world.keys.written])
    seconds = pa.array([key.encode() + b"\n" for key in world.keys.written])
    for start in range(0, len(rows), _ROWS):
        chunk = rows[start : start + _ROWS]
        edges = chunk & ((1 << _EDGE_BITS) - 1)
        first, second = _columns(world, edges)
        yield pc.binary_join_element_wise(
            pa.array(pmid_at[chunk >> _EDGE_BITS]).cast(pa.string()).cast(pa.binary()),
            relations.take(pa.array(world.edges.relation[edges])),
            firsts.take(pa.array(first)),
            seconds.take(pa.array(second)),
            b"\t",
        )


def write(path: Path, rows: Iterable[pa.BinaryArray], extras: Extras) -> None:
    """Write rows (each with its line end), and the extra lines between them."""
    with opened(path) as file:
        start = 0
        for lines in rows:
            file.writelines(_with_extras(lines, start, extras))
            start += len(lines)


def _with_extras(lines: pa.BinaryArray, start: int, extras: Extras) -> Iterator[bytes | memoryview]:
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, np.int32)[: len(lines) + 1]
    content = memoryview(data)[: ends[-1]]
    written = 0
    for row, trap, number in extras.between(start, start + len(lines)):
        begin, end = ends[row - start], ends[row - start + 1]
        yield content[written:end]
        yield trap.spoil(bytes(content[begin : end - 1]).split(b"\t"), number) + b"\n"
        written = end
    yield content[written:]


def _places(world: World, shuffled: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one number for each row: the article's place in the file in the high bits, the edge in the low bits."""
    places, start = np.empty(world.evidence, np.int64), 0
    for block in world.blocks():
        edges = np.repeat(np.arange(block.start, block.start + len(block.lengths)), block.lengths)
        places[start : start + len(edges)] = (shuffled[block.articles] << _EDGE_BITS) | edges
        start += len(edges)
    return places


def _columns(world: World, edges: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the ends of edges in the order of the file.

    The order is canonical with two exceptions: a disease and a variant stand in either order, and two variants stand in
    the order of their keys as strings.
    """
    head, tail = world.edges.head[edges], world.edges.tail[edges]
    diseases, variants = (_is(world, family) for family in ("Disease", "Variant"))
    backwards = (diseases[head] & variants[tail] & (edges % 2 == 1)) | (
        variants[head] & variants[tail] & (world.keys.string_order[head] > world.keys.string_order[tail])
    )
    return np.where(backwards, tail, head), np.where(backwards, head, tail)


def _is(world: World, family: str) -> NDArray[np.bool_]:
    mask = np.zeros(len(world.keys.keys), bool)
    mask[world.keys.families[family]] = True
    return mask
