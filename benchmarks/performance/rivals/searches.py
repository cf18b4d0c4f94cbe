"""Search by plain ways: `python -m benchmarks.performance.rivals.searches WAY TARGET QUESTIONS [--prepare FILE...]`.

QUESTIONS is JSON: texts, k, before. With `--prepare` only the index is made, and nothing is asked. A way prints the
seconds from the first question to the last answer, after a tenth of the questions for warming up, and the PMIDs found.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.performance.asking import tell
from benchmarks.performance.rivals.texts import into_tantivy, records

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


def main(way: str, target: str, questions: str, *rest: str) -> None:
    """Make the index, or ask all questions."""
    told = json.loads(Path(questions).read_text("utf-8"))
    paths = [Path(name) for name in rest if name != "--prepare"]
    if "--prepare" in rest:
        tell(documents=into_tantivy(target, paths))
    elif way == "bm25s":
        ask(bm25s(paths, told), told["texts"])
    else:
        ask(tantivy(target, told, filtered=way == "tantivy-filtered"), told["texts"])


if __name__ == "__main__":
    main(*sys.argv[1:])
