"""The second half of a load: from the state the graph has to the state it should have, through the port."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from groundwork.errors import InputError
from groundwork.ports import Graph, Literature, Progress
from groundwork.records import Release
from groundwork.settings import Settings
from groundwork.tables import CONCEPTS, EDGES, concept_batch
from ingest import diff, live, shelf, state
from ingest.engine import Engine, write
from ingest.pending import Pending, Plan
from ingest.receipt import Effect
from ingest.snapshot import DOCUMENTS, Snapshots

#: Opens the literature when documents are to be put there.
Shelf = Callable[[], Literature]

_CONCEPTS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Effects:
    """What a change did to edges and concepts and, if it was of documents, to the literature."""

    edges: Effect
    concepts: Effect
    documents: Effect | None = None

    @property
    def nothing(self) -> bool:
        """All is as it was."""
        every = (effect for effect in (self.edges, self.concepts, self.documents) if effect is not None)
        return not any(effect.added + effect.changed + effect.removed for effect in every)


@dataclass(frozen=True, slots=True)
class Changer:
    """Changes one graph from one HOME.

    Attributes:
        graph: The store.
        snapshots: Where the releases' snapshots are.
        settings: HOME and batch size.
        engine: Works out states and differences.
        folder: A folder of this run, under HOME.
        progress: Who watches.
        literature: Where documents go; None finds them no place.
        rebuild: Forget releases whose snapshot is lost, and compare with what the store really holds.
        dry_run: Work out the effect only.
    """

    graph: Graph
    snapshots: Snapshots
    settings: Settings
    engine: Engine
    folder: Path
    progress: Progress
    literature: Shelf | None = None
    rebuild: bool = False
    dry_run: bool = False

    def make_live(self, release: Release) -> Effects:
        """Make a release live whose snapshot is there, and give the effect.

        A change found half-way is finished first. If it was of this very release, its effect is the one reported.

        Args:
            release: With any state and order; it becomes the newest of its source.

        Raises:
            InputError: The store knows this ID with other bytes, or HOME lacks a snapshot that counts; or a load of
                documents was found half-way, and there is no literature to finish it.
        """
        with self._held_alone():
            finished = {} if self.dry_run else self._finish()
            live.check_bytes(release, self.graph.releases())
            plan = self._plan(release)
            if self.dry_run:
                effects = Effects(plan.edges.effect, plan.concepts.effect, self._shelve(plan.release))
            else:
                plan = self._pending.keep(plan, self.folder / "plan")
                self.graph.put_release(plan.release)
                effects = self._carry_out(plan)
                self._pending.forget()
        earlier = finished.get((release.source, release.id))
        return earlier if earlier is not None and effects.nothing else effects

    def _carry_out(self, plan: Plan) -> Effects:
        """Do what a plan says. The literature comes first, so what is live in the graph is whole in both."""
        documents = self._shelve(plan.release)
        plan.apply(self.graph, self.settings.batch_rows, self.progress)
        return Effects(plan.edges.effect, plan.concepts.effect, documents)

    def _shelve(self, release: Release) -> Effect | None:
        """Put the documents of a release into the literature; None if it has none.

        Raises:
            InputError: It has, and nobody said which literature.
        """
        if release.source != DOCUMENTS:
            return None
        if self.literature is None:
            raise InputError(
                f"loading documents:{release.id} into {self.graph.address} was interrupted",
                "the literature its texts go to, to finish it",
                "run that `ingest documents` command again, then this one",
            )
        index = self.literature()
        before = (one for one in live.live(self.graph.releases()) if one.source == DOCUMENTS and one.id != release.id)
        return shelf.put(shelf.untouched(index) if self.dry_run else index, [*before, release], self.snapshots)

    def _plan(self, release: Release) -> Plan:
        releases = self.graph.releases()
        lost = live.missing(live.live(releases), self.snapshots)
        if lost and not self.rebuild:
            raise live.lacking(self.graph.address, lost)
        known = live.live(r for r in releases if r not in lost)
        release = replace(release, order=live.next_order(release.source, releases), state="loading")
        after = live.promoted(known, release, self.snapshots)
        self.progress.begin("comparing", None, "steps")
        was = self._held() if self.rebuild else self._state(known, "before")
        wanted = self._state(after, "after")
        kept = {(r.source, r.id) for r in after}
        past = tuple(r for r in live.live(releases) if (r.source, r.id) not in kept)
        return Plan(
            release,
            past,
            diff.difference(was.edges, wanted.edges, diff.EDGE_KEY, self.engine, self._new("plan/edges")),
            diff.difference(was.concepts, wanted.concepts, diff.CONCEPT_KEY, self.engine, self._new("plan/concepts")),
        )

    def _state(self, releases: Iterable[Release], name: str) -> state.State:
        return state.derive(live.standing(releases, self.snapshots), self.engine, self._new(name))

    def _held(self) -> state.State:
        """The state the store is really in."""
        folder = self._new("held")
        every = self.graph.every_concept()
        concepts = iter(lambda: list(islice(every, _CONCEPTS_AT_ONCE)), [])
        return state.State(
            write(self.graph.relations(), EDGES, folder / "edges.parquet"),
            write(map(concept_batch, concepts), CONCEPTS, folder / "concepts.parquet"),
        )

    def _new(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder

    @property
    def _pending(self) -> Pending:
        return Pending(self.settings.home, self.graph.address)

    @contextmanager
    def _held_alone(self) -> Iterator[None]:
        """The store held for writing; in a dry run there is nothing to hold."""
        if self.dry_run:
            yield
            return
        with self.graph.writing(), self._pending.alone():
            yield

    def _finish(self) -> dict[tuple[str, str], Effects]:
        """Finish what a killed run began; the effects by source and ID."""
        finished = {}
        for release in self.graph.releases():
            if release.state != "loading":
                continue
            plan = self._pending.find(release)
            if plan is not None:
                finished[release.source, release.id] = self._carry_out(plan)
            elif self.rebuild:
                self.graph.put_release(replace(release, state="past"))
            else:
                raise live.lacking(self.graph.address, [release])
        self._pending.forget()
        return finished
