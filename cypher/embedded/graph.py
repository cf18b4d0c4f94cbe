"""The embedded graph store: files in a folder, without a server."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cypher import free
from cypher.atlas.atlas import Atlas
from cypher.atlas.lookups import AtlasLookups
from cypher.embedded.database import DrawnDatabase
from cypher.embedded.folder import Folder
from cypher.embedded.state import Summary
from cypher.free import answerable
from cypher.rows import edge_keys_of, similarity_keys_of
from groundwork.ports import Progress
from groundwork.records import Concept, Contradiction, Release, Table
from groundwork.settings import Settings
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

#: Seconds for which the state is assumed to be unchanged. With a negative value, each look-up reads the state again,
#: which is cheap.
_ALWAYS_ASKED = -1.0


class EmbeddedGraph(AtlasLookups):
    """A graph in a folder (`groundwork.ports.Graph`).

    Args:
        path: The folder. It need not exist yet.
        settings: Settings with the limits of time and rows, the constants of belief (`syst`, `rand`), and `threads`.
        read_only: Refuse every write.

    Attributes:
        waits: Seconds for which a free query waits until its database is drawn; None for as long as it takes.
    """

    waits: float | None = None

    def __init__(self, path: Path, settings: Settings, *, read_only: bool = False) -> None:
        super().__init__(f"embedded:{path}", settings, trusted=_ALWAYS_ASKED)
        self._folder = Folder(path, settings, read_only=read_only)
        self._database = DrawnDatabase(self._folder, settings)

    # -- concepts and their names

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        asked = list(dict.fromkeys(keys))
        return self._folder.state.book.concepts(asked) if asked else {}

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        return self._folder.state.book.every_concept()

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        book = self._folder.state.book
        return book.concepts(book.named(forms)).values()

    def begun_by(self, forms: Collection[str]) -> Collection[str]:
        """See `names.NameIndex.begun_by`."""
        return self._folder.state.book.begun(forms)

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""
        return self._folder.state.book.near(grams, shortest, longest)

    def every_form(self) -> Iterable[str]:
        """See `names.NameIndex.every_form`."""
        return self._folder.state.book.every_form()

    # -- links

    def chart(self, state: str) -> Atlas:  # noqa: ARG002 - there is only one current atlas
        """See `AtlasLookups.chart`."""
        return self._folder.state.atlas

    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""
        atlas = self._folder.state.atlas
        if (number := atlas.number(key)) is None:
            return
        arcs = slice(int(atlas.first[number]), int(atlas.first[number + 1]))
        for other, link in zip(atlas.target[arcs].tolist(), atlas.link[arcs].tolist(), strict=True):
            relation = atlas.kinds[atlas.kind[link]]
            if relation not in {SIMILAR_TO, CONTRADICTS}:
                pmids = atlas.pmids[atlas.row[link] : atlas.row[link + 1]]
                yield relation, atlas.keys[other], tuple(pmids.tolist())

    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """See `GraphReader.similar_at`."""
        state = self._folder.state
        if (number := state.atlas.number(key)) is None:
            return
        arcs = slice(int(state.atlas.first[number]), int(state.atlas.first[number + 1]))
        kinds = state.atlas.kind[state.atlas.link[arcs]]
        for other, kind in zip(state.atlas.target[arcs].tolist(), kinds.tolist(), strict=True):
            if state.atlas.kinds[kind] == SIMILAR_TO:
                for place in state.similar_places(min(number, other), max(number, other)):
                    model = state.models[state.similar_model[place]]
                    yield state.atlas.keys[other], float(state.similar_cosine[place]), model

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""
        state = self._folder.state
        links = np.flatnonzero(state.atlas.relations)
        for start in range(0, len(links), self.settings.batch_rows):
            yield state.edges(links[start : start + self.settings.batch_rows])

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`."""
        state, found = self._folder.state, list[int]()
        for head, relation, tail in edge_keys_of(edges):
            ends = state.places((head, tail))
            if len(ends) == len({head, tail}) and relation in state.atlas.kinds:
                link = state.atlas.find(ends[head], ends[tail], relation)
                if link is not None and bool(state.turned[link]) == (ends[head] > ends[tail]):
                    found.append(link)
        yield state.edges(np.array(found, dtype=np.int64))

    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""
        return self._folder.state.beside()

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.similarities`."""
        state = self._folder.state
        for start in range(0, len(state.similar_head), self.settings.batch_rows):
            yield state.similar(slice(start, start + self.settings.batch_rows))

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`."""
        state, found = self._folder.state, list[int]()
        for model, head, tail in similarity_keys_of(edges):
            ends = state.places((head, tail))
            if len(ends) == 2 and model in state.models:
                number = state.models.index(model)
                places = state.similar_places(ends[head], ends[tail])
                found += [place for place in places if state.similar_model[place] == number]
        yield state.similar(np.array(found, dtype=np.int64))

    # -- the whole graph

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """See `GraphReader.query`. The query runs in a database that is drawn when it is first needed.

        Raises:
            DatabaseDrawing: The database is not drawn in time (`waits`).
        """
        most = free.row_count(limit, self.settings)
        text, given = answerable(cypher, parameters)  # refuses a bad query before any file is opened
        return self._database.answer(text, given, most, self.waits)

    def draw(self, progress: Progress | None = None) -> None:
        """See `GraphReader.draw`."""
        self._database.draw(progress)

    def state(self) -> str:
        """See `GraphReader.state`."""
        return self._folder.state.name

    def summary(self) -> Summary | None:
        """See `Lookups.summary`."""
        return self._folder.state.summary

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        return self._folder.releases

    def concept_counts(self) -> Mapping[str, int]:
        """See `Fetches.concept_counts`."""
        return self._folder.state.book.counts()

    def edge_counts(self) -> Mapping[str, int]:
        """See `Fetches.edge_counts`."""
        return self._folder.state.atlas.edge_counts

    def similarity_count(self) -> int:
        """See `Fetches.similarity_count`."""
        return len(self._folder.state.similar_head)

    # -- changes

    def writing(self, _progress: Progress | None = None, /) -> AbstractContextManager[None]:
        """See `GraphWriter.writing`. Readers see the changes when the block ends, or when a release is recorded."""
        return self._folder.writing()

    def check_idle(self) -> None:
        """See `GraphWriter.check_idle`."""
        self._folder.check_idle()

    def put_release(self, release: Release) -> None:
        """See `GraphWriter.put_release`."""
        self._folder.put_release(release)

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_concepts`."""
        with self._folder.draft() as draft:
            draft.put_concepts(batches)

    def put_edges(
        self, batches: Iterable[pa.RecordBatch], release: str, dropped: Iterable[pa.RecordBatch] = ()
    ) -> None:
        """See `GraphWriter.put_edges`."""
        with self._folder.draft() as draft:
            draft.put_edges(batches, release, dropped)

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_edges`."""
        self.put_edges((), "", batches)

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_concepts`."""
        with self._folder.draft() as draft:
            draft.drop_concepts(batches)

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_similarities`."""
        with self._folder.draft() as draft:
            draft.put_similarities(batches)

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_similarities`."""
        with self._folder.draft() as draft:
            draft.drop_similarities(batches)

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """See `GraphWriter.put_contradictions`."""
        with self._folder.draft() as draft:
            draft.put_contradictions(source, pairs)

    def complete_import(self) -> None:
        """See `GraphWriter.complete_import`. It does nothing, because nothing imports into this store."""

    def close(self) -> None:
        """See `Graph.close`."""
        self._database.close()
        self._folder.close()
