"""Search with this project: `python -m benchmarks.performance.searched ADDRESS QUESTIONS [--many]`. It prints the same
values as `rivals.searches`."""

import json
import sys
import time
from pathlib import Path

import literature
from benchmarks.performance.asking import tell
from groundwork.settings import load


def main(address: str, questions: str, *rest: str) -> None:
    """Ask the questions one by one, or all at once."""
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


if __name__ == "__main__":
    main(*sys.argv[1:])
