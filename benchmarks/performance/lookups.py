"""Look up chains, search, compute similarity edges and ask saved queries, compared with other ways to do the same."""

import json
import os
import re
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
from neo4j import Driver, GraphDatabase
from numpy.random import default_rng
from rich.console import Console
from rich.table import Table

import cypher
from benchmarks import parser_of
from benchmarks.performance import measure
from benchmarks.performance.measure import (
    ONE_THREAD,
    Clock,
    Run,
    Unavailable,
    Way,
    WrongAnswer,
    check,
    compare,
    keep,
    machine,
    module,
    program,
    say,
    show,
    timed,
)
from benchmarks.performance.rivals_loading import records
from benchmarks.performance.servers import elasticsearch
from cypher.atlas.atlas import Atlas
from cypher.atlas.charts import charts
from cypher.network import Reach
from groundwork import compiled
from groundwork.ports import Graph
from groundwork.records import Chains, Concept
from groundwork.settings import Settings
from groundwork.tables import EDGES, concept_batch
from groundwork.walks import Arcs, best_walks
from tests.servers import neo4j
from tests.servers.process import Server

RELATIONS = ("associate", "cause", "inhibit", "treat")
#: A pattern of variable length with the same answer as ours: the number of simple paths, and the best 32 in order.
SAME = """
MATCH p = (a:Concept {{key: $a}})-[*1..{hops}]-(b:Concept {{key: $b}})
WITH p, [n IN nodes(p) | n.key] AS keys
WHERE ALL(i IN range(0, size(keys) - 2) WHERE NOT keys[i] IN keys[i + 1..])
WITH p, keys, reduce(s = 1.0, r IN relationships(p) | s * (1 - ({syst} + {rand} ^ r.articles))) AS score
ORDER BY score DESC, length(p), keys, [r IN relationships(p) | type(r)]
WITH collect(p) AS paths, collect(score) AS scores
RETURN size(paths) AS total, paths[..32] AS best, scores[..32] AS scores
"""
FIRST = "MATCH p = (a:Concept {{key: $a}})-[*1..{hops}]-(b:Concept {{key: $b}}) RETURN p LIMIT 32"
#: Vectors of one cluster have cosines of about 0.75, and other vectors of about 0. The cut lies between these.
CUT = 0.5
_CLUSTER = 16
_SPREAD = 0.58
_SKLEARN = 20_000
_HUB = "MATCH (c:Concept) RETURN c.key AS key, c.name AS name ORDER BY COUNT { (c)--() } DESC LIMIT 1"
_BESIDE = "MATCH (:Concept {key: $key})-[r]-(c:Concept) RETURN c.key AS key ORDER BY r.articles DESC, key LIMIT 1"
_RELEASE = "MATCH ()-[r:ASSOCIATE]->() RETURN r.changed_in AS id LIMIT 1"


def context(arguments: Sequence[str] | None = None) -> None:
    """Chains and edges of a large graph: from an atlas, from the stores, and by scanning a pandas table as the authors
    do.

    The graph is drawn at random with degrees by a power law, by default with 200,000 concepts and 1.5 million edges.
    Every way answers the same pairs: random pairs, and separately pairs of the largest hubs. The answers are compared.
    """
    parser = parser_of(context)
    parser.add_argument("--concepts", type=int, default=200_000)
    parser.add_argument("--edges", type=int, default=1_500_000)
    parser.add_argument("--slope", type=float, default=0.9, help="of degrees by rank; 0.9: the largest is some 7,000")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0, help="at most about so long a way and setting")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds after which the server stops a query")
    parser.add_argument("--store", choices=["embedded", "neo4j"], default="embedded")
    parser.add_argument("--home", type=Path, help="folder of a Neo4j that is kept, and loaded if it is not there yet")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    say(f"load {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as folder, ExitStack() as stack:
        rows = list(_measured_context(options, Path(folder), stack))
    columns = ("way", "asked", "answers", "stopped", "p50 ms", "p95 ms", "CPU ms", "server CPU ms")
    table = Table(*columns, title="Chains and edges; CPU a question")
    for row in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=150).print(table)
    say(f"load {os.getloadavg()[0]:.1f}")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "asked": vars(options), "rows": rows}, default=str))


def edges(concepts: int, count: int, seed: int, slope: float) -> pa.Table:
    """Return relation edges with 1 to 6 PMIDs. The concept of rank r is drawn with the weight (r + 20)^-slope."""
    rng = np.random.default_rng(seed)
    weights = 1.0 / (np.arange(concepts) + 20.0) ** slope
    ends = rng.choice(concepts, (int(count * 1.2), 2), p=weights / weights.sum())
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    ends = ends[rng.permutation(len(ends))[:count]]
    sizes = rng.integers(1, 7, len(ends))
    steps = rng.integers(1, 1000, int(sizes.sum()))
    owners = np.repeat(np.arange(len(ends)), sizes)
    pmids = np.cumsum(steps)
    begins = np.cumsum(sizes) - sizes
    pmids = pmids - np.repeat(pmids[begins], sizes) + np.repeat(rng.integers(1, 40_000_000, len(ends)), sizes)
    assert len(owners) == len(pmids)
    keys = pa.array([f"Gene|{number:06}" for number in range(concepts)])
    lists = pa.ListArray.from_arrays(np.concatenate([begins, [len(pmids)]]).astype(np.int32), pa.array(pmids))
    relation = pa.array(RELATIONS).take(pa.array(rng.integers(0, len(RELATIONS), len(ends))))
    columns = [keys.take(pa.array(ends[:, 0])), relation, keys.take(pa.array(ends[:, 1])), lists]
    return pa.table(columns, schema=EDGES)


def _measured_context(options: Namespace, folder: Path, stack: ExitStack) -> Iterator[dict[str, Any]]:
    table = edges(options.concepts, options.edges, options.seed, options.slope)
    settings = Settings(home=folder, graph_timeout=options.limit)
    store, server = _stored(options, settings, table, stack)
    clock = Clock(options.seconds, server)
    began = time.perf_counter()
    kept = charts(settings.home, store, lambda: iter(table.to_batches(50_000)))
    atlas = kept.atlas(store.state())
    say(f"the atlas was drawn in {time.perf_counter() - began:.1f} s")
    graph = kept.graph()
    degree = int(np.diff(atlas.first).max())
    say(f"{len(atlas.keys):,} concepts, {atlas.apart:,} edges, largest degree {degree:,}")
    compiled.MANY = 0
    rng = np.random.default_rng(options.seed)
    drawn = rng.integers(0, len(atlas.keys), (options.pairs, 2)).tolist()
    hubs = np.argsort(np.diff(atlas.first))[::-1][:20].tolist()
    groups = {"any": drawn, "of hubs": list(zip(hubs[::2], hubs[1::2], strict=True))}
    for hops in (2, 3):
        for group, numbers in groups.items():
            pairs = [(atlas.keys[a], atlas.keys[b]) for a, b in numbers]
            yield from _chains(options, clock, atlas, graph, store, pairs, hops, f"<= {hops} hops, pairs {group}")
    for size in (5, 300):
        asked = [([atlas.keys[n] for n in rng.integers(0, len(atlas.keys), size).tolist()],) for _ in drawn]
        for name, reader in (("ours: atlas, whole answer", graph), (f"ours: {options.store}", store)):
            yield clock.told(name, f"edges among {size}", reader.edges, asked)
    frame = pd.DataFrame({"head": table["head"].to_pylist(), "tail": table["tail"].to_pylist()})
    pairs = [(atlas.keys[a], atlas.keys[b]) for a, b in drawn[:3]]
    yield clock.told("pandas scan, as the authors'", "<= 2 hops", lambda a, b: scanned(frame, a, b), pairs)


def _stored(options: Namespace, settings: Settings, table: pa.Table, stack: ExitStack) -> tuple[Any, int | None]:
    """Return the store with the edges, and the process of its server."""
    kept = options.home or settings.home
    if options.store == "embedded":
        return stack.enter_context(
            closing(_loaded(f"embedded:{kept / 'graph'}", settings, table, options.concepts))
        ), None
    loaded = kept / f"loaded-{options.concepts}-{options.edges}-{options.slope}-{options.seed}"
    server = stack.enter_context(neo4j.start(home=kept / "neo4j", heap="2g"))
    if loaded.exists():
        return stack.enter_context(closing(cypher.connect(server.address, settings))), server.pid
    store = stack.enter_context(closing(_loaded(server.address, settings, table, options.concepts)))
    loaded.touch()
    return store, server.pid


def _loaded(address: str, settings: Settings, table: pa.Table, concepts: int) -> Any:
    """Return a store after loading the edges."""
    store = cypher.connect(address, settings)
    keys = [f"Gene|{number:06}" for number in range(concepts)]
    rows = pa.Table.from_batches([concept_batch(Concept(key, key) for key in keys)])
    say("loading")
    with store.writing():
        store.put_concepts(rows.to_batches(50_000))
        store.put_edges(table.sort_by([("relation", "ascending"), ("head", "ascending")]).to_batches(50_000), "r")
    return store


def _chains(
    options: Namespace,
    clock: Clock,
    atlas: Atlas,
    graph: Any,
    store: Graph,
    pairs: Sequence[tuple[str, str]],
    hops: int,
    asked: str,
) -> Iterator[dict[str, Any]]:
    network = atlas.whole(Reach()).network
    beliefs = graph._beliefs(network, 0.0)
    arcs = Arcs.of(network.wired(), network.there(), network.kind.astype(np.int8), beliefs)
    numbers = [(network.number(a), network.number(b)) for a, b in pairs]
    name = "ours: atlas, count and best 32 as positions"
    yield clock.told(name, asked, lambda a, b: best_walks(arcs, a, b, [1.0] * hops, 32), numbers)
    yield clock.told("ours: atlas, whole answer", asked, lambda a, b: graph.chains(a, b, hops=hops), pairs)
    ours = clock.told(f"ours: {options.store}", asked, lambda a, b: store.chains(a, b, hops=hops), pairs)
    yield ours
    if options.store == "neo4j":
        constants = {"hops": hops, "syst": store.settings.syst, "rand": store.settings.rand}
        for name, text in ((f"Neo4j *1..{hops}, the same answer", SAME), (f"Neo4j *1..{hops} LIMIT 32, any", FIRST)):
            query = text.format(**constants)
            yield clock.told(name, asked, lambda a, b, by=query: store.query(by, {"a": a, "b": b}), pairs)
    for a, b in pairs[: min(20, ours["answers"])]:
        found = graph.chains(a, b, hops=hops)
        if found != store.chains(a, b, hops=hops):
            raise WrongAnswer(f"{a} - {b}, {hops} hops: the atlas and the store differ")
        if options.store == "neo4j" and "any" in asked:
            _check_same(found, store.query(SAME.format(**constants), {"a": a, "b": b}).rows[0], f"{a} - {b}")


def _check_same(found: Chains, row: Sequence[Any], pair: str) -> None:
    """Check that the rival's answer has the same number of paths and the same best scores."""
    total, _, scores = row
    if total != found.total or not np.allclose(scores, [chain.score for chain in found.chains], rtol=1e-9):
        raise WrongAnswer(f"{pair}: variable length gives {total} paths, ours {found.total}, or others")


def scanned(frame: pd.DataFrame, a: str, b: str) -> int:
    """Count paths of at most two hops by scanning the table for the neighbours of every concept on the way."""
    found = 0
    for middle in _beside(frame, a):
        found += 1 if middle == b else sum(end == b for end in _beside(frame, middle))
    return found


def _beside(frame: pd.DataFrame, key: str) -> list[str]:
    return [*frame[frame["head"] == key]["tail"], *frame[frame["tail"] == key]["head"]]


def search(arguments: Sequence[str] | None = None) -> None:
    """BM25 under a PMID cut: our search compared with tantivy's filter and bm25s, and Elasticsearch one by one and in
    batches.

    Every way answers the same questions in one process with one client. Only answers of the same store of ours are
    compared with each other, because the other ways analyse English differently.
    """
    parser = measure.parser(search)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--words", type=int, default=12)
    parser.add_argument("--k", type=int, default=32)
    parser.add_argument("--share", type=float, default=0.9, help="share of the documents under the cut")
    parser.add_argument("--store", choices=["embedded", "elasticsearch", "both"], default="both")
    options = measure.asked(parser, arguments)
    folder, truth = measure.articles(options.work, options.records, options.seed)
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
        timed(module("rival_searches", "tantivy", plain, questions, "--prepare", *baseline))
    if not (home / "literature").is_dir():
        say("indexing: ours")
        timed(program("ingest", "pubmed", *baseline, "--home", home))

    def rival(name: str, *more: object) -> Run:
        return _counted(timed(module("rival_searches", name, plain, questions, *more)))

    def in_memory(_: Path) -> Run:
        if not find_spec("bm25s"):
            raise Unavailable("not installed")
        return rival("bm25s", *baseline)

    def ours(_: Path) -> Run:
        return _same(timed(module("our_searches", f"embedded:{home / 'literature'}", questions)), "embedded", answers)

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
        done = timed(module("our_searches", server.address, questions, *more), variables, server=server.pid)
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


def similarity(arguments: Sequence[str] | None = None) -> None:
    """Similarity edges, compared with scikit-learn's full matrix and faiss, on vectors in clusters of sixteen, with one
    thread.

    Every way starts a separate process that reads the vectors from a file. The exact ways must find the same number of
    pairs. An approximate way is reported with its share of these pairs.
    """
    parser = measure.parser(similarity)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--python", default=sys.executable, help="a Python with faiss-cpu for the plain ways")
    parser.add_argument("--ways", default="", help="only ways whose name holds one of these, by commas")
    options = measure.asked(parser, arguments)
    path = drawn(options.work / f"vectors-{options.count}-{options.width}-{options.seed}.npy", options)
    answers: dict[str, int] = {}

    def way(name: str, kind: str, *, exact: bool = True, ours: bool = False) -> Way:
        def run(scratch: Path) -> Run:
            program = module("our_similar" if ours else "rival_similar", kind, path, CUT)
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


def saved_queries(arguments: Sequence[str] | None = None) -> None:
    """How long a loaded Neo4j takes to answer the saved queries of Neo4j Browser: first with a new plan, then again.

    The queries ask about the concept with the most relations, its best supported neighbour and the newest release.
    """
    parser = parser_of(saved_queries)
    parser.add_argument("address", help="a Neo4j without password, such as bolt://127.0.0.1:7687")
    parser.add_argument(
        "--queries", type=Path, default=Path(str(files("cypher") / "browser")), help="folder of queries"
    )
    options = parser.parse_args(arguments)
    with GraphDatabase.driver(options.address, notifications_min_severity="OFF") as driver:
        known = _parameters(driver)
        driver.execute_query("CALL db.clearQueryCaches()")
        sys.stdout.write("| query | first run s | second run s | rows | found by |\n|---|---|---|---|---|\n")
        for file in sorted(options.queries.glob("*.cypher")):
            sys.stdout.write(f"| {file.stem} | {_measured_saved_queries(driver, file.read_text('utf-8'), known)} |\n")


def _measured_saved_queries(driver: Driver, text: str, known: dict[str, Any]) -> str:
    asked = {name: known[name] for name in re.findall(r"\$(\w+)", text)}
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        rows = driver.execute_query(text, asked).records
        seconds.append(f"{time.perf_counter() - started:.2f}")
    plan = driver.execute_query(f"EXPLAIN {text}", asked).summary.plan
    found = sorted(filter(re.compile("Scan|Seek|CountStore|Procedure").search, _operators(plan)))
    return " | ".join([*seconds, str(len(rows)), ", ".join(found)])


def _operators(plan: Any) -> set[str]:
    return {plan["operatorType"].split("@")[0]}.union(*map(_operators, plan.get("children", [])))


def _parameters(driver: Driver) -> dict[str, Any]:
    [hub] = driver.execute_query(_HUB).records
    [beside] = driver.execute_query(_BESIDE, key=hub["key"]).records
    [release] = driver.execute_query(_RELEASE).records
    asked = {"head": hub["key"], "tail": beside["key"], "release": release["id"], "name": hub["name"][:6]}
    return {**asked, "before": 20_000_000, "least": 5}
