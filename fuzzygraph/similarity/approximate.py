"""Which vectors are near, approximately: cells of a partition instead of all pairs, for a million concepts and more.

faiss (extra `ann`) parts the vectors into cells around centres and keeps each as 8-bit numbers, d bytes a vector; a
concept is compared with those of the nearest cells only. What is found is computed again in float64 from the vectors
themselves, so a cosine is never approximate, only which pairs were looked at. How many of the true edges were found is
measured on a sample of concepts, each compared with all others.
"""

from typing import Any

import numpy as np

from fuzzygraph.similarity.exact import check_counts, sampled
from fuzzygraph.similarity.nearest import Nearest, Pairs, Rows, Singles, Units
from fuzzygraph.similarity.spread import Spread
from groundwork.errors import InputError
from groundwork.ports import Progress, Silent

#: Vectors a cell that the centres are learnt from, as faiss advises at the least.
_LEARNT_FROM = 40
#: Fewer vectors than these are one cell.
_FEW = 1_000
#: Vectors that ask, or are added, at a time.
_BLOCK = 4_096
#: Concepts on which the recall is measured.
_MEASURED = 200
#: How far a product of 8-bit numbers may lie below the cosine; what is farther below the cut is not computed again.
_BLUR = 0.02
#: Rounds in which the centres are learnt; more change little.
_ROUNDS = 10
#: Asked for beside the top k, since 8-bit numbers blur the order.
_MORE = 1.5


def search(
    vectors: Rows,
    *,
    above: float,
    top_k: int,
    probes: int = 16,
    seed: int = 0,
    measured: int = _MEASURED,
    progress: Progress | None = None,
) -> tuple[Pairs, Spread, float]:
    """Pairs as `similarity.search` finds them, most of them; how a sample of cosines lies; and the recall.

    Memory: d bytes a vector, the centres with what they are learnt from, and n * top_k * 12 bytes.

    Args:
        vectors: (n, d) finite.
        above: The cut; pairs stay if cosine > above.
        top_k: Neighbours a concept keeps, >= 1.
        probes: Cells that each concept is compared with, >= 1; more find more and take longer.
        seed: Which vectors the centres are learnt from and the recall is measured on.
        measured: Concepts on which the recall is measured, >= 1.
        progress: Who is told.

    Returns:
        Pairs; the spread of a sample; recall = found / true edges of the measured concepts within their top k, 1.0
        where there are none.

    Raises:
        InputError: A number below 1, or the extra `ann` is not installed.
    """
    check_counts(top_k=top_k, probes=probes, measured=measured)
    faiss, watch, n = _faiss(), progress or Silent(), len(vectors)
    top_k = min(top_k, max(1, n - 1))
    units = Units(vectors)
    nearest = Nearest(units, top_k, above)
    if n:
        index = _index(faiss, units, seed, watch)
        index.nprobe = probes
        asked = min(n, int(top_k * _MORE) + 1)
        watch.begin("compare names", n, "names")
        for start in range(0, n, _BLOCK):
            rows = units.rows(start, start + _BLOCK)
            scores, found = index.search(rows, asked)
            ends = np.repeat(np.arange(start, start + len(rows)), asked), found.ravel()
            there = (ends[1] >= 0) & (ends[0] != ends[1]) & (scores.ravel() > above - _BLUR)
            nearest.take(*_once(ends[0][there], ends[1][there], n))
            watch.advance(len(rows))
    pairs = nearest.pairs()
    return pairs, sampled(vectors, seed=seed), _recall(units, pairs, above, top_k, seed, measured, watch)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise InputError(
            "an approximate search needs the extra `ann`, which is not installed",
            "faiss beside this program",
            "install it with: pip install 'truthhypo[ann]'; or leave --approximate out: the exact search needs nothing",
        ) from None
    return faiss


def _index(faiss: Any, units: Units, seed: int, watch: Progress) -> Any:
    """The vectors in cells: about 4 sqrt(n) of them."""
    n, width = units.vectors.shape
    cells = max(1, int(4 * n**0.5)) if n >= _FEW else 1
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(width), width, cells, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.seed, index.cp.niter = seed + 1, _ROUNDS
    index.cp.min_points_per_centroid = 1
    size = min(n, max(_FEW, cells * _LEARNT_FROM))
    places = np.sort(np.random.default_rng(seed).choice(n, size, replace=False))
    watch.begin("learn cells", None, "steps")
    learnt: Singles = (units.vectors[places] * units.inverse[places, None]).astype(np.float32)
    index.train(learnt)
    del learnt
    watch.begin("fill cells", n, "names")
    for start in range(0, n, _BLOCK):
        rows = units.rows(start, start + _BLOCK)
        index.add(rows)
        watch.advance(len(rows))
    return index


def _once(a: Any, b: Any, count: int) -> tuple[Any, Any]:
    """Pairs with the lower end first, each once."""
    number = np.unique(np.minimum(a, b) * np.int64(count) + np.maximum(a, b))
    heads, tails = np.divmod(number, np.int64(count))
    return heads, tails


def _recall(units: Units, pairs: Pairs, above: float, top_k: int, seed: int, measured: int, watch: Progress) -> float:
    """Which share of the true nearest of some concepts, drawn at random, is among the pairs."""
    n = len(units)
    sample = np.sort(np.random.default_rng(seed + 1).choice(n, min(n, measured), replace=False))
    watch.begin("measure recall", n, "names")
    cosines = np.empty((len(sample), n), np.float32)
    rows = (units.vectors[sample] * units.inverse[sample, None]).astype(np.float32)
    for start in range(0, n, _BLOCK):
        some = units.rows(start, start + _BLOCK)
        cosines[:, start : start + len(some)] = rows @ some.T
        watch.advance(len(some))
    cosines[np.arange(len(sample)), sample] = -np.inf
    known = set((pairs.heads * np.int64(max(1, n)) + pairs.tails).tolist())
    found = true = 0
    for row, concept in zip(cosines, sample.tolist(), strict=True):
        near = np.argpartition(-row, min(top_k, n) - 1)[:top_k]
        for other in near[row[near] > above].tolist():
            true += 1
            found += min(concept, other) * n + max(concept, other) in known
    return found / true if true else 1.0
