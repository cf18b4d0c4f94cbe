"""Load PubMed records into the literature, compared with plain indexing, embedded and on a real Elasticsearch."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.performance import asking
from benchmarks.performance.measure import Run, Way, check, compare, keep, module, program, show, timed
from benchmarks.performance.served import elasticsearch
from tests.servers.process import Server


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = asking.parser("documents", __doc__ or "")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--store", choices=["embedded", "elasticsearch", "both"], default="both")
    options = asking.asked(parser, arguments)
    folder, truth = asking.articles(options.work, options.records, options.seed)
    baseline = [folder / name for name in truth["baseline"]]
    updates = [folder / name for name in truth["updates"]]
    with elasticsearch(options) as server:
        ways: list[Way] = []
        if options.store != "elasticsearch":
            ways += _embedded(baseline, updates, truth)
        if server:
            ways += _elasticsearch(server, baseline, truth)
        found = compare(ways, options.repeat, options.work)
    title = f"PubMed: {options.records:,} records in {len(baseline)} files"
    show(title, found, {"records/s": lambda run: run.told["records"] / run.wall})
    keep(options.json, title, vars(options), found)


def _embedded(baseline: list[Path], updates: list[Path], truth: dict[str, Any]) -> list[Way]:
    def plain(scratch: Path) -> Run:
        return _checked(timed(module("rivals.texts", "tantivy", scratch, *baseline)), truth)

    def ours(scratch: Path) -> Run:
        return _checked(timed(program("ingest", "pubmed", *baseline, "--home", scratch)), truth)

    def update(scratch: Path) -> Run:
        timed(program("ingest", "pubmed", *baseline, "--home", scratch))
        done = timed(program("ingest", "pubmed", *updates, "--home", scratch))
        check("documents", done.told["documents"]["total"], truth["after_updates"]["documents"])
        return _with(done, truth["rows"]["updates"])

    return [
        Way("tantivy, plain (en_stem), 1 thread", plain),
        Way("ours, embedded: the baseline", ours, True),
        Way("ours, embedded: the update after it", update, True),
    ]


def _elasticsearch(server: Server, baseline: list[Path], truth: dict[str, Any]) -> list[Way]:
    def fresh(run: Callable[[Path, str], Run]) -> Callable[[Path], Run]:
        return lambda scratch: run(scratch, f"bench-{uuid4().hex[:8]}")

    def plain(_: Path, index: str) -> Run:
        command = module("rivals.texts", "elasticsearch", f"{server.address}/{index}", *baseline)
        return _checked(timed(command, server=server.pid), truth)

    def ours(scratch: Path, index: str) -> Run:
        where = ["--literature", server.address, "--home", scratch]
        variables = {"TRUTHHYPO_LITERATURE_INDEX": index}
        return _checked(timed(program("ingest", "pubmed", *baseline, *where), variables, server=server.pid), truth)

    return [
        Way("Elasticsearch: helpers.bulk, plain", fresh(plain)),
        Way("ours, Elasticsearch: the baseline", fresh(ours), True),
    ]


def _checked(done: Run, truth: dict[str, Any]) -> Run:
    documents = done.told["documents"]
    total = documents["total"] if isinstance(documents, dict) else documents
    check("documents", total, truth["after_baseline"]["documents"])
    return _with(done, truth["rows"]["baseline"])


def _with(done: Run, records: int) -> Run:
    return Run(done.wall, done.cpu, done.peak, {**done.told, "records": records}, done.server)


if __name__ == "__main__":
    main()
