"""Similarity edges, compared with scikit-learn's full matrix and faiss, on vectors in clusters of sixteen, with one
thread.

Every way starts a separate process that reads the vectors from a file. The exact ways must find the same number of
pairs. An approximate way is reported with its share of these pairs.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.performance import asking
from benchmarks.performance.measure import ONE_THREAD, Run, Way, WrongAnswer, compare, keep, module, say, show, timed

#: Vectors of one cluster have cosines of about 0.75, and other vectors of about 0. The cut lies between these.
CUT = 0.5
_CLUSTER = 16
_SPREAD = 0.58
_SKLEARN = 20_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = asking.parser("similarity", __doc__ or "")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--python", default=sys.executable, help="a Python with faiss-cpu for the plain ways")
    parser.add_argument("--ways", default="", help="only ways whose name holds one of these, by commas")
    options = asking.asked(parser, arguments)
    path = drawn(options.work / f"vectors-{options.count}-{options.width}-{options.seed}.npy", options)
    answers: dict[str, int] = {}

    def way(name: str, kind: str, *, exact: bool = True, ours: bool = False) -> Way:
        def run(scratch: Path) -> Run:
            program = module("similar" if ours else "rivals.similar", kind, path, CUT)
            done = timed([sys.executable if ours else options.python, *program[1:]], ONE_THREAD)
            answers[name] = int(done.told["pairs"])
            if exact and (wanted := answers.setdefault("exact", answers[name])) != answers[name]:
                raise WrongAnswer(f"{name}: {answers[name]} pairs, another exact way {wanted}")
            return done

        return Way(name, run, ours)

    ways = [
        way("the process alone: reads the vectors", "floor", exact=False),
        way("faiss flat, range search", "flat"),
        way("faiss IVF, range search, 16 cells", "ivf", exact=False),
        way("ours: exact", "exact", ours=True),
        way("ours: approximate", "approximate", exact=False, ours=True),
    ]
    if options.count <= _SKLEARN:
        ways.insert(1, way("scikit-learn: full matrix", "sklearn"))
        ways.insert(2, way("scikit-learn: full matrix, and min, median, max", "median"))
    chosen = [one for one in ways if any(part in one.name for part in options.ways.split(","))]
    found = compare(chosen, options.repeat, options.work)
    title = f"Similarity edges: {options.count:,} vectors of {options.width} numbers, cosine > {CUT}, 1 thread"
    show(title, found, {"pairs": lambda run: run.told["pairs"], "own MB": lambda run: run.told.get("own", 0)})
    keep(options.json, title, vars(options), found)


def drawn(path: Path, options: Namespace) -> Path:
    """Return a file with vectors around centres drawn at random, in a random order."""
    if path.is_file():
        return path
    say(f"drawing {options.count:,} vectors")
    random = np.random.default_rng(options.seed)
    order = random.permutation(options.count)
    made = np.lib.format.open_memmap(path, "w+", np.float32, (options.count, options.width))
    for start in range(0, options.count, _CLUSTER * 256):
        size = min(_CLUSTER * 256, options.count - start)
        centres = random.standard_normal((-(-size // _CLUSTER), options.width), np.float32).repeat(_CLUSTER, 0)[:size]
        made[order[start : start + size]] = centres + _SPREAD * random.standard_normal(centres.shape, np.float32)
    made.flush()
    return path


if __name__ == "__main__":
    main()
