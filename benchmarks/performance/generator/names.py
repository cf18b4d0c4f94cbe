"""Generate names of concepts in the format of bioconcepts2pubtator3, with known counts of every name.

A concept has a list of a few names, the most frequent first. A row mentions some consecutive names of this list.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from benchmarks.performance.generator.lines import Extras, write
from benchmarks.performance.generator.release import account
from benchmarks.performance.generator.traps import NAME_TRAPS, Counts

TYPE_SHARES = {"Gene": 0.45, "Disease": 0.15, "Chemical": 0.25, "Species": 0.05, "Mutation": 0.08, "CellLine": 0.02}

_ROWS = 200_000  # rows drawn at a time; another number gives another file for the same seed
_ROWS_PER_ARTICLE = 11
_MOST_NAMES = 6
_EMPTY = 0.13  # share of rows without mentions (60 of 447 million)
_UNNORMALISED = 0.024  # share of rows whose id is `-` (10.7 of 447 million)
_PAIRED = 0.01  # share of rows with two ids

#: Forms of the names of a concept, with quotes and blanks as authors leave them, and a mention that is a dash.
_FORMS = ("{0} factor {1}", "{0}-{1}", 'Toll"-like {0} ({1}', "-", "{0} {1}, type II", "anti–{0}″{1}")


@dataclass(frozen=True)
class Names:
    """Concepts and their names as columns.

    Attributes:
        kinds: Type of each concept, a place in `TYPE_SHARES`.
        ids: Id of each concept; the concepts of one type stand together.
        starts: Where the names of each concept begin in `names`, with one more entry than there are concepts.
        names: All names.
    """

    kinds: NDArray[np.int64]
    ids: list[str]
    starts: NDArray[np.int64]
    names: list[str]

    def key(self, concept: int) -> str:
        """Return the key of a concept: type and id."""
        return f"{list(TYPE_SHARES)[self.kinds[concept]]}|{self.ids[concept]}"


@dataclass(frozen=True)
class Rows:
    """Some rows: the concept of each, a second concept or -1, the first name mentioned and the number of names."""

    concepts: NDArray[np.int64]
    seconds: NDArray[np.int64]
    first: NDArray[np.int64]
    mentions: NDArray[np.int64]


def names(
    out: Path, *, rows: int, concepts: int, seed: int = 1, traps: float = 0.001, table: Path | None = None
) -> dict[str, Any]:
    """Write a file of names with its account beside it.

    Args:
        out: The file, compressed if its name ends in .gz.
        rows: Number of rows with a concept, in addition to rows with the id `-` and spoilt rows.
        concepts: Number of concepts to draw from.
        seed: The same seed gives the same bytes.
        traps: Spoilt lines as a share of the rows.
        table: Where to write all (key, name, count), if anywhere.
    """
    known = _make(concepts, default_rng([seed, 20]))
    counts = np.zeros(len(known.names), np.int64)
    joined: Counter[tuple[int, int]] = Counter()
    held = np.zeros(len(known.ids), bool)
    dashes = round(rows * _UNNORMALISED)
    extras = Extras(rows, traps, 0.0, default_rng([seed, 21]), NAME_TRAPS)

    def lines() -> Iterator[pa.BinaryArray]:
        chance = default_rng([seed, 22])
        for start in range(0, rows, _ROWS):
            drawn = _draw(known, min(_ROWS, rows - start), chance)
            _count(drawn, counts, joined, held)
            yield _lines(known, drawn, start)
        yield pa.array([b"%d\tChemical\t-\tBE%d|extract\tPubTator3\n" % (n + 1, n) for n in range(dashes)], pa.binary())

    write(out, lines(), extras)
    rejected = Counter({reason: count for reason, count in extras.counts.items() if isinstance(reason, str)})
    rejected["empty_id"] += dashes
    assert Counts.KEPT not in extras.counts
    total = _total(known, counts, joined)
    if table:
        pq.write_table(
            pa.Table.from_pylist([dict(zip(("key", "name", "count"), row, strict=True)) for row in total]), table
        )
    kinds = Counter(known.key(concept).split("|", 1)[0] for concept in np.flatnonzero(held))
    told = {
        "rows": {"read": rows + rejected.total(), "kept": rows, "rejected": rejected.total()},
        "rejected_by_reason": dict(sorted(rejected.items())),
        "concepts": int(held.sum()),
        "concepts_by_type": dict(sorted(kinds.items())),
        "names": len(total),
        "digest": digest(total),
    }
    account(out).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told


def digest(rows: list[tuple[str, str, int]]) -> str:
    """Return the SHA-256 of the sorted 16-byte BLAKE2b hashes of `key TAB name TAB count`."""
    hashes = (blake2b(f"{key}\t{name}\t{count}".encode(), digest_size=16).digest() for key, name, count in rows)
    return sha256(b"".join(sorted(hashes))).hexdigest()


def _make(count: int, rng: Generator) -> Names:
    sizes = [max(3, round(count * share)) for share in TYPE_SHARES.values()]
    kinds = np.repeat(np.arange(len(sizes)), sizes)
    lengths = rng.integers(1, _MOST_NAMES + 1, len(kinds))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    turns = rng.integers(0, len(_FORMS), len(kinds))
    texts = [
        _FORMS[(turn + place) % len(_FORMS)].format(f"Prot{number:x}", place)
        for number, (turn, length) in enumerate(zip(turns, lengths, strict=True))
        for place in range(length)
    ]
    return Names(kinds, [_ident(list(TYPE_SHARES)[kind], n) for n, kind in enumerate(kinds)], starts, texts)


def _ident(kind: str, n: int) -> str:
    if kind == "Mutation":
        return f"rs{n + 1}" if n % 3 == 0 else f"tmVar:c|SUB|A|{n}|G;HGVS:c.{n}A>G;VariantGroup:{n % 7}"
    return {"Gene": f"{n + 1}", "Species": f"{n + 1}", "CellLine": f"CVCL:{n:04X}"}.get(kind, f"MESH:D{n:06}")


def _draw(known: Names, count: int, rng: Generator) -> Rows:
    """Draw rows. Popular concepts come more often, and so do the first names of a concept."""
    concepts = (len(known.ids) * rng.random(count) ** 2).astype(np.int64)
    concepts = (concepts * 7919) % len(known.ids)  # so that each type has popular concepts
    lengths = np.diff(known.starts)[concepts]
    place = (lengths * rng.random(count) ** 2).astype(np.int64)
    mentions = np.minimum(rng.integers(1, 4, count), lengths - place)
    mentions[rng.random(count) < _EMPTY] = 0
    seconds = np.full(count, -1)
    # The second concept is the next in the list, if both have the same type. Ids of variants are never joined.
    other = np.minimum(concepts + 1, len(known.ids) - 1)
    variants = list(TYPE_SHARES).index("Mutation")
    fit = (known.kinds[other] == known.kinds[concepts]) & (other != concepts) & (known.kinds[concepts] != variants)
    paired = fit & (rng.random(count) < _PAIRED)
    seconds[paired] = other[paired]
    return Rows(concepts, seconds, known.starts[concepts] + place, mentions)


def _count(rows: Rows, counts: NDArray[np.int64], joined: Counter[tuple[int, int]], held: NDArray[np.bool_]) -> None:
    """Count the mentions of the rows: by name for their own concept, by (concept, name) for a second concept."""
    for place in range(3):
        counts += np.bincount(rows.first[rows.mentions > place] + place, minlength=len(counts))
    held[rows.concepts] = True
    for row in np.flatnonzero(rows.seconds >= 0):
        held[rows.seconds[row]] = True
        joined.update((int(rows.seconds[row]), int(rows.first[row]) + place) for place in range(rows.mentions[row]))


def _lines(known: Names, rows: Rows, start: int) -> pa.BinaryArray:
    texts = pa.array([name.encode() for name in known.names])
    ids = pa.array([ident.replace(">", "&gt;").encode() for ident in known.ids])
    kinds = pa.array([kind.encode() for kind in TYPE_SHARES])
    mentioned = [texts.take(pa.array(rows.first + place, mask=rows.mentions <= place)) for place in range(3)]
    # Arrow leaves out a row in which all names are null. An empty first name counts as no mention.
    mentioned[0] = mentioned[0].fill_null(b"")
    count = len(rows.concepts)
    seconds = ids.take(pa.array(rows.seconds, mask=rows.seconds < 0))
    resources = pa.array([b"PubTator3\n", b"PubTator3|gene2pubmed\n", b"\n"])
    return pc.binary_join_element_wise(
        pa.array((start + np.arange(count)) // _ROWS_PER_ARTICLE * 3 + 1).cast(pa.string()).cast(pa.binary()),
        kinds.take(pa.array(known.kinds[rows.concepts])),
        pc.binary_join_element_wise(ids.take(pa.array(rows.concepts)), seconds, b";", null_handling="skip"),
        pc.binary_join_element_wise(*mentioned, b"|", null_handling="skip"),
        resources.take(pa.array(np.arange(count) % 3)),
        b"\t",
    )


def _total(known: Names, counts: NDArray[np.int64], joined: Counter[tuple[int, int]]) -> list[tuple[str, str, int]]:
    """Return all (key, name, count) with counts above 0. Counts of a concept as first and as second id are added up."""
    owner = np.repeat(np.arange(len(known.ids)), np.diff(known.starts))
    total: Counter[tuple[str, str]] = Counter()
    for name in np.flatnonzero(counts):
        total[known.key(int(owner[name])), known.names[name]] += int(counts[name])
    for (concept, name), count in joined.items():
        total[known.key(concept), known.names[name]] += count
    return [(key, name, count) for (key, name), count in sorted(total.items())]
