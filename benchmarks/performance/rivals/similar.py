"""Similarity edges by plain ways: `python -m benchmarks.performance.rivals.similar KIND VECTORS.npy CUT`.

Kinds: sklearn (the full matrix), median (the same, with minimum, median and maximum of the cosines), flat (faiss, range
search), ivf (faiss, approximate range search) and floor. The kind floor only reads the vectors and imports the modules
that all ways need. Each kind prints the number of pairs above the cut, and counts each pair once.
"""

import json
import sys
from typing import Any

import numpy as np


def by_sklearn(unit: np.ndarray, cut: float) -> int:
    """Compute all cosines at once, and count the edges among them."""
    from sklearn.metrics.pairwise import cosine_similarity

    cosines = cosine_similarity(unit)
    heads, tails = np.nonzero(np.triu(cosines > cut, 1))
    return len(cosines[heads, tails])


def by_sklearn_with_median(unit: np.ndarray, cut: float) -> int:
    """Do the same, and compute the smallest, median and largest cosine, which ours reports too."""
    from sklearn.metrics.pairwise import cosine_similarity

    cosines = cosine_similarity(unit)
    every = cosines[np.triu_indices(len(unit), 1)]
    np.min(every), np.median(every), np.max(every)
    heads, tails = np.nonzero(np.triu(cosines > cut, 1))
    return len(cosines[heads, tails])


def by_flat(unit: np.ndarray, cut: float) -> int:
    """For each vector, search the vectors above the cut."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(unit.shape[1])
    index.add(unit)
    return _ranged(index, unit, cut)


def by_ivf(unit: np.ndarray, cut: float) -> int:
    """Do the same, but only within the nearest cells of a partition."""
    import faiss

    faiss.omp_set_num_threads(1)
    cells = max(1, int(4 * len(unit) ** 0.5))
    quantizer = faiss.IndexFlatIP(unit.shape[1])
    index = faiss.IndexIVFFlat(quantizer, unit.shape[1], cells, faiss.METRIC_INNER_PRODUCT)
    index.train(unit)
    index.add(unit)
    index.nprobe = 16
    return _ranged(index, unit, cut)


def _ranged(index: Any, unit: np.ndarray, cut: float) -> int:
    pairs = 0
    for start in range(0, len(unit), 1024):
        limits, _, found = index.range_search(unit[start : start + 1024], cut)
        askers = np.repeat(np.arange(start, start + len(limits) - 1), np.diff(limits.astype(np.int64)))
        pairs += int(np.count_nonzero(found > askers))
    return pairs


WAYS = {
    "sklearn": by_sklearn,
    "median": by_sklearn_with_median,
    "flat": by_flat,
    "ivf": by_ivf,
    "floor": lambda unit, cut: 0,
}


if __name__ == "__main__":
    kind, path, cut = sys.argv[1:]
    vectors = np.load(path)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    sys.stdout.write(json.dumps({"pairs": WAYS[kind](vectors, float(cut))}) + "\n")
