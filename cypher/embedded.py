"""The embedded graph store: a ladybug database and an index of names in a folder, no server."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cypher import free
from cypher.catalog import query
from cypher.folder import Folder
from cypher.loading import Loading
from cypher.lookups import Lookups
from cypher.network import LINKS, Network, Reach
from cypher.permission import permitted
from groundwork.records import Concept, Relation, Release, Table
from groundwork.settings import Settings
from groundwork.tables import edge_batch
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

#: Above every PMID: no cut.
NO_CUT = 2**62
#: Up to so many concepts, a query each by primary key beats one pass over all links.
FEW = 500


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

    # -- links

    def around(self, key: str, radius: int, reach: Reach) -> pa.Table:
        """See `Lookups.around`."""
        links = self._links_at([key], reach)
        if not radius:
            return links
        neighbours = set(links["b"].unique().to_pylist()) - {key}
        return pa.concat_tables([links, self._links_at(sorted(neighbours), reach)])

    def degrees(self, keys: Sequence[str], reach: Reach) -> Mapping[tuple[str, str], int]:
        """See `Lookups.degrees`."""
        network = Network.of([self._links_at(keys, reach)], keys)
        ends = np.concatenate([network.a, network.b])
        counts = Counter(zip(ends.tolist(), np.tile(network.kind, 2).tolist(), strict=True))
        asked = set(keys)
        named = ((network.keys[end], network.kinds[kind], degree) for (end, kind), degree in counts.items())
        return {(key, kind): degree for key, kind, degree in named if key in asked}

    def among(self, keys: Sequence[str]) -> Iterable[Relation]:
        """See `Lookups.among`."""
        for key in keys:
            for head, relation, tail, pmids, changed_in in self._rows("edges_from", key=key, keys=list(keys)):
                yield Relation(head, relation.lower(), tail, tuple(pmids), changed_in)

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""
        edges = (Relation(h, relation.lower(), t, tuple(pmids)) for h, relation, t, pmids in self._rows("every_edge"))
        while batch := list(islice(edges, self.settings.batch_rows)):
            yield edge_batch(batch)

    def _links_at(self, keys: Sequence[str], reach: Reach) -> pa.Table:
        """Every link at some concepts, one or two times each."""
        before = NO_CUT if reach.before is None else min(reach.before, NO_CUT)
        tables = [_cut(table, before) for table in self._fetched("relations_at", keys, before=before)]
        if reach.similar:
            tables += [_beside(table, SIMILAR_TO) for table in self._fetched("similar_at", keys)]
        if reach.contradicts:
            tables += [_beside(table, CONTRADICTS) for table in self._fetched("contradictions_at", keys)]
        return pa.concat_tables([LINKS.empty_table(), *tables])

    def _fetched(self, name: str, keys: Sequence[str], **parameters: Any) -> Iterator[pa.Table]:
        if len(keys) > FEW:
            yield self._arrow(f"{name}_many", keys=list(keys), **parameters)
        else:
            yield from (self._arrow(name, key=key, **parameters) for key in keys)

    # -- the whole

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int = 1000) -> Table:
        """See `GraphReader.query`."""
        permitted(cypher, parameters)  # before anything is opened
        with self.folder.session.transaction("READ ONLY"):
            return free.answer(self.folder.session, cypher, parameters, limit, self.settings)

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        return tuple(sorted((Release(*row) for row in self._rows("releases")), key=lambda r: (r.source, r.order, r.id)))

    def concept_counts(self) -> Mapping[str, int]:
        """See `Lookups.concept_counts`."""
        return dict(self._rows("concept_counts"))

    def edge_counts(self) -> Mapping[str, int]:
        """See `Lookups.edge_counts`."""
        return {relation.lower(): edges for relation, edges in self._rows("edge_counts")}

    def writing(self) -> AbstractContextManager[None]:
        """See `GraphWriter.writing`."""
        return self.folder.writing()

    def close(self) -> None:
        """See `Graph.close`."""
        self.folder.close()

    def _rows(self, name: str, **parameters: Any) -> Iterator[list[Any]]:
        return self.folder.session.rows(query("embedded", name).text, parameters)

    def _arrow(self, name: str, **parameters: Any) -> pa.Table:
        return self.folder.session.arrow(query("embedded", name).text, parameters)


def _concept(row: Sequence[Any]) -> Concept:
    key, name, synonyms, counts = row
    return Concept(key, name, tuple(synonyms), tuple(counts))


def _cut(rows: pa.Table, before: int) -> pa.Table:
    """Relations as links. Where the cut parts the PMIDs of an edge they are here, and those up to it are counted."""
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
