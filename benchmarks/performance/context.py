"""Chains and edges of a large graph: from an atlas, from the stores, and by scanning a pandas table as the authors do.

The graph is drawn at random with degrees by a power law, by default with 200,000 concepts and 1.5 million edges.
Every way answers the same pairs: random pairs, and separately pairs of the largest hubs. The answers are compared.
"""

import json
import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import cypher
from benchmarks.performance.clock import Clock
from benchmarks.performance.measure import WrongAnswer, machine, say
from cypher.atlas.atlas import Atlas
from cypher.atlas.charts import charts
from cypher.network import Reach
from groundwork import compiled
from groundwork.ports import Graph
from groundwork.records import Chains
from groundwork.settings import Settings
from groundwork.tables import CONCEPTS, EDGES
from groundwork.walks import Arcs, best_walks
from tests.servers import neo4j

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


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    parser = ArgumentParser(prog="python -m benchmarks.performance.context", description=__doc__)
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
        rows = list(_measured(options, Path(folder), stack))
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


def _measured(options: Namespace, folder: Path, stack: ExitStack) -> Iterator[dict[str, Any]]:
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
    rows = pa.table([keys, keys, [[]] * concepts, [[]] * concepts], schema=CONCEPTS)
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


if __name__ == "__main__":
    main()
