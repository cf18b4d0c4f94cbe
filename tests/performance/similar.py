"""Similarity edges by our way: `python -m tests.performance.similar KIND VECTORS.npy CUT [TOP_K]`, KIND exact or
approximate.

It runs in a separate process, and imports no more than the rivals.
"""

import json
import sys
import threading
from pathlib import Path

import numpy as np


def run(kind: str, path: str, above: str, top_k: str = "64") -> None:
    """Search; the vectors stay in their file, whose pages the system may drop and read again.

    The result has the pairs, the recall, and the peak of the process's own memory without these pages, in MB.
    """
    from fuzzygraph.similarity import approximate
    from fuzzygraph.similarity import exact as similarity

    vectors, recall = np.load(path, mmap_mode="r"), 1.0
    own, done = [0.0], threading.Event()
    watch = threading.Thread(target=_watched, args=(own, done), daemon=True)
    watch.start()
    if kind == "approximate":
        pairs, recall = approximate.search(vectors, above=float(above), top_k=int(top_k))
    else:
        pairs, _ = similarity.search(vectors, above=float(above), top_k=int(top_k))
    done.set()
    watch.join()
    sys.stdout.write(json.dumps({"pairs": len(pairs), "recall": recall, "own": max(own)}) + "\n")


def _watched(own: list[float], done: threading.Event) -> None:
    """Note the process's own memory now and then."""
    while not done.wait(0.2):
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        own.append(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")))


if __name__ == "__main__":
    run(*sys.argv[1:])
