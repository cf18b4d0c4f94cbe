"""Chains and edges of a large graph: out of an atlas, out of the stores, and by the authors' scan of a pandas table.

The graph is drawn at random with degrees by a power law, 200,000 concepts and 1.5 million edges unless told
otherwise. Every way answers the same pairs; answers are held to each other before times are told.
"""

import json
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import cypher
from cypher.atlas.atlas import Atlas
from cypher.atlas.charts import Charts
from groundwork import compiled
from groundwork.arcs import Arcs
from groundwork.ports import Graph
from groundwork.settings import Settings
from groundwork.tables import CONCEPTS, EDGES
from groundwork.walks import best_walks
from tests.performance.measure import WrongAnswer, machine, say
from tests.servers import neo4j

RELATIONS = ("associate", "cause", "inhibit", "treat")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and tell."""
    parser = ArgumentParser(prog="python -m tests.performance.context", description=__doc__)
    parser.add_argument("--concepts", type=int, default=200_000)
    parser.add_argument("--edges", type=int, default=1_500_000)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0, help="at most about so long a way and setting")
    parser.add_argument("--store", choices=["embedded", "neo4j"], default="embedded")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as folder, ExitStack() as stack:
        rows = list(_measured(options, Path(folder), stack))
    table = Table("way", "asked", "answers", "p50 ms", "p95 ms", title="Chains and edges")
    for row in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=130).print(table)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "asked": vars(options), "rows": rows}, default=str))


def edges(concepts: int, count: int, seed: int) -> pa.Table:
    """Relation edges with 1 to 6 PMIDs; an end is drawn with a weight that falls by its rank."""
    rng = np.random.default_rng(seed)
    weights = 1.0 / (np.arange(concepts) + 20.0) ** 0.75
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
    table = edges(options.concepts, options.edges, options.seed)
    settings = Settings(home=folder, graph_timeout=300.0)
    address = f"embedded:{folder / 'graph'}"
    if options.store == "neo4j":
        address = stack.enter_context(neo4j.start(home=folder / "neo4j", heap="2g")).address
    store = stack.enter_context(_loaded(address, settings, table, options.concepts))
    began = time.perf_counter()
    charts = Charts(settings.home, store, lambda: iter(table.to_batches(50_000)))
    atlas = charts.atlas(store.state())
    yield _told("drawing the atlas, s", "once", [time.perf_counter() - began], 1e0)
    began = time.perf_counter()
    assert charts.there()
    yield _told("mapping it in another process, ms", "once", [time.perf_counter() - began])
    graph = charts.graph()
    degree = int(np.diff(atlas.first).max())
    say(f"{len(atlas.keys):,} concepts, {atlas.apart:,} edges, largest degree {degree:,}")
    compiled.MANY = 0
    rng = np.random.default_rng(options.seed)
    pairs = [(atlas.keys[a], atlas.keys[b]) for a, b in rng.integers(0, len(atlas.keys), (options.pairs, 2)).tolist()]
    hubs = np.argsort(np.diff(atlas.first))[::-1][:20].tolist()
    pairs += [(atlas.keys[a], atlas.keys[b]) for a, b in zip(hubs[::2], hubs[1::2], strict=True)]
    for hops in (2, 3):
        yield from _chains(options, atlas, graph, store, pairs, hops)
    for size in (5, 300):
        asked = [[atlas.keys[n] for n in rng.integers(0, len(atlas.keys), size).tolist()] for _ in pairs]
        for name, reader in (("ours: atlas, whole answer", graph), (f"ours: {options.store}", store)):
            walls = _walls(lambda keys, by=reader: by.edges(keys), [(keys,) for keys in asked], options.seconds)
            yield _told(name, f"edges among {size}", walls)
    frame = pd.DataFrame({"head": table["head"].to_pylist(), "tail": table["tail"].to_pylist()})
    walls = _walls(lambda a, b: scanned(frame, a, b), pairs[:3], options.seconds)
    yield _told("pandas scan, as the authors'", "<= 2 hops", walls)


def _loaded(address: str, settings: Settings, table: pa.Table, concepts: int) -> Any:
    from contextlib import closing

    store = cypher.connect(address, settings)
    keys = [f"Gene|{number:06}" for number in range(concepts)]
    rows = pa.table([keys, keys, [[]] * concepts, [[]] * concepts], schema=CONCEPTS)
    say("loading")
    with store.writing():
        store.put_concepts(rows.to_batches(50_000))
        store.put_edges(table.sort_by([("relation", "ascending"), ("head", "ascending")]).to_batches(50_000), "r")
    return closing(store)


def _chains(
    options: Namespace, atlas: Atlas, graph: Any, store: Graph, pairs: Sequence[tuple[str, str]], hops: int
) -> Iterator[dict[str, Any]]:
    network = atlas.network(atlas.articles(None))
    beliefs = graph._beliefs(network, 0.0)
    arcs = Arcs.of(network.wired(), network.there(), network.kind.astype(np.int8), beliefs)
    numbers = [(network.number(a), network.number(b)) for a, b in pairs]
    walls = _walls(lambda a, b: best_walks(arcs, a, b, [1.0] * hops, 32), numbers, options.seconds)
    yield _told("ours: atlas, count and best 32 as positions", f"<= {hops} hops", walls)
    walls = _walls(lambda a, b: graph.chains(a, b, hops=hops), pairs, options.seconds)
    yield _told("ours: atlas, whole answer", f"<= {hops} hops", walls)
    walls = _walls(lambda a, b: store.chains(a, b, hops=hops), pairs, options.seconds)
    yield _told(f"ours: {options.store}", f"<= {hops} hops", walls)
    if options.store == "neo4j":
        text = f"MATCH p = (a:Concept {{key: $a}})-[*1..{hops}]-(b:Concept {{key: $b}}) RETURN p LIMIT 32"
        walls = _walls(lambda a, b: store.query(text, {"a": a, "b": b}), pairs, options.seconds)
        yield _told(f"Neo4j *1..{hops} LIMIT 32, unordered", f"<= {hops} hops", walls)
    for a, b in pairs[: len(walls)][:20]:
        if graph.chains(a, b, hops=hops) != store.chains(a, b, hops=hops):
            raise WrongAnswer(f"{a} - {b}, {hops} hops: the atlas and the store differ")


def scanned(frame: pd.DataFrame, a: str, b: str) -> int:
    """Paths of at most two hops by scanning the table for the neighbours of every concept on the way."""
    found = 0
    for middle in _beside(frame, a):
        found += 1 if middle == b else sum(end == b for end in _beside(frame, middle))
    return found


def _beside(frame: pd.DataFrame, key: str) -> list[str]:
    return [*frame[frame["head"] == key]["tail"], *frame[frame["tail"] == key]["head"]]


def _walls(way: Callable[..., Any], asked: Sequence[tuple[Any, ...]], seconds: float) -> list[float]:
    """Milliseconds of each question until the time is up; the first is asked once before."""
    way(*asked[0])
    walls: list[float] = []
    began = time.perf_counter()
    for arguments in asked:
        start = time.perf_counter()
        way(*arguments)
        walls.append((time.perf_counter() - start) * 1000.0)
        if time.perf_counter() - began > seconds:
            break
    return walls


def _told(name: str, asked: str, walls: Sequence[float], scale: float = 1.0) -> dict[str, Any]:
    row = {"way": name, "asked": asked, "answers": len(walls)}
    return {**row, "p50": float(np.median(walls)) * scale, "p95": float(np.quantile(walls, 0.95)) * scale}


if __name__ == "__main__":
    main()
