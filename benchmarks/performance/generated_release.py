"""Releases of relations: the lines of the file, its account beside it, and the successor of a release.

The rows of an article come together, and articles in random order, with repeats and traps between them: lines that are
invalid, and lines that look wrong but are valid.
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import Enum
from hashlib import blake2b, sha256
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.performance.generated_graph import RELATIONS, Block, Recipe, World

LONGEST = 1_000_000  # bytes; a longer line is rejected
_ROWS = 500_000  # rows made at a time
_EDGE_BITS = 32
SCHEMA = pa.schema({"head": pa.string(), "relation": pa.string(), "tail": pa.string(), "pmids": pa.list_(pa.int64())})
_EDGES = 200_000  # edges hashed at a time
_REPEATS = 0.01  # rows that are repeated, as a share of the evidence


class Counts(Enum):
    """How a line is counted if it is not rejected."""

    KEPT = "a row that is kept"
    NOTHING = "no row"


class Trap(NamedTuple):
    """A way to spoil a line.

    Attributes:
        weight: Relative frequency among the traps.
        counts: The reason for which the line is rejected, as receipts name it, or how else it is counted.
        spoil: Makes the line from the fields of a good line and a number that varies the result.
    """

    weight: int
    counts: str | Counts
    spoil: Callable[[list[bytes], int], bytes]


def _other(place: int, *texts: bytes) -> Callable[[list[bytes], int], bytes]:
    """Return a function that replaces a field by one of the texts."""

    def spoil(fields: list[bytes], number: int) -> bytes:
        fields[place] = texts[number % len(texts)]
        return b"\t".join(fields)

    return spoil


def _columns_traps(fields: list[bytes], number: int) -> bytes:
    return b"\t".join((fields[:3], [*fields, b"PubTator3"], fields[:1], [*fields, b""])[number % 4])


def _end(place: int, fields: list[bytes], put: bytes) -> bytes:
    fields[place] = put
    return b"\t".join(fields)


def _unknown_type(fields: list[bytes], number: int) -> bytes:
    place = 2 + number % 2
    return _end(place, fields, (b"Protein", b"gene", b"")[number % 3] + b"|" + fields[place].split(b"|", 1)[1])


def _empty_id(fields: list[bytes], number: int) -> bytes:
    place = 2 + number % 2
    return _end(place, fields, fields[place].split(b"|", 1)[0] + (b"|", b"|-")[number // 2 % 2])


def _inside(byte: bytes) -> Callable[[list[bytes], int], bytes]:
    return lambda fields, number: _end(2 + number % 2, fields, fields[2 + number % 2] + byte)


def whole(fields: list[bytes], number: int) -> bytes:
    """Return the line unchanged."""
    del number
    return b"\t".join(fields)


def overlong(fields: list[bytes], number: int) -> bytes:
    """Return the line with a last field of more than a megabyte."""
    return _end(len(fields) - 1, fields, fields[-1] + b"x" * (LONGEST + number % 100))


_BAD_PMID = _other(0, b"0", b"-17", b"12a", b"", b"1.5", b"+3")
#: Traps for rows of relations: PMID, relation, key, key.
RELATION_TRAPS: tuple[Trap, ...] = (
    Trap(20, "wrong_column_count", _columns_traps),
    Trap(10, "unknown_relation", _other(1, b"Treat", b"causes", b"", b"treat ")),
    Trap(10, "unknown_type", _unknown_type),
    Trap(20, "empty_id", _empty_id),
    Trap(10, "bad_pmid", _BAD_PMID),
    Trap(5, "invalid_utf8", _inside(b"\xff\xfe")),
    Trap(5, "nul_byte", _inside(b"\0")),
    Trap(10, Counts.KEPT, lambda fields, _: b"\t".join(fields) + b"\r"),
    Trap(10, Counts.NOTHING, lambda *_: b""),
)
#: Traps for rows of names: PMID, type, id, mentions, resource.
NAME_TRAPS: tuple[Trap, ...] = (
    Trap(20, "wrong_column_count", _columns_traps),
    Trap(10, "unknown_type", _other(1, b"Protein", b"gene", b"")),
    Trap(20, "empty_id", _other(2, b"", b"-", b"-;-", b" ")),
    Trap(10, "bad_pmid", _BAD_PMID),
    Trap(5, "invalid_utf8", _inside(b"\xff\xfe")),
    Trap(5, "nul_byte", _inside(b"\0")),
    Trap(10, Counts.NOTHING, lambda *_: b""),
)
REPEAT = Trap(0, Counts.KEPT, whole)
OVERLONG = Trap(0, "overlong_line", overlong)


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
        first, second = _columns_lines(world, edges)
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


def _columns_lines(world: World, edges: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
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


def tell(world: World, extras: Extras, table: Path | None = None) -> dict[str, Any]:
    """Return the account of a release: rows, edges, concepts, digest.

    Args:
        world: The release.
        extras: The repeats and traps in its file.
        table: Where to write all edges with their PMIDs (Parquet), if anywhere.
    """
    lengths = np.concatenate([block.lengths for block in world.blocks()])
    evidence = int(lengths.sum())
    rejected = {reason: count for reason, count in sorted(extras.counts.items(), key=str) if isinstance(reason, str)}
    kept = evidence + extras.counts[Counts.KEPT]
    held = lengths > 0
    return {
        "rows": {"read": kept + sum(rejected.values()), "kept": kept, "rejected": sum(rejected.values())},
        "rejected_by_reason": rejected,
        "evidence": evidence,
        "edges": int(held.sum()),
        "edges_by_relation": _named(np.bincount(world.edges.relation[held], minlength=len(RELATIONS))),
        "most_pmids": int(lengths.max()),
        **_concepts(world, held),
        "digest": _digest(world, table),
        **({} if world.change is None else {"difference": _difference(world, held)}),
    }


def _named(counts: NDArray[np.int64]) -> dict[str, int]:
    return {name: int(count) for name, count in zip(RELATIONS, counts, strict=True) if count}


def _concepts(world: World, held: NDArray[np.bool_]) -> dict[str, Any]:
    head, tail = world.edges.head[held], world.edges.tail[held]
    degrees = np.bincount(np.concatenate([head, tail[head != tail]]), minlength=len(world.keys.keys))
    kinds = Counter(world.keys.keys[number].split("|", 1)[0] for number in np.flatnonzero(degrees))
    return {
        "concepts": sum(kinds.values()),
        "concepts_by_type": dict(sorted(kinds.items())),
        "largest_degree": int(degrees.max()),
    }


def _difference(world: World, held: NDArray[np.bool_]) -> dict[str, dict[str, int]]:
    """Return the effect of the successor on the first release, in the form of a receipt."""
    assert world.change is not None
    before = len(world.first)
    changed = int((world.change.shortened | world.change.grown).sum())
    removed = int(world.change.removed.sum())
    old = np.union1d(world.first.head, world.first.tail)
    new = np.union1d(world.edges.head[held], world.edges.tail[held])
    return {
        "edges": {
            "added": int(held.sum()) - (before - removed),
            "changed": changed,
            "removed": removed,
            "unchanged": before - removed - changed,
        },
        "concepts": {
            "added": len(np.setdiff1d(new, old)),
            "changed": 0,
            "removed": len(np.setdiff1d(old, new)),
            "unchanged": len(np.intersect1d(old, new)),
        },
    }


def _digest(world: World, table: Path | None) -> str:
    """Return the SHA-256 of the sorted 16-byte BLAKE2b hashes of `head TAB relation TAB tail TAB pmid,pmid,...`."""
    hashes = []
    with pq.ParquetWriter(table, SCHEMA, compression="zstd") if table else _NoTable() as writer:
        for batch in _batches(world):
            writer.write_batch(batch)
            pmids = pc.binary_join(batch["pmids"].cast(pa.list_(pa.string())), ",")
            lines = pc.binary_join_element_wise(batch["head"], batch["relation"], batch["tail"], pmids, "\t")
            hashes.append(b"".join(blake2b(line.encode(), digest_size=16).digest() for line in lines.to_pylist()))
    # A hash, as two big-endian numbers, is sorted as by its bytes.
    numbers = np.frombuffer(b"".join(hashes), ">u8").reshape(-1, 2).astype(np.uint64)
    ordered = numbers[np.lexsort((numbers[:, 1], numbers[:, 0]))]
    return sha256(ordered.astype(">u8").tobytes()).hexdigest()


def _batches(world: World) -> Iterator[pa.RecordBatch]:
    keys, relations = pa.array(world.keys.keys), pa.array(RELATIONS)
    for block in world.blocks():
        for part in _parts(block):
            there = np.flatnonzero(part.lengths)
            numbers = part.start + there
            offsets = np.concatenate([[0], np.cumsum(part.lengths[there])])
            yield pa.RecordBatch.from_arrays(
                [
                    keys.take(pa.array(world.edges.head[numbers])),
                    relations.take(pa.array(world.edges.relation[numbers])),
                    keys.take(pa.array(world.edges.tail[numbers])),
                    pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(world.pmids[part.articles])),
                ],
                schema=SCHEMA,
            )


def _parts(block: Block) -> Iterator[Block]:
    ends = np.concatenate([[0], np.cumsum(block.lengths)])
    for start in range(0, len(block.lengths), _EDGES):
        stop = min(start + _EDGES, len(block.lengths))
        yield Block(block.start + start, block.lengths[start:stop], block.articles[ends[start] : ends[stop]])


class _NoTable:
    """A table writer that discards everything."""

    def __enter__(self) -> "_NoTable":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Discard the batch."""


def relations(
    out: Path, *, rows: int, concepts: int, seed: int = 1, traps: float = 0.001, table: Path | None = None
) -> dict[str, Any]:
    """Write a first release of about `rows` rows. Its account says how many.

    Args:
        out: The file, compressed if its name ends in .gz. The account has the same name with .truth.json at its end.
        rows: Wanted number of rows, including rejected rows and repeats.
        concepts: Number of concepts that may be related.
        seed: The same seed gives the same bytes.
        traps: Spoilt lines as a share of the evidence.
        table: Where to write all edges with their PMIDs, if anywhere.
    """
    recipe = Recipe(max(1, round(rows / (1 + _REPEATS + traps))), concepts, seed)
    return _make(out, recipe, traps, table)


def successor(
    out: Path, *, of: Path, changed: float = 0.02, removed: float = 0.01, added: float = 0.01, table: Path | None = None
) -> dict[str, Any]:
    """Write the release that follows a first release: shares of its edges are changed, removed and added.

    Raises:
        ValueError: `of` has no account beside it, or follows another release itself.
    """
    beside = account(of)
    if not beside.is_file():
        raise ValueError(f"{of} has no account {beside.name} beside it; generate it with `relations` first")
    known = json.loads(beside.read_text("utf-8"))
    recipe = Recipe(**known["recipe"])
    if recipe.changed is not None:
        raise ValueError(f"{of} is a successor itself; name the release that it follows")
    return _make(out, replace(recipe, changed=changed, removed=removed, added=added), known["traps"], table)


def account(path: Path) -> Path:
    """Return the path of the account of a file."""
    return path.with_name(path.name + ".truth.json")


def _make(out: Path, recipe: Recipe, traps: float, table: Path | None) -> dict[str, Any]:
    world = World(recipe)
    part = 11 if recipe.changed is None else 12
    extras = Extras(world.evidence, traps, _REPEATS, recipe.rng(part))
    write(out, rows_of(world), extras)
    told = {"recipe": asdict(recipe), "traps": traps, **tell(world, extras, table)}
    account(out).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told
