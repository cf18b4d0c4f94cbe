"""The embedded graph store: a ladybug database and an index of names in a folder, no server."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cypher import free
from cypher.catalog import query
from cypher.embedded.dialect import answerable
from cypher.embedded.folder import Folder
from cypher.embedded.loading import Loading
from cypher.lookups import Lookups
from cypher.network import LINKS, Reach
from cypher.rows import edge_keys_of, similarity_keys_of
from groundwork.errors import StoreBusy
from groundwork.ports import Progress
from groundwork.records import Concept, Relation, Release, Table
from groundwork.settings import Settings
from groundwork.tables import EDGES, SIMILARITIES
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO

#: Above every PMID: no cut.
NO_CUT = 2**62
#: Up to so many concepts, a query each by primary key beats one pass over all links.
FEW = 1000


class EmbeddedGraph(Loading, Lookups):
    """A graph in a folder (`groundwork.ports.Graph`).

    Args:
        path: The folder; may not be there yet.
        settings: Time and row limits, the constants of belief, threads.
        read_only: Refuse to write.
    """

    def __init__(self, path: Path, settings: Settings, *, read_only: bool = False) -> None:
        Lookups.__init__(self, f"embedded:{path}", settings)
        self._folder = Folder(path, settings, read_only=read_only)

    @property
    def folder(self) -> Folder:
        """Where it is kept."""
        return self._folder

    # -- names and concepts

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        asked = list(dict.fromkeys(keys))
        found = self._rows("concepts_by_key", keys=asked) if asked else ()
        return {concept.key: concept for concept in map(_concept, found)}

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        return map(_concept, self._rows("every_concept"))

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        return self.concepts(self.folder.names.keys(forms)).values()

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""
        return self.folder.names.near(grams, shortest, longest)

    def every_form(self) -> Iterable[str]:
        """See `names.NameIndex.every_form`."""
        return self.folder.names.every()

    # -- links

    def around(self, key: str, radius: int, reach: Reach) -> pa.Table:
        """See `Fetches.around`."""
        place = "beside" if radius else "at"

        def fetched(name: str, **parameters: Any) -> pa.Table:
            text = query("embedded", f"{name}_{place}").naming(*reach.kinds)
            return self.folder.session.arrow(text, {"key": key, **parameters})

        before = _before(reach)
        tables = [_cut(fetched("relations", before=before), before)]
        if reach.similar:
            tables.append(_beside(fetched("similar"), SIMILAR_TO))
        if reach.contradicts:
            tables.append(_beside(fetched("contradictions"), CONTRADICTS))
        return pa.concat_tables(tables)

    def degrees(self, keys: Sequence[str], reach: Reach) -> Mapping[tuple[str, str], int]:
        """See `Fetches.degrees`."""
        if not keys:
            return {}
        import pyarrow.compute as pc

        before = _before(reach)
        with self.folder.session.together():
            if len(keys) > FEW:
                tables = [self._arrow("every_degree", before=before)]
                tables += [self._arrow("every_similar_degree")] if reach.similar else []
            else:
                tables = [self._arrow("degrees_at", key=key, before=before) for key in keys]
                tables += [self._arrow("similar_degree_at", key=key) for key in keys] if reach.similar else []
        found = pa.concat_tables(tables)
        asked = found.filter(pc.is_in(found["key"], value_set=pa.array(keys, pa.string())))
        return {(row["key"], row["kind"].lower()): row["degree"] for row in asked.to_pylist()}

    def among(self, keys: Sequence[str]) -> Iterable[Relation]:
        """See `Fetches.among`."""
        for key in keys:
            for head, relation, tail, pmids, changed_in in self._rows("edges_from", key=key, keys=list(keys)):
                yield Relation(head, relation.lower(), tail, tuple(pmids), changed_in)

    def edges_at(self, key: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""
        return ((relation.lower(), tuple(pmids)) for relation, pmids in self._rows("edges_at", key=key))

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`. A relation's edges are in memory at a time."""
        for relation in RELATIONS:
            edges = self.folder.session.arrow(query("embedded", "edges_of").naming(relation))
            names = pa.array([relation] * edges.num_rows, pa.string())
            yield from edges.add_column(1, "relation", names).cast(EDGES).to_batches(self.settings.batch_rows)

    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""
        for rows, kind in (
            (self._arrow("similarity_rows"), SIMILAR_TO),
            (self._arrow("contradiction_rows", source=""), CONTRADICTS),
        ):
            yield from _beside(rows.rename_columns(["a", "b", *rows.column_names[2:]]), kind).to_batches()

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.similarities`. All of them are in memory."""
        rows = self._arrow("similarity_rows").rename_columns(["head", "tail", "cosine", "model"])
        yield from rows.select(SIMILARITIES.names).cast(SIMILARITIES).to_batches(self.settings.batch_rows)

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`: each by the primary keys of its ends."""
        with self.folder.session.together():
            for model, head, tail in similarity_keys_of(edges):
                copies = self._arrow("similarity", model=model, head=head, tail=tail)
                yield from copies.cast(SIMILARITIES).to_batches()

    def state(self) -> str:
        """See `GraphReader.state`: whatever writes, writes the database's file."""
        return self.folder.written()

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`: each by the primary keys of its ends."""
        with self.folder.session.together():
            for head, relation, tail in edge_keys_of(edges):
                text = query("embedded", "edge").naming(relation)
                copies = self.folder.session.arrow(text, {"head": head, "tail": tail})
                names = pa.array([relation] * copies.num_rows, pa.string())
                yield from copies.add_column(1, "relation", names).cast(EDGES).to_batches()

    # -- the whole

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """See `GraphReader.query`."""
        most = free.row_count(limit, self.settings)
        text, given = answerable(cypher, parameters)  # before anything is opened
        if not self.folder.loading:
            return self.folder.queries.answer(text, given, most)
        with self.folder.session.transaction("READ ONLY"):  # no other process may read while this one loads
            return self.folder.session.table(text, given, most)

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        found = (Release.of(release) for (release,) in self._rows("releases"))
        return tuple(sorted(found, key=lambda release: (release.source, release.order, release.id)))

    def concept_counts(self) -> Mapping[str, int]:
        """See `Fetches.concept_counts`."""
        return dict(self._rows("concept_counts"))

    def edge_counts(self) -> Mapping[str, int]:
        """See `Fetches.edge_counts`."""
        return {relation.lower(): edges for relation, edges in self._rows("edge_counts")}

    def similarity_count(self) -> int:
        """See `Fetches.similarity_count`."""
        edges: int
        ((edges,),) = self.folder.session.rows(query("embedded", "edge_count").naming(SIMILAR_TO))
        return edges

    def writing(self, _progress: Progress | None = None, /) -> AbstractContextManager[None]:
        """See `GraphWriter.writing`."""
        return self.folder.writing()

    def check_idle(self) -> None:
        """See `GraphWriter.check_idle`: another process's load keeps the folder from being opened."""
        if self.folder.loading:
            raise StoreBusy(f"the graph {self.folder.path} is being loaded", "one load at a time", "wait for it to end")
        self.releases()

    def complete_import(self) -> None:
        """See `GraphWriter.complete_import`: nothing imports into this store."""

    def close(self) -> None:
        """See `Graph.close`."""
        self.folder.close()

    def _rows(self, name: str, **parameters: Any) -> Iterator[list[Any]]:
        return self.folder.session.rows(query("embedded", name).text, parameters)

    def _arrow(self, name: str, **parameters: Any) -> pa.Table:
        return self.folder.session.arrow(query("embedded", name).text, parameters)


def _before(reach: Reach) -> int:
    return NO_CUT if reach.before is None else min(reach.before, NO_CUT)


def _concept(row: Sequence[Any]) -> Concept:
    key, name, synonyms, counts = row
    return Concept(key, name, tuple(synonyms), tuple(counts))


def _cut(rows: pa.Table, before: int) -> pa.Table:
    """Relations as links. Where the cut parts the PMIDs of an edge they are here, and those up to it are counted."""
    import pyarrow.compute as pc

    pmids = rows["pmids"].combine_chunks()
    articles = rows["articles"].to_numpy().astype(np.int64)
    parted = np.flatnonzero(pmids.is_valid().to_numpy(zero_copy_only=False))
    if parted.size:
        lists = pmids.take(pa.array(parted))
        owners, values = pc.list_parent_indices(lists).to_numpy(), lists.flatten().to_numpy()
        articles[parted] = np.bincount(owners[values <= before], minlength=parted.size)
    kinds = pc.utf8_lower(rows["kind"])
    return pa.table([rows["a"], rows["b"], kinds, pa.array(articles), _zeros(rows)], schema=LINKS)


def _beside(rows: pa.Table, kind: str) -> pa.Table:
    """Links that are no relations."""
    kinds = pa.array([kind] * rows.num_rows, pa.string())
    cosines = rows["cosine"] if "cosine" in rows.column_names else _zeros(rows)
    articles = pa.array(np.zeros(rows.num_rows, dtype=np.int64))
    return pa.table([rows["a"], rows["b"], kinds, articles, cosines], schema=LINKS)


def _zeros(rows: pa.Table) -> pa.Array:
    return pa.array(np.zeros(rows.num_rows))
