"""Search, and compute similarity edges, by plain ways and with this project.

Each way runs in a process of its own, and imports only what it needs.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.performance.measure import tell
from benchmarks.performance.rivals_loading import into_tantivy, records

Search = Callable[[str], list[int]]


def ask(search: Search, texts: list[str]) -> None:
    """Time a way on all questions."""
    for text in texts[: max(1, len(texts) // 10)]:
        search(text)
    started, used = time.perf_counter(), time.process_time()
    found = [search(text) for text in texts]
    tell(seconds=time.perf_counter() - started, cpu=time.process_time() - used, questions=len(texts), found=found)


def tantivy(target: str, told: dict[str, Any], *, filtered: bool) -> Search:
    """Return a search by tantivy with its own analysis, and with its range filter or without a filter."""
    from tantivy import FieldType, Index, Occur, Query

    index = Index.open(target)
    searcher, schema = index.searcher(), index.schema
    below = Query.range_query(schema, "pmid", FieldType.Unsigned, upper_bound=told["before"])

    def search(text: str) -> list[int]:
        query = index.parse_query(text, ["text"])
        if filtered:
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(below, 0.0))])
        hits = searcher.search(query, told["k"], count=False).hits
        return [searcher.doc(address).get_first("pmid") for _, address in hits]

    return search


def bm25s(paths: list[Path], told: dict[str, Any]) -> Search:
    """Return a search by bm25s in memory, with the cut as a mask over all documents."""
    import bm25s as library
    import numpy as np

    pmids, texts = zip(*records(paths), strict=True)
    kept = np.array(pmids) <= told["before"]
    engine = library.BM25(method="lucene", k1=1.2, b=0.75)
    engine.index(library.tokenize(list(texts), stopwords="en", show_progress=False), show_progress=False)

    def search(text: str) -> list[int]:
        tokens = library.tokenize([text], stopwords="en", show_progress=False)
        found, _ = engine.retrieve(tokens, k=told["k"], weight_mask=kept, show_progress=False)
        return [pmids[at] for at in found[0]]

    return search


def rival_searches() -> None:
    """Make the index, or ask all questions: WAY TARGET QUESTIONS [--prepare FILE...].

    QUESTIONS is JSON: texts, k, before. With `--prepare` only the index is made, and nothing is asked. A way prints the
    seconds from the first question to the last answer, after a tenth of the questions for warming up, and the PMIDs
    found.
    """
    way, target, questions, *rest = sys.argv[1:]
    told = json.loads(Path(questions).read_text("utf-8"))
    paths = [Path(name) for name in rest if name != "--prepare"]
    if "--prepare" in rest:
        tell(documents=into_tantivy(target, paths))
    elif way == "bm25s":
        ask(bm25s(paths, told), told["texts"])
    else:
        ask(tantivy(target, told, filtered=way == "tantivy-filtered"), told["texts"])


def by_sklearn(unit: Any, cut: float) -> int:
    """Compute all cosines at once, and count the edges among them."""
    import numpy as np
    from sklearn.metrics.pairwise import cosine_similarity

    cosines = cosine_similarity(unit)
    heads, tails = np.nonzero(np.triu(cosines > cut, 1))
    return len(cosines[heads, tails])


def by_sklearn_with_median(unit: Any, cut: float) -> int:
    """Do the same, and compute the smallest, median and largest cosine, which ours reports too."""
    import numpy as np
    from sklearn.metrics.pairwise import cosine_similarity

    cosines = cosine_similarity(unit)
    every = cosines[np.triu_indices(len(unit), 1)]
    np.min(every), np.median(every), np.max(every)
    heads, tails = np.nonzero(np.triu(cosines > cut, 1))
    return len(cosines[heads, tails])


def by_flat(unit: Any, cut: float) -> int:
    """For each vector, search the vectors above the cut."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(unit.shape[1])
    index.add(unit)
    return _ranged(index, unit, cut)


def by_ivf(unit: Any, cut: float) -> int:
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


def _ranged(index: Any, unit: Any, cut: float) -> int:
    import numpy as np

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


def rival_similar() -> None:
    """Run a way: KIND VECTORS.npy CUT."""
    import numpy as np

    kind, path, cut = sys.argv[1:]
    vectors = np.load(path)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    tell(pairs=WAYS[kind](vectors, float(cut)))


def our_searches() -> None:
    """Search with this project: ADDRESS QUESTIONS [--many]. It prints the same values as `rival_searches`."""
    import literature
    from groundwork.settings import load

    address, questions, *rest = sys.argv[1:]
    told = json.loads(Path(questions).read_text("utf-8"))
    texts, asked = told["texts"], {"k": told["k"], "before": told["before"]}
    store = literature.connect(address, load({})[0], read_only=True)
    store.search_many(texts[: max(1, len(texts) // 10)], **asked)
    started, used = time.perf_counter(), time.process_time()
    if "--many" in rest:
        found = store.search_many(texts, **asked)
    else:
        found = tuple(store.search(text, **asked) for text in texts)
    seconds, cpu = time.perf_counter() - started, time.process_time() - used
    store.close()
    pmids = [[hit.pmid for hit in hits.hits] for hits in found]
    tell(seconds=seconds, cpu=cpu, questions=len(texts), found=pmids)


def our_similar() -> None:
    """Search with this project: KIND VECTORS.npy CUT [TOP_K], where KIND is exact or approximate.

    The vectors stay in their file, so the system may drop its pages and read them again.

    The result has the pairs, the recall, and the peak of the process's own memory without these pages, in MB.
    """
    import numpy as np

    from fuzzygraph import approximate, nearest

    kind, path, above, *rest = sys.argv[1:]
    top_k = int(rest[0]) if rest else 64
    vectors, recall = np.load(path, mmap_mode="r"), 1.0
    own, done = [0.0], threading.Event()
    watch = threading.Thread(target=_watched, args=(own, done), daemon=True)
    watch.start()
    if kind == "approximate":
        pairs, recall = approximate.search(vectors, above=float(above), top_k=top_k)
    else:
        pairs, _ = nearest.search(vectors, above=float(above), top_k=top_k)
    done.set()
    watch.join()
    tell(pairs=len(pairs), recall=recall, own=max(own))


def _watched(own: list[float], done: threading.Event) -> None:
    """Record the process's own memory every 0.2 seconds."""
    while not done.wait(0.2):
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        own.append(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")))
