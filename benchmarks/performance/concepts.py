"""Load names of concepts into an empty embedded graph, compared with only counting them: rows per second and memory."""

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.performance import asking
from benchmarks.performance.measure import ONE_THREAD, Run, Way, check, compare, keep, module, program, show, timed

_RIVALS = {"plain counter of (key, name): counting alone": "dict", "DuckDB: counting alone": "duckdb"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = asking.parser("concepts", __doc__ or "")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--memory", default="512MB", help="ours: the setting memory_limit")
    options = asking.asked(parser, arguments)
    path, truth = asking.names(options.work, options.rows, options.concepts, options.seed, 0.0)
    rejects = truth["rows"]["rejected"]

    def rival(kind: str) -> Callable[[Path], Run]:
        def run(scratch: Path) -> Run:
            done = timed(module("rivals.names", kind, path), {**ONE_THREAD, "TMPDIR": str(scratch)})
            check("concepts", done.told["concepts"], truth["concepts"])
            check("names", done.told["names"], truth["names"])
            return done

        return run

    def ours(*more: str) -> Callable[[Path], Run]:
        def run(scratch: Path) -> Run:
            variables = {**ONE_THREAD, "TRUTHHYPO_HOME": str(scratch), "TRUTHHYPO_MEMORY_LIMIT": options.memory}
            done = timed(program("ingest", "concepts", path, "--max-rejects", rejects, *more), variables)
            check("rows", done.told["rows"], truth["rows"])
            check("concepts", done.told["concepts"]["total"], truth["concepts"])
            return done

        return run

    ways = [
        *(Way(name, rival(kind)) for name, kind in _RIVALS.items()),
        Way("ours: ingest concepts --dry-run", ours("--dry-run"), True),
        Way("ours: ingest concepts into the embedded graph", ours(), True),
    ]
    found = compare(ways, options.repeat, options.work)
    read = truth["rows"]["read"]
    title = f"Names: {read:,} rows, {truth['concepts']:,} concepts, {truth['names']:,} names, 1 thread"
    show(title, found, {"rows/s": lambda run: read / run.wall, "rows/CPU s": lambda run: read / run.cpu})
    keep(options.json, title, vars(options), found)


if __name__ == "__main__":
    main()
