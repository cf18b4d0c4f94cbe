"""Compute similarity edges with this project.

`python -m benchmarks.performance.similar KIND VECTORS.npy CUT [TOP_K]`, where KIND is exact or approximate. The
command runs in a separate process, and imports no more than the rivals do.
"""

import json
import sys
import threading
from pathlib import Path

import numpy as np


def run(kind: str, path: str, above: str, top_k: str = "64") -> None:
    """Search. The vectors stay in their file, so the system may drop its pages and read them again.

    The result has the pairs, the recall, and the peak of the process's own memory without these pages, in MB.
    """
    from fuzzygraph import approximate, nearest

    vectors, recall = np.load(path, mmap_mode="r"), 1.0
    own, done = [0.0], threading.Event()
    watch = threading.Thread(target=_watched, args=(own, done), daemon=True)
    watch.start()
    if kind == "approximate":
        pairs, recall = approximate.search(vectors, above=float(above), top_k=int(top_k))
    else:
        pairs, _ = nearest.search(vectors, above=float(above), top_k=int(top_k))
    done.set()
    watch.join()
    sys.stdout.write(json.dumps({"pairs": len(pairs), "recall": recall, "own": max(own)}) + "\n")


def _watched(own: list[float], done: threading.Event) -> None:
    """Record the process's own memory every 0.2 seconds."""
    while not done.wait(0.2):
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        own.append(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")))


if __name__ == "__main__":
    run(*sys.argv[1:])
