"""Find near vectors approximately, without comparing all pairs, for a million concepts and more.

faiss (extra `ann`) divides the vectors into cells around centres. It stores a vector of length d in d bytes. A concept
is compared only with the concepts in the nearest cells. The cosine of each pair found is computed again in float64 from
the vectors themselves. So only the choice of pairs is approximate, not the cosines. The recall is measured on a sample
of concepts, each compared with all others.
"""

from typing import Any

import numpy as np

from fuzzygraph.nearest import Pairs, Rows, Singles, TopNeighbours, Units, check_counts
from groundwork.errors import InputError
from groundwork.ports import Progress, Silent

#: Number of vectors per cell for learning the centres. faiss recommends at least 39.
_LEARNT_FROM = 40
#: With fewer vectors than this there is one cell.
_FEW = 1_000
#: Number of vectors added or searched at once.
_BLOCK = 4_096
#: Number of concepts on which the recall is measured.
_MEASURED = 200
#: Largest error of a cosine from 8-bit vectors. A pair whose cosine is below `above` by more than this is left out.
_BLUR = 0.02
#: Number of iterations for learning the centres; more iterations change little.
_ROUNDS = 10
#: Number of neighbours requested, as a multiple of the top k, because 8-bit vectors change the order a little.
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
) -> tuple[Pairs, float]:
    """Return most of the pairs that `nearest.search` finds, and the recall.

    Memory: d bytes per vector, the centres with their training vectors, and n * top_k * 12 bytes.

    Args:
        vectors: n vectors of length d as an array of shape (n, d), finite.
        above: A pair is kept if its cosine is above this value.
        top_k: Number of neighbours per concept, >= 1.
        probes: Number of cells that each concept is compared with, >= 1; more cells find more and take longer.
        seed: Random seed for the training vectors and for the concepts on which the recall is measured.
        measured: Number of concepts on which the recall is measured, >= 1.
        progress: Receives progress.

    Returns:
        The pairs and the recall. The recall is the share of the measured concepts' true edges (to their top k
        neighbours) that were found. It is 1.0 if these concepts have no true edges.

    Raises:
        InputError: A number is below 1, or the extra `ann` is not installed.
    """
    check_counts(top_k=top_k, probes=probes, measured=measured)
    faiss, watch, n = _faiss(), progress or Silent(), len(vectors)
    top_k = min(top_k, max(1, n - 1))
    units = Units(vectors)
    nearest = TopNeighbours(units, top_k, above)
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
    return pairs, _recall(units, pairs, above, top_k, seed, measured, watch)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise InputError(
            "an approximate search needs the extra `ann`, which is not installed",
            "faiss",
            "install it with: pip install 'truthhypo[ann]'; or omit --approximate",
        ) from None
    return faiss


def _index(faiss: Any, units: Units, seed: int, watch: Progress) -> Any:
    """Return an index of the vectors in about 4 sqrt(n) cells."""
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
    """Return each pair once, with the lower position first."""
    number = np.unique(np.minimum(a, b) * np.int64(count) + np.maximum(a, b))
    heads, tails = np.divmod(number, np.int64(count))
    return heads, tails


def _recall(units: Units, pairs: Pairs, above: float, top_k: int, seed: int, measured: int, watch: Progress) -> float:
    """Return the recall: for some random concepts, the share of their true nearest neighbours that `pairs` contains."""
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
