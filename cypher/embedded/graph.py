"""The embedded graph store: a ladybug database and an index of names in a folder, without a server."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cypher import free
from cypher.atlas.atlas import Atlas
from cypher.atlas.atlas_lookups import AtlasLookups
from cypher.atlas.charts import Charts, folder_under
from cypher.atlas.drawing import drawn
from cypher.atlas.files import Summary
from cypher.catalog import query
from cypher.embedded.dialect import answerable
from cypher.embedded.folder import ATLAS, Folder
from cypher.embedded.loading import EmbeddedWriter
from cypher.embedded.session import Session
from cypher.network import LINKS
from cypher.rows import concept_of, edge_keys_of, similarity_keys_of
from groundwork.errors import StoreBusy
from groundwork.ports import Progress, Silent
from groundwork.records import Concept, Release, Table
from groundwork.settings import Settings
from groundwork.tables import EDGES, SIMILARITIES
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO

#: Seconds for which the state is assumed to be unchanged. With a negative value, each look-up reads the state again,
#: which is cheap while the files are open.
_ALWAYS_ASKED = -1.0


class EmbeddedGraph(EmbeddedWriter, AtlasLookups):
    """A graph in a folder (`groundwork.ports.Graph`).

    Args:
        path: The folder. It need not exist yet.
        settings: Settings with the limits of time and rows, the constants of belief (`syst`, `rand`), and `threads`.
        read_only: Refuse every write.
    """

    def __init__(self, path: Path, settings: Settings, *, read_only: bool = False) -> None:
        AtlasLookups.__init__(self, f"embedded:{path}", settings, trusted=_ALWAYS_ASKED)
        self._folder = Folder(path, settings, read_only=read_only)
        self._charts = Charts(self, [path / ATLAS, folder_under(settings.home, self.address)])
        self._checked: Session | None = None
        self._older = False

    @property
    def folder(self) -> Folder:
        """The folder of the graph."""
        return self._folder

    # -- names and concepts

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        asked = list(dict.fromkeys(keys))
        found = self._concepts("concepts_by_key", keys=asked) if asked else ()
        return {concept.key: concept for concept in map(concept_of, found)}

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        return map(concept_of, self._concepts("every_concept"))

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        return self.concepts(self.folder.names.keys(forms)).values()

    def begun_by(self, forms: Collection[str]) -> Collection[str]:
        """See `names.NameIndex.begun_by`."""
        return self.folder.names.begun(forms)

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""
        return self.folder.names.near(grams, shortest, longest)

    def every_form(self) -> Iterable[str]:
        """See `names.NameIndex.every_form`."""
        return self.folder.names.every()

    # -- links

    def chart(self, state: str) -> Atlas:
        """See `AtlasLookups.chart`. A graph that does not exist or is being loaded gets an atlas that is not kept."""
        if self.folder.loading or not self.folder.there:
            return drawn(self.relations(), self.beside())
        return self._charts.atlas(state)

    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""
        rows = self._rows("edges_at", key=key)
        return ((relation.lower(), other, tuple(pmids)) for relation, other, pmids in rows)

    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """See `GraphReader.similar_at`."""
        return ((other, cosine, model) for other, cosine, model in self._rows("similar_at", key=key))

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`. Only the edges of one relation are in memory at a time."""
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
        """See `GraphReader.similarities`. All edges are in memory at once."""
        rows = self._arrow("similarity_rows").rename_columns(["head", "tail", "cosine", "model"])
        yield from rows.select(SIMILARITIES.names).cast(SIMILARITIES).to_batches(self.settings.batch_rows)

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`. Each edge is found by the primary keys of its ends."""
        with self.folder.session.together():
            for model, head, tail in similarity_keys_of(edges):
                copies = self._arrow("similarity", model=model, head=head, tail=tail)
                yield from copies.cast(SIMILARITIES).to_batches()

    def state(self) -> str:
        """See `GraphReader.state`. Every write changes the database file, so `Folder.version` is the state."""
        return self.folder.version

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`. Each edge is found by the primary keys of its ends."""
        with self.folder.session.together():
            for head, relation, tail in edge_keys_of(edges):
                text = query("embedded", "edge").naming(relation)
                copies = self.folder.session.arrow(text, {"head": head, "tail": tail})
                names = pa.array([relation] * copies.num_rows, pa.string())
                yield from copies.add_column(1, "relation", names).cast(EDGES).to_batches()

    # -- the whole graph

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """See `GraphReader.query`."""
        most = free.row_count(limit, self.settings)
        text, given = answerable(cypher, parameters)  # refuses a bad query before any file is opened
        if not self.folder.loading:
            return self.folder.queries.answer(text, given, most)
        with self.folder.session.transaction("READ ONLY"):  # during a load, no other process may read the database
            return self.folder.session.table(text, given, most)

    def summary(self) -> Summary | None:
        """See `Lookups.summary`. The summary is kept with the atlas."""
        return self._charts.summary(self.state())

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

    @contextmanager
    def writing(self, progress: Progress | None = None, /) -> Iterator[None]:
        """See `GraphWriter.writing`. When the files are closed, the atlas is built as the last part of the load.

        If the load is killed while the atlas is built, the graph is complete. Running the load again builds the atlas.
        """
        with self.folder.writing():
            yield
        with suppress(StoreBusy):  # another load has begun, and will build the atlas at its end
            self._charts.atlas(self.state(), progress or Silent())

    def check_idle(self) -> None:
        """See `GraphWriter.check_idle`. While another process loads, this process cannot open the folder."""
        if self.folder.loading:
            raise StoreBusy(f"the graph {self.folder.path} is being loaded", "one load at a time", "wait for it to end")
        self.releases()

    def complete_import(self) -> None:
        """See `GraphWriter.complete_import`. It does nothing, because nothing imports into this store."""

    def close(self) -> None:
        """See `Graph.close`."""
        self.folder.close()

    def _concepts(self, name: str, **parameters: Any) -> Iterator[list[Any]]:
        """Return rows of concepts. In a folder of an older program, no concept has an organism until the next load."""
        session = self.folder.session
        if self._checked is not session:
            columns = session.rows(query("embedded", "concept_columns").text)
            self._checked, self._older = session, "organism" not in {name for _, name, *_ in columns}
        return self._rows(f"{name}_older" if self._older else name, **parameters)

    def _rows(self, name: str, **parameters: Any) -> Iterator[list[Any]]:
        return self.folder.session.rows(query("embedded", name).text, parameters)

    def _arrow(self, name: str, **parameters: Any) -> pa.Table:
        return self.folder.session.arrow(query("embedded", name).text, parameters)


def _beside(rows: pa.Table, kind: str) -> pa.Table:
    """Return links that are not relations, with the schema `LINKS`."""
    kinds = pa.array([kind] * rows.num_rows, pa.string())
    cosines = rows["cosine"] if "cosine" in rows.column_names else pa.array(np.zeros(rows.num_rows))
    articles = pa.array(np.zeros(rows.num_rows, dtype=np.int64))
    return pa.table([rows["a"], rows["b"], kinds, articles, cosines], schema=LINKS)
