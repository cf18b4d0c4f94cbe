"""Release day at any size: load a release and its successor, compare them, and go back. Every answer is compared with
the truth.

The steps are those of `tests/performance/test_release_day.py`, each a process of its own. With `--store offline` the
first release goes into Neo4j through its own importer, the other steps run as usual.
"""

import tempfile
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.performance import asking
from benchmarks.performance.measure import Run, check, keep, program, say, show, timed
from benchmarks.performance.stopped import Stopped
from tests.servers import neo4j

_MOVED = ("added", "changed", "removed")


class Walk:
    """The steps on one store, timed one by one."""

    def __init__(self, home: Path, address: str | None, settings: Mapping[str, str] | None = None) -> None:
        self._where = ["--home", home, *(["--graph", address] if address else [])]
        self._settings = settings
        self.server: int | None = None
        self.steps: dict[str, list[Run] | str] = {}

    def step(self, name: str, *arguments: object) -> Run:
        """Run one command."""
        say(name)
        done = timed(program(*arguments, *self._where), self._settings, server=self.server)
        self.steps[name] = [done]
        return done

    def holds(self, name: str, truth: dict[str, Any]) -> None:
        """Check that the graph is exactly that release."""
        stats = self.step(f"{name}: graph stats", "graph", "stats").told
        check("digest", stats["digest"], truth["digest"])
        check("edges", stats["edges"], truth["edges_by_relation"])
        check("concepts", stats["concepts"], truth["concepts_by_type"])

    def load(self, name: str, path: Path, truth: dict[str, Any], *mode: str) -> None:
        """Load a release, and check the receipt and the graph."""
        told = self.step(name, "ingest", "relations", path, *mode).told
        check("rows", told["rows"], truth["rows"])
        check("rejects", told["rejected_by_reason"], truth["rejected_by_reason"])
        wanted = truth.get("difference", {}).get("edges") or {
            "added": truth["edges"],
            "changed": 0,
            "removed": 0,
            "unchanged": 0,
        }
        check("edges", told["edges"], {"total": truth["edges"], **wanted})
        self.holds(name, truth)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = asking.parser("release", __doc__ or "")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--changed", type=float, default=0.02)
    parser.add_argument("--removed", type=float, default=0.01)
    parser.add_argument("--added", type=float, default=0.01)
    parser.add_argument("--traps", type=float, default=0.001)
    parser.add_argument("--store", choices=["embedded", "neo4j", "offline"], default="embedded")
    options = asking.asked(parser, arguments)
    first, old = asking.relations(options.work, options.rows, options.concepts, options.seed, options.traps)
    second, new = asking.successor(first, options.changed, options.removed, options.added)
    with (
        tempfile.TemporaryDirectory(dir=options.work) as scratch,
        _walker(options, Path(scratch), first) as (walk, mode),
    ):
        _walk(walk, (first, old), (second, new), *mode)
    title = (
        f"Release day on {options.store}: {old['rows']['read']:,} rows, {old['edges']:,} edges, "
        f"{old['concepts']:,} concepts; every total and digest as constructed"
    )
    show(title, walk.steps, {})
    keep(options.json, title, vars(options), walk.steps)


def _walk(walk: Walk, first: tuple[Path, dict[str, Any]], second: tuple[Path, dict[str, Any]], *mode: str) -> None:
    (old_path, old), (new_path, new) = first, second
    moved = {name: new["difference"]["edges"][name] for name in _MOVED}
    walk.load("first release", old_path, old, *mode)
    walk.load("successor", new_path, new)
    releases = walk.step("ingest releases", "ingest", "releases").told["releases"]
    [before, after] = [release["id"] for release in releases]
    told = walk.step("ingest diff", "ingest", "diff", before, after).told
    check("difference", {name: told[name] for name in _MOVED}, moved)
    back = walk.step("roll back", "ingest", "activate", before).told["edges"]
    wanted = {"added": moved["removed"], "changed": moved["changed"], "removed": moved["added"]}
    check("rolled back", {name: back[name] for name in _MOVED}, wanted)
    walk.holds("roll back", old)
    again = walk.step("the same release again", "ingest", "relations", old_path).told["edges"]
    check("nothing to do", [again[name] for name in _MOVED], [0, 0, 0])


@contextmanager
def _walker(options: Namespace, scratch: Path, first: Path) -> Iterator[tuple[Walk, Sequence[str]]]:
    """Yield a walk on the chosen store, and the additional arguments of its first load."""
    home = scratch / "home"
    if options.store == "embedded":
        yield Walk(home, None), ()
    elif options.store == "neo4j":
        with neo4j.start(heap="2g") as server:
            walk = Walk(home, server.address)
            walk.server = server.pid
            yield walk, ()
    else:
        stopped, mode = Stopped.make(scratch / "neo4j"), ("--mode", "offline")
        walk = Walk(home, stopped.address, stopped.settings)
        told = walk.step("first release: import, the server stopped", "ingest", "relations", first, *mode).told
        check("step", told["offline"]["step"], "imported")
        with stopped.running() as server:
            walk.server = server.pid
            yield walk, mode


if __name__ == "__main__":
    main()
