"""Release day at any size: a release, its successor, what differs, and back again; every answer held to the truth.

The steps are those of `tests/performance/test_release_day.py`, each a process of its own.
"""

import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from tests.performance import asking
from tests.performance.measure import Run, check, keep, program, say, show, timed
from tests.servers.pool import stores
from tests.servers.process import Server

_MOVED = ("added", "changed", "removed")


class Walk:
    """The steps against one store, timed one by one."""

    def __init__(self, home: Path, server: Server | None) -> None:
        self._where = ["--home", home, *(["--graph", server.address] if server else [])]
        self._server = server.pid if server else None
        self.steps: dict[str, list[Run] | str] = {}

    def step(self, name: str, *arguments: object) -> Run:
        """Run one command."""
        say(name)
        done = timed(program(*arguments, *self._where), server=self._server)
        self.steps[name] = [done]
        return done

    def holds(self, name: str, truth: dict[str, Any]) -> None:
        """The graph is exactly that release."""
        stats = self.step(f"{name}: graph stats", "graph", "stats").told
        check("digest", stats["digest"], truth["digest"])
        check("edges", stats["edges"], truth["edges_by_relation"])
        check("concepts", stats["concepts"], truth["concepts_by_type"])

    def load(self, name: str, path: Path, truth: dict[str, Any]) -> None:
        """Load a release; receipt and graph are what they should be."""
        told = self.step(name, "ingest", "relations", path).told
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
    """Measure and tell."""
    parser = asking.parser("release", __doc__ or "")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--changed", type=float, default=0.02)
    parser.add_argument("--removed", type=float, default=0.01)
    parser.add_argument("--added", type=float, default=0.01)
    parser.add_argument("--traps", type=float, default=0.001)
    parser.add_argument("--store", choices=["embedded", "neo4j"], default="embedded")
    options = asking.asked(parser, arguments)
    first, old = asking.relations(options.work, options.rows, options.concepts, options.seed, options.traps)
    second, new = asking.successor(first, options.changed, options.removed, options.added)
    with _store(options) as server, tempfile.TemporaryDirectory(dir=options.work) as home:
        walk = Walk(Path(home), server)
        _walk(walk, (first, old), (second, new))
    title = (
        f"Release day on {options.store}: {old['rows']['read']:,} rows, {old['edges']:,} edges, "
        f"{old['concepts']:,} concepts; every total and digest as constructed"
    )
    show(title, walk.steps, {})
    keep(options.json, title, vars(options), walk.steps)


def _walk(walk: Walk, first: tuple[Path, dict[str, Any]], second: tuple[Path, dict[str, Any]]) -> None:
    (old_path, old), (new_path, new) = first, second
    moved = {name: new["difference"]["edges"][name] for name in _MOVED}
    walk.load("first release", old_path, old)
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
def _store(options: Namespace) -> Iterator[Server | None]:
    """A Neo4j of our own, or nothing for the embedded store, which lies under HOME."""
    neo4j, _ = stores(quick=False)
    with neo4j.start() if options.store == "neo4j" else nullcontext() as server:
        yield server


if __name__ == "__main__":
    main()
