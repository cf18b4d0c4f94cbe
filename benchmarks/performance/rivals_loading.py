"""Load, normalise and index by plain ways, as one would write them without this project.

Each way runs in a process of its own, and imports only what it needs.
"""

import csv
import gzip
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

from benchmarks.performance.measure import tell

_BATCH = 10_000  # rows in a transaction of the plain ways
_PROPERTIES = ("pmids", "articles", "first_pmid", "last_pmid", "belief", "changed_in")
_COLUMNS = ["pmid", "relation", "a", "b"]


def prepare(table: str, folder: Path, most: int) -> dict[str, Any]:
    """Write at most so many edges of a truth table in the formats of all ways."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    edges = (
        pq.read_table(table)
        .slice(0, most)
        .sort_by([("head", "ascending"), ("relation", "ascending"), ("tail", "ascending")])
    )
    articles = pc.list_value_length(edges["pmids"]).cast(pa.int64())
    for name, column in {
        "articles": articles,
        "first_pmid": pc.list_element(edges["pmids"], 0),
        "last_pmid": pc.list_flatten(edges["pmids"]).take(pc.subtract(pc.cumulative_sum(articles), 1)),
        "belief": pc.subtract(0.95, pc.power(0.3, articles)),
        "changed_in": pa.array(["bench"] * len(edges)),
    }.items():
        edges = edges.append_column(name, column)
    pq.write_table(edges.take(np.random.default_rng(0).permutation(len(edges))), folder / "shuffled.parquet")
    keys = pc.unique(pa.chunked_array([*edges["head"].chunks, *edges["tail"].chunks])).sort()
    parts = [key.split("|", 1) for key in keys.to_pylist()]
    nodes = pa.table({"key": keys, "type": [kind for kind, _ in parts], "id": [ident for _, ident in parts]})
    pq.write_table(edges, folder / "edges.parquet")
    pq.write_table(nodes, folder / "concepts.parquet")
    relations = pc.unique(edges["relation"]).to_pylist()
    for relation in relations:
        mine = edges.filter(pc.equal(edges["relation"], relation)).select(["head", "tail", *_PROPERTIES])
        pq.write_table(mine, folder / f"relation-{relation}.parquet")
    _write_csv(folder, nodes, edges)
    return {"edges": len(edges), "nodes": len(nodes), "relations": sorted(relations)}


def _write_csv(folder: Path, nodes: Any, edges: Any) -> None:
    with (folder / "concepts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["key:ID", "type", "id", ":LABEL"])
        writer.writerows((n["key"], n["type"], n["id"], f"Concept;{n['type']}") for n in nodes.to_pylist())
    types = {"pmids": "long[]", "articles": "long", "first_pmid": "long", "last_pmid": "long", "belief": "double"}
    with (folder / "edges.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        named = [f"{name}:{types.get(name, 'string')}" for name in _PROPERTIES]
        writer.writerow([":START_ID", ":END_ID", ":TYPE", *named])
        for batch in edges.to_batches(100_000):
            for row in batch.to_pylist():
                row["pmids"] = ";".join(map(str, row["pmids"]))
                writer.writerow(
                    [row["head"], row["tail"], row["relation"].upper(), *(row[name] for name in _PROPERTIES)]
                )


def _rows(path: Path, size: int = _BATCH) -> Iterator[list[dict[str, Any]]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=size):
            yield batch.to_pylist()


def _edge(row: dict[str, Any]) -> dict[str, Any]:
    return {"head": row["head"], "tail": row["tail"], "properties": {name: row[name] for name in _PROPERTIES}}


def by_unwind(verb: str, *, sorted_by_head: bool) -> Callable[[str, Path], dict[str, Any]]:
    """One session, UNWIND of ten thousand rows, MERGE or CREATE of the relationships, type by type.

    If sorted, the edges of a type come together and in the order of their heads. Otherwise the edges come in random
    order, and every ten thousand rows hold all types.
    """

    def load(address: str, folder: Path) -> dict[str, Any]:
        from neo4j import GraphDatabase

        with GraphDatabase.driver(address) as driver, driver.session() as session:
            session.run("CREATE CONSTRAINT plain_key FOR (c:Concept) REQUIRE c.key IS UNIQUE").consume()
            started = time.perf_counter()
            for rows in _rows(folder / "concepts.parquet"):
                put = f"UNWIND $rows AS row {verb} (c:Concept {{key: row.key}}) SET c.type = row.type, c.id = row.id"
                session.run(put, rows=rows).consume()
            nodes_done = time.perf_counter()
            for relation, rows in _by_relation(folder) if sorted_by_head else _as_they_come(folder):
                put = (
                    "UNWIND $rows AS row MATCH (a:Concept {key: row.head}) MATCH (b:Concept {key: row.tail}) "
                    f"{verb} (a)-[r:{relation.upper()}]->(b) SET r = row.properties"
                )
                session.run(put, rows=[_edge(row) for row in rows]).consume()
            return _counted(session, started, nodes_done, time.perf_counter())

    return load


def _by_relation(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path in sorted(folder.glob("relation-*.parquet")):
        for rows in _rows(path):
            yield path.stem.removeprefix("relation-"), rows


def _as_they_come(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for rows in _rows(folder / "shuffled.parquet"):
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            groups.setdefault(row["relation"], []).append(row)
        yield from groups.items()


def by_py2neo(address: str, folder: Path) -> dict[str, Any]:
    """Load with the bulk functions of py2neo, if it is installed."""
    from neo4j import GraphDatabase
    from py2neo import Graph
    from py2neo.bulk import create_nodes, create_relationships

    graph = Graph(address)
    graph.run("CREATE CONSTRAINT plain_key FOR (c:Concept) REQUIRE c.key IS UNIQUE")
    started = time.perf_counter()
    for rows in _rows(folder / "concepts.parquet"):
        create_nodes(graph.auto(), rows, labels={"Concept"})
    nodes_done = time.perf_counter()
    for path in sorted(folder.glob("relation-*.parquet")):
        for rows in _rows(path):
            data = [(row["head"], {name: row[name] for name in _PROPERTIES}, row["tail"]) for row in rows]
            kind = path.stem.removeprefix("relation-").upper()
            create_relationships(graph.auto(), data, kind, ("Concept", "key"), ("Concept", "key"))
    done = time.perf_counter()
    with GraphDatabase.driver(address) as driver, driver.session() as session:
        return _counted(session, started, nodes_done, done)


def count(address: str, _: Path) -> dict[str, Any]:
    """Count what a server holds, however it was loaded."""
    from neo4j import GraphDatabase

    with GraphDatabase.driver(address) as driver, driver.session() as session:
        return _counted(session, 0.0, 0.0, 0.0)


def _counted(session: Any, started: float, nodes_done: float, done: float) -> dict[str, Any]:
    [nodes] = session.run("MATCH (c:Concept) RETURN count(c)").single(strict=True)
    [edges] = session.run("MATCH (:Concept)-[r]->(:Concept) RETURN count(r)").single(strict=True)
    return {"nodes": nodes, "edges": edges, "node_seconds": nodes_done - started, "edge_seconds": done - nodes_done}


def by_copy(target: str, folder: Path) -> dict[str, Any]:
    """Load with ladybug's COPY from Parquet, with one table per relation."""
    import ladybug

    connection = ladybug.Connection(ladybug.Database(target))
    connection.execute("CREATE NODE TABLE Concept(key STRING PRIMARY KEY, type STRING, id STRING)")
    columns = "pmids INT64[], articles INT64, first_pmid INT64, last_pmid INT64, belief DOUBLE, changed_in STRING"
    tables = {path.stem.removeprefix("relation-").upper(): path for path in sorted(folder.glob("relation-*.parquet"))}
    for name in tables:
        connection.execute(f"CREATE REL TABLE {name}(FROM Concept TO Concept, {columns})")
    started = time.perf_counter()
    connection.execute(f"COPY Concept FROM '{folder / 'concepts.parquet'}'")
    nodes_done = time.perf_counter()
    for name, path in tables.items():
        connection.execute(f"COPY {name} FROM '{path}'")
    done = time.perf_counter()
    found = [
        connection.execute(query).get_next()[0]
        for query in ("MATCH (c:Concept) RETURN count(c)", "MATCH (:Concept)-[r]->(:Concept) RETURN count(r)")
    ]
    return {
        "nodes": found[0],
        "edges": found[1],
        "node_seconds": nodes_done - started,
        "edge_seconds": done - nodes_done,
    }


def by_ours_graphs(target: str, folder: Path) -> dict[str, Any]:
    """Load with this project's store alone, through its writing port, from the same Parquet files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import cypher
    from groundwork.settings import Settings
    from groundwork.tables import CONCEPTS, EDGES

    settings = Settings(home=Path(target.partition(":")[2]).parent if target.startswith("embedded:") else folder)
    nodes = pq.read_table(folder / "concepts.parquet")
    rest = {"synonyms": [[]], "counts": [[]], "organism": [""], "description": [""]}
    columns = {"key": nodes["key"], "name": nodes["id"]} | {name: each * len(nodes) for name, each in rest.items()}
    named = pa.table(columns, schema=CONCEPTS)
    graph = cypher.connect(target, settings, read_only=False)
    with pq.ParquetFile(folder / "edges.parquet") as file, graph.writing():
        started = time.perf_counter()
        graph.put_concepts(named.to_batches(settings.batch_rows))
        nodes_done = time.perf_counter()
        edges = (batch.cast(EDGES) for batch in file.iter_batches(settings.batch_rows, columns=EDGES.names))
        graph.put_edges(edges, "bench")
    # Measured after the lock is released, because the embedded store copies its tables then.
    done = time.perf_counter()
    stats = graph.stats()
    graph.close()
    return {
        "nodes": sum(stats.concepts.values()),
        "edges": sum(stats.edges.values()),
        "node_seconds": nodes_done - started,
        "edge_seconds": done - nodes_done,
    }


WAYS_GRAPHS: dict[str, Callable[[str, Path], dict[str, Any]]] = {
    "merge": by_unwind("MERGE", sorted_by_head=False),
    "merge-sorted": by_unwind("MERGE", sorted_by_head=True),
    "create": by_unwind("CREATE", sorted_by_head=True),
    "py2neo": by_py2neo,
    "count": count,
    "copy": by_copy,
    "ours": by_ours_graphs,
}


def rival_graphs() -> None:
    """Run a way: WAY TARGET FOLDER, or `prepare TABLE FOLDER EDGES`."""
    way, target, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    tell(**(prepare(target, folder, int(sys.argv[4])) if way == "prepare" else WAYS_GRAPHS[way](target, folder)))


def by_pandas(path: Path) -> tuple[int, int]:
    """Read, group, collect."""
    import pandas as pd

    frame = pd.read_csv(path, sep="\t", names=_COLUMNS, quoting=3, keep_default_na=False, compression="infer")
    frame = frame.drop_duplicates()
    edges = frame.groupby(["a", "relation", "b"], sort=False)["pmid"].agg(sorted)
    return len(edges), int(edges.map(len).sum())


def by_dict_relations(path: Path) -> tuple[int, int]:
    """Collect into a dict of sets."""
    edges: dict[tuple[str, str, str], set[int]] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            pmid, relation, a, b = line.rstrip("\n").split("\t")
            edges.setdefault((a, relation, b), set()).add(int(pmid))
    ordered = {edge: sorted(pmids) for edge, pmids in edges.items()}
    return len(ordered), sum(map(len, ordered.values()))


def by_duckdb_relations(path: Path) -> tuple[int, int]:
    """Run one SQL statement in one thread, spilling to disk if needed."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "db")) as database:
        database.execute("SET threads = 1")
        database.execute(
            "CREATE TABLE edges AS SELECT a, relation, b, list_sort(list(DISTINCT pmid)) AS pmids FROM read_csv(?, "
            "delim = '\t', header = false, quote = '', escape = '', nullstr = '\\N', "
            "columns = {'pmid': 'BIGINT', 'relation': 'VARCHAR', 'a': 'VARCHAR', 'b': 'VARCHAR'}) "
            "GROUP BY a, relation, b",
            [str(path)],
        )
        edges, evidence = database.execute("SELECT count(*), sum(len(pmids)) FROM edges").fetchall()[0]
    return edges, int(evidence)


def by_polars(path: Path) -> tuple[int, int]:
    """Run a lazy query with the streaming engine of polars, if polars is installed."""
    import polars as pl

    rows = pl.scan_csv(path, separator="\t", has_header=False, new_columns=_COLUMNS, quote_char=None)
    grouped = rows.group_by("a", "relation", "b").agg(pl.col("pmid").unique().sort())
    edges = grouped.collect(engine="streaming")
    return edges.height, int(edges["pmid"].list.len().sum())


def by_ours_relations(path: Path) -> tuple[int, int]:
    """Read and normalise with this project into the table of a snapshot, without opening a store."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from groundwork.settings import Settings
    from ingest import kinds
    from ingest.engine import Engine
    from ingest.intake import Options, take_in

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(home=folder / "home", threads=1)
        kind, source = kinds.RELATIONS, "pubtator3"
        taken = take_in(source, [path], kind.reader(folder), kind.schema, settings, Options(), folder)
        with Engine(settings, folder) as engine:
            _, table = kind.snapshot(taken, engine, engine, folder / "snapshot")
        with pq.ParquetFile(table) as edges:
            lengths = (pc.list_value_length(batch["pmids"]) for batch in edges.iter_batches(columns=["pmids"]))
            return edges.metadata.num_rows, sum(pc.sum(part).as_py() for part in lengths)


WAYS_RELATIONS = {
    "pandas": by_pandas,
    "dict": by_dict_relations,
    "duckdb": by_duckdb_relations,
    "polars": by_polars,
    "ours": by_ours_relations,
}


def rival_relations() -> None:
    """Run a way: WAY FILE."""
    edges, evidence = WAYS_RELATIONS[sys.argv[1]](Path(sys.argv[2]))
    tell(edges=edges, evidence=evidence)


def by_dict_names(path: Path) -> tuple[int, int]:
    """Count with a Counter of (key, name)."""
    counts: Counter[tuple[str, str]] = Counter()
    keys = set()
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            _, kind, text, mentions, _ = line.rstrip("\n").split("\t")
            plain = unescape(text)
            for ident in [plain] if kind == "Mutation" else plain.split(";"):
                if ident != "-":
                    key = f"{kind}|{ident}"
                    keys.add(key)
                    counts.update((key, name) for name in mentions.split("|") if name)
    return len(keys), len(counts)


def by_duckdb_names(path: Path) -> tuple[int, int]:
    """Count with SQL in one thread, spilling to disk if needed."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "db")) as database:
        database.execute("SET threads = 1")
        database.execute(
            "CREATE TABLE mentions AS SELECT type, unnest(CASE WHEN type = 'Mutation' THEN [replace(id, '&gt;', '>')] "
            "ELSE string_split(id, ';') END) AS id, string_split(names, '|') AS names FROM read_csv(?, "
            "delim = '\t', header = false, quote = '', escape = '', nullstr = '\\N', columns = {'pmid': 'BIGINT', "
            "'type': 'VARCHAR', 'id': 'VARCHAR', 'names': 'VARCHAR', 'resource': 'VARCHAR'}) WHERE id <> '-'",
            [str(path)],
        )
        [(keys,)] = database.execute("SELECT count(*) FROM (SELECT DISTINCT type, id FROM mentions)").fetchall()
        [(names,)] = database.execute(
            "SELECT count(*) FROM (SELECT type, id, name, count(*) FROM "
            "(SELECT type, id, unnest(names) AS name FROM mentions) WHERE name <> '' GROUP BY ALL)"
        ).fetchall()
    return keys, names


WAYS_NAMES = {"dict": by_dict_names, "duckdb": by_duckdb_names}


def rival_names() -> None:
    """Run a way: WAY FILE."""
    keys, names = WAYS_NAMES[sys.argv[1]](Path(sys.argv[2]))
    tell(concepts=keys, names=names)


def records(paths: list[Path]) -> Iterator[tuple[int, str]]:
    """Yield PMID and text of each record."""
    from lxml import etree

    for path in paths:
        with gzip.open(path, "rb") as file:
            for _, article in etree.iterparse(file, tag="PubmedArticle"):
                pmid = int(article.findtext("MedlineCitation/PMID"))
                places = ("MedlineCitation/Article/ArticleTitle", "MedlineCitation/Article/Abstract")
                found = [article.find(place) for place in places]
                yield pmid, " ".join("".join(element.itertext()) for element in found if element is not None)
                article.clear()


def into_tantivy(target: str, paths: list[Path]) -> int:
    """Index into a folder of tantivy with one commit."""
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_unsigned_field("pmid", stored=True, indexed=True, fast=True)
    schema.add_text_field("text", tokenizer_name="en_stem", stored=True)
    index = tantivy.Index(schema.build(), target)
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for pmid, text in records(paths):
        document = tantivy.Document()
        document.add_unsigned("pmid", pmid)
        document.add_text("text", text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return int(index.searcher().num_docs)


def into_elasticsearch(target: str, paths: list[Path]) -> int:
    """Index with helpers.bulk and its defaults. The target is ADDRESS/INDEX."""
    from elasticsearch import Elasticsearch, helpers

    address, _, name = target.rpartition("/")
    text = {"type": "text", "analyzer": "biomedical"}
    analysis = {"analyzer": {"biomedical": {"type": "english"}}}
    with Elasticsearch(address, request_timeout=120) as client:
        client.indices.create(
            index=name,
            settings={"analysis": analysis, "number_of_replicas": 0},
            mappings={"properties": {"pmid": {"type": "long"}, "text": text}},
        )
        actions = ({"_index": name, "_id": pmid, "pmid": pmid, "text": text} for pmid, text in records(paths))
        helpers.bulk(client, actions)
        client.indices.refresh(index=name)
        found = client.count(index=name)["count"]
        client.indices.delete(index=name)
    return int(found)


WAYS_TEXTS = {"tantivy": into_tantivy, "elasticsearch": into_elasticsearch}


def rival_texts() -> None:
    """Run a way: WAY TARGET FILE..."""
    tell(documents=WAYS_TEXTS[sys.argv[1]](sys.argv[2], [Path(name) for name in sys.argv[3:]]))
