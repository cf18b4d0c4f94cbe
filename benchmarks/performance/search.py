"""BM25 under a PMID cut: our search compared with tantivy's filter and bm25s, and Elasticsearch one by one and in
batches.

Every way answers the same questions in one process with one client. Only answers of the same store of ours are compared
with each other, because the other ways analyse English differently.
"""

import json
from argparse import Namespace
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from numpy.random import default_rng

from benchmarks.performance import asking
from benchmarks.performance.measure import (
    Run,
    Unavailable,
    Way,
    check,
    compare,
    keep,
    module,
    program,
    say,
    show,
    timed,
)
from benchmarks.performance.rivals.texts import records
from benchmarks.performance.served import elasticsearch
from tests.servers.process import Server


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = asking.parser("search", __doc__ or "")
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--words", type=int, default=12)
    parser.add_argument("--k", type=int, default=32)
    parser.add_argument("--share", type=float, default=0.9, help="share of the documents under the cut")
    parser.add_argument("--store", choices=["embedded", "elasticsearch", "both"], default="both")
    options = asking.asked(parser, arguments)
    folder, truth = asking.articles(options.work, options.records, options.seed)
    baseline = [folder / name for name in truth["baseline"]]
    questions = asked_of(options, baseline)
    ways: list[Way] = []
    answers: dict[str, Any] = {}
    if options.store != "elasticsearch":
        ways += _embedded(options, baseline, questions, answers)
    with elasticsearch(options) as server:
        if server:
            ways += _elasticsearch(server, options, baseline, questions, answers)
        found = compare(ways, options.repeat, options.work)
    title = f"BM25: {options.records:,} documents, {options.share:.0%} of them under the cut, k {options.k}"
    rates = {
        "questions/s": lambda run: run.told["questions"] / run.told["seconds"],
        "CPU ms each": lambda run: 1000 * run.told["cpu"] / run.told["questions"],
    }
    show(title, found, rates)
    keep(options.json, title, vars(options), found)


def asked_of(options: Namespace, baseline: Sequence[Path]) -> Path:
    """Write questions, each of different words of one document, and the cut that keeps the wanted share."""
    path = options.work / f"questions-{options.records}-{options.questions}-{options.words}-{options.share}.json"
    if not path.is_file():
        rng = default_rng([options.seed, 40])
        held = sorted(records(list(baseline)))
        texts = []
        while len(texts) < options.questions:
            words = sorted({word for word in held[int(rng.integers(len(held)))][1].split() if word.isalpha()})
            if len(words) >= 2 * options.words:
                texts.append(" ".join(rng.choice(words, options.words, replace=False).tolist()))
        before = held[max(0, round(options.share * len(held)) - 1)][0]
        path.write_text(json.dumps({"texts": texts, "k": options.k, "before": before}), "utf-8")
    return path


def _embedded(options: Namespace, baseline: list[Path], questions: Path, answers: dict[str, Any]) -> list[Way]:
    plain, home = options.work / f"tantivy-{options.records}", options.work / f"literature-{options.records}"
    if not plain.is_dir():
        say("indexing: tantivy, plain")
        plain.mkdir()
        timed(module("rivals.searches", "tantivy", plain, questions, "--prepare", *baseline))
    if not (home / "literature").is_dir():
        say("indexing: ours")
        timed(program("ingest", "pubmed", *baseline, "--home", home))

    def rival(name: str, *more: object) -> Run:
        return _counted(timed(module("rivals.searches", name, plain, questions, *more)))

    def in_memory(_: Path) -> Run:
        if not find_spec("bm25s"):
            raise Unavailable("not installed")
        return rival("bm25s", *baseline)

    def ours(_: Path) -> Run:
        return _same(timed(module("searched", f"embedded:{home / 'literature'}", questions)), "embedded", answers)

    return [
        Way("tantivy, its own range filter", lambda _: rival("tantivy-filtered")),
        Way("tantivy, no filter", lambda _: rival("tantivy")),
        Way("bm25s, the cut as a mask", in_memory),
        Way("ours, embedded", ours, True),
    ]


def _elasticsearch(
    server: Server, options: Namespace, baseline: list[Path], questions: Path, answers: dict[str, Any]
) -> list[Way]:
    variables = {"TRUTHHYPO_LITERATURE_INDEX": f"search-{uuid4().hex[:8]}"}
    say("indexing: ours, Elasticsearch")
    where = ["--literature", server.address, "--home", options.work / "elastic-home"]
    timed(program("ingest", "pubmed", *baseline, *where), variables, server=server.pid)

    def ours(*more: str) -> Run:
        done = timed(module("searched", server.address, questions, *more), variables, server=server.pid)
        return _same(done, "elasticsearch", answers)

    return [
        Way("ours, Elasticsearch: one by one", lambda _: ours(), True),
        Way("ours, Elasticsearch: search_many", lambda _: ours("--many"), True),
    ]


def _same(done: Run, store: str, answers: dict[str, Any]) -> Run:
    """Check that every run of a store gives the answers of its first run."""
    check("answers", done.told["found"], answers.setdefault(store, done.told["found"]))
    return _counted(done)


def _counted(done: Run) -> Run:
    """Return a run without its answers, which are long."""
    told = {name: value for name, value in done.told.items() if name != "found"}
    return Run(done.wall, done.cpu, done.peak, told, done.server)


if __name__ == "__main__":
    main()
