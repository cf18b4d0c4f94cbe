"""Normalise a release: our way and plain ways on the same file, with one thread each.

`--flat 1000000,5000000,20000000` measures our way alone at several sizes, to see whether its memory stays within the
setting.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.performance import asking
from benchmarks.performance.measure import (
    ONE_THREAD,
    Run,
    Unavailable,
    Way,
    check,
    compare,
    keep,
    module,
    program,
    show,
    timed,
)

_RIVALS = {
    "pandas: read_csv + groupby": "pandas",
    "plain dict of sets": "dict",
    "polars, streaming": "polars",
    "DuckDB": "duckdb",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    options = _options(arguments)
    if options.flat:
        _flat(options)
        return
    # Without traps, because the plain ways reject nothing.
    path, truth = asking.relations(options.work, options.rows, options.concepts, options.seed, 0.0)
    found = compare(_ways(path, truth, options), options.repeat, options.work)
    title = f"Normalising {truth['rows']['read']:,} rows to {truth['edges']:,} edges, 1 thread"
    show(title, found, {"rows/CPU s": lambda run: truth["rows"]["read"] / run.cpu})
    keep(options.json, title, vars(options), found)


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = asking.parser("normalise", __doc__ or "")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--memory", default="512MB", help="ours: the setting memory_limit")
    parser.add_argument("--flat", help="row counts, joined by commas: ours alone at each")
    parser.add_argument("--skip", default="", help="rivals to leave out, joined by commas: pandas, dict, ...")
    return asking.asked(parser, arguments)


def _ways(path: Path, truth: dict[str, Any], options: Namespace) -> list[Way]:
    rivals = [
        Way(name, _rival(kind, path, truth)) for name, kind in _RIVALS.items() if kind not in options.skip.split(",")
    ]
    return [*rivals, *_ours(path, truth, options.memory)]


def _rival(kind: str, path: Path, truth: dict[str, Any]) -> Callable[[Path], Run]:
    def run(scratch: Path) -> Run:
        if kind not in {"dict", "ours"} and find_spec(kind) is None:
            raise Unavailable(f"{kind} is not installed")
        done = timed(module("rivals.relations", kind, path), {**ONE_THREAD, "TMPDIR": str(scratch)})
        _check(done, truth)
        return done

    return run


def _ours(path: Path, truth: dict[str, Any], memory: str) -> list[Way]:
    def whole(scratch: Path) -> Run:
        variables = {**ONE_THREAD, "TRUTHHYPO_HOME": str(scratch), "TRUTHHYPO_MEMORY_LIMIT": memory}
        done = timed(program("ingest", "relations", path, "--dry-run"), variables)
        check("rows", done.told["rows"], truth["rows"])
        check("edges", done.told["edges"]["total"], truth["edges"])
        return done

    def alone(scratch: Path) -> Run:
        variables = {**ONE_THREAD, "TMPDIR": str(scratch), "TRUTHHYPO_MEMORY_LIMIT": memory}
        done = timed(module("rivals.relations", "ours", path), variables)
        _check(done, truth)
        return done

    return [Way("ours: reading and normalising", alone, True), Way("ours: ingest relations --dry-run", whole, True)]


def _check(done: Run, truth: dict[str, Any]) -> None:
    check("edges", done.told["edges"], truth["edges"])
    check("evidence", done.told["evidence"], truth["evidence"])


def _flat(options: Namespace) -> None:
    ways, sizes = [], [int(size) for size in options.flat.split(",")]
    for rows in sizes:
        path, truth = asking.relations(options.work, rows, options.concepts, options.seed, 0.001)
        [_, whole] = _ours(path, truth, options.memory)
        ways.append(Way(f"ours, {truth['rows']['read']:,} rows", whole.run, True))
    found = compare(ways, options.repeat, options.work)
    title = f"Memory of normalising by the number of rows, memory_limit {options.memory}, 1 thread"
    show(title, found, {"rows/CPU s": lambda run: run.told["rows"]["read"] / run.cpu})
    keep(options.json, title, vars(options), found)


if __name__ == "__main__":
    main()
