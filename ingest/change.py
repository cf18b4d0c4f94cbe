"""The second half of a load: change the graph, through its port, from its current state to the wanted state."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import pyarrow as pa

from groundwork.errors import DamagedStore, InputError
from groundwork.inventory import named
from groundwork.ports import Graph, Literature, Progress
from groundwork.records import Release
from groundwork.settings import Settings
from groundwork.tables import CONCEPTS, EDGES, SIMILARITIES, concept_batch
from ingest import diff, literature_sync, live, state
from ingest.document_sources import replaced
from ingest.engine import Engine, count, read, write
from ingest.merged import MergeCache
from ingest.pending import Pending, Plan, done, unfinished
from ingest.receipt import Effect, Effects, Replaced, Verification
from ingest.snapshot import DOCUMENTS, Snapshots
from ingest.state import Target
from ingest.verify import verify

#: Returns the literature store into which documents are written.
Shelf = Callable[[], Literature]
Drop = Callable[[Iterable[pa.RecordBatch]], None]

_CONCEPTS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Changer:
    """Changes one graph with the snapshots in one HOME (the folder for all that the program writes).

    Attributes:
        graph: The graph store.
        snapshots: The snapshots of the releases.
        settings: HOME and batch size.
        engine: Computes states and differences.
        folder: A folder of this run, under HOME.
        progress: Receives the progress.
        literature: Returns the literature store for documents; None if no literature store is given.
        rebuild: Whether to forget releases whose snapshot is lost, and to compare the wanted state with the real
            content of the store instead of the content that the snapshots describe.
        dry_run: Whether to compute the effect only.
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
        """Make a release live and return the effect. The snapshot of the release must exist under HOME.

        An interrupted change is finished first; if it was a load of the same release, nothing else is done. With
        `rebuild`, the interrupted change is not repeated. Instead, the content of the store is compared with what it
        should be after the interrupted change and this one, and the difference is written.

        Args:
            release: The release, with any state and order; it becomes the newest of its source.

        Raises:
            InputError: If the store has a release with this ID from other files, HOME lacks a necessary snapshot, or a
                load of documents was interrupted and no literature store is given to finish it.
        """
        with self._held_alone():
            begun = () if self.dry_run else self._begun()
            finished = {} if self.rebuild else self._finish(begun)
            unfinished = begun if self.rebuild else ()
            live.check_kind(release.source, release.kind, self.graph.releases(), self.settings.home)
            live.check_bytes(release, self.graph.releases(), self.settings.home)
            if (release.source, release.id) in finished:
                return finished[release.source, release.id]
            plan = self._plan(release, unfinished)
            if self.dry_run:
                effects = plan.effects(self._put_documents(plan))
            else:
                plan = self._pending.keep(plan, self.folder / "plan")
                effects = self._carry_out(plan, unfinished)
                self._pending.forget(*unfinished)
        return effects

    def _carry_out(self, plan: Plan, earlier: Sequence[Plan] = ()) -> Effects:
        """Carry out a plan. The literature is written first, so that a live release is complete in both stores.

        Args:
            plan: The plan.
            earlier: Interrupted plans whose rows this plan writes as well.
        """
        live.record_holdings(self.settings.home, self.graph, done(self.graph.releases(), (*earlier, plan)))
        told = named(self.settings.home, [plan.release])
        with unfinished(f"{told} into {self.graph.address}", "a part of the change, and warn about it"):
            self.graph.put_release(plan.release)
            documents = self._put_documents(plan, earlier)
            if not plan.offline:  # an offline plan was written by the importer
                plan.write(self.graph, self.settings.batch_rows, self.progress)
            verified = self._verified(plan)
            for release in self._new_documents(plan, earlier):
                self._settle(release)  # before the graph is live, so that a live graph always has its documents
            settled = {(release.source, release.id) for release in (*plan.past, plan.release)}
            for one in earlier:
                if (one.release.source, one.release.id) not in settled:
                    self.graph.put_release(replace(one.release, state="live"))
            plan.conclude(self.graph)
        return plan.effects(documents, verified)

    def _verified(self, plan: Plan) -> Verification:
        """Check that the graph has the wanted content after a plan is written."""
        self.progress.begin("verifying", None, "steps")
        return verify(self.graph, plan, self.settings.home)

    def _put_documents(self, plan: Plan, earlier: Sequence[Plan] = ()) -> Effect | None:
        """Put the documents of the plans into the literature and return the effect.

        Return None if `plan` is not a load of documents. The effect is that of the whole load, even if an earlier run
        has written the documents.

        Raises:
            InputError: If there are documents and no literature was given.
        """
        new, release = self._new_documents(plan, earlier), plan.release
        if not new:
            return None
        if self.literature is None:
            raise InputError(
                f"a load of {named(self.settings.home, new[:1])} into {self.graph.address} was interrupted",
                "the literature store of that load, so that the load can be finished",
                "run that `ingest documents` command again, then this one",
            )
        index = self.literature()
        every = live.documents(done(self.graph.releases(), (*earlier, plan)))
        store = literature_sync.untouched(index) if self.dry_run else index
        home = None if self.dry_run else self.settings.home
        keep = partial(self._pending.keep_documents, release)
        effect = literature_sync.put(
            store, every, new, self.snapshots, self.engine, home, self.progress, keep if home else None
        )
        if release.kind != DOCUMENTS:
            return None
        return effect or self._pending.documents(release) or Effect.of(index.info().documents, 0, 0, 0)

    def _new_documents(self, plan: Plan, earlier: Sequence[Plan]) -> tuple[Release, ...]:
        """Return the releases of documents that the plans make live."""
        names = {(one.release.source, one.release.id) for one in (*earlier, plan)}
        every = live.documents(done(self.graph.releases(), (*earlier, plan)))
        return tuple(release for release in every if (release.source, release.id) in names)

    def _settle(self, release: Release) -> None:
        """Mark a release of documents as live in the literature."""
        assert self.literature is not None
        literature_sync.settle(self.literature(), release, self.progress)

    def _plan(self, release: Release, unfinished: Sequence[Plan]) -> Plan:
        said = self.graph.releases()
        releases = done(said, unfinished)
        lost = live.missing(live.live(releases), self.snapshots)
        if lost and not self.rebuild:
            raise live.lacking(self.graph.address, lost, self.snapshots)
        known = live.live(r for r in releases if r not in lost)
        release = replace(release, order=live.next_order(release.source, releases), state="loading")
        after = live.promoted(known, release, self.snapshots)
        self.progress.begin("comparing", None, "steps")
        was = self._held() if self.rebuild else self._state(known, "before")
        wanted = self._state(after, "after")
        replaced = self._replaced(known, release, wanted) if release.kind == DOCUMENTS else None
        kept = {(r.source, r.id) for r in after}
        counting = {(r.source, r.id): r for r in (*live.live(said), *live.live(releases))}
        past = tuple(r for name, r in counting.items() if name not in kept)
        return replace(self._between(was, wanted, release, past), replaced=replaced)

    def _replaced(self, known: Iterable[Release], release: Release, wanted: state.State) -> Replaced:
        """Count the documents that a release replaces in its source; see `document_sources.replaced`."""
        before = [live.snapshot_of(one, self.snapshots) for one in known if one.source == release.source]
        new = live.snapshot_of(release, self.snapshots)
        assert new is not None
        there = [snapshot for snapshot in before if snapshot is not None]
        return replaced(there, new, wanted.edges, self.engine, self._new("replaced"))

    def restore(self, releases: Sequence[Release]) -> Verification:
        """Replace the content of the graph by the content of these releases, and record the releases unchanged.

        Args:
            releases: The releases; at least one of them is live.

        Raises:
            InputError: If HOME lacks a necessary snapshot.
            DamagedStore: If another program changed a snapshot.
        """
        known = live.live(releases)
        if lost := live.missing(known, self.snapshots):
            raise live.lacking(self.graph.address, lost, self.snapshots)
        with self.graph.writing(self.progress):
            plan = self._between(self._held(), self._state(known, "after"), known[-1], ())
            plan.write(self.graph, self.settings.batch_rows, self.progress)
            for release in releases:
                self.graph.put_release(release)
            return self._verified(plan)

    def _between(self, was: state.State, wanted: state.State, release: Release, past: tuple[Release, ...]) -> Plan:
        """Return the plan that leads from one state to another."""
        return Plan(
            release,
            past,
            self._difference("edges", diff.EDGE_KEY, was, wanted),
            self._difference("concepts", diff.CONCEPT_KEY, was, wanted),
            self._difference("similarities", diff.SIMILARITY_KEY, was, wanted),
            Target.of(wanted, release.sha256, self.engine, self.folder / "plan"),
        )

    def _difference(self, what: str, key: Sequence[str], was: state.State, wanted: state.State) -> diff.Delta:
        return diff.difference(getattr(was, what), getattr(wanted, what), key, self.engine, self._new(f"plan/{what}"))

    def _state(self, releases: Iterable[Release], name: str) -> state.State:
        merged, standing = MergeCache(self.settings.home), live.standing(releases, self.snapshots)
        return merged.state(standing, self.engine, self._new(name), keep=not self.dry_run)

    def _held(self) -> state.State:
        """Return the state that the store really contains, without edges that are stored more than once."""
        folder = self._new("held")
        every = self.graph.every_concept()
        concepts = iter(lambda: list(islice(every, _CONCEPTS_AT_ONCE)), [])
        edges = write(self.graph.relations(), EDGES, folder / "edges.parquet")
        similarities = write(self.graph.similarities(), SIMILARITIES, folder / "similarities.parquet")
        return state.State(
            self._without_doubled(edges, diff.EDGE_KEY, self.graph.drop_edges),
            write(map(concept_batch, concepts), CONCEPTS, folder / "concepts.parquet"),
            self._without_doubled(similarities, diff.SIMILARITY_KEY, self.graph.drop_similarities),
        )

    def _without_doubled(self, held: Path, key: Sequence[str], drop: Drop) -> Path:
        """Return the stored edges, except those stored more than once.

        Edges stored more than once are dropped from the store (not in a dry run). The plan writes them again, because
        the result lacks them.
        """
        edges = self.engine.table(held)
        counted = edges.group_by(*key).agg(copies=edges.count())
        doubled = self.engine.write(
            counted.filter(counted.copies > 1).select(*key), held.with_name(f"{held.stem} doubled.parquet")
        )
        if not count(doubled):
            return held
        if not self.dry_run:
            drop(read(doubled, self.settings.batch_rows))
        others = edges.anti_join(self.engine.table(doubled), key)
        return self.engine.write(others, held.with_name(f"{held.stem} single.parquet"))

    def _new(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder

    @property
    def _pending(self) -> Pending:
        return Pending(self.settings.home, self.graph.address)

    @contextmanager
    def _held_alone(self) -> Iterator[None]:
        """Hold the store for writing; in a dry run there is nothing to hold."""
        if self.dry_run:
            yield
            return
        with self.graph.writing(self.progress), self._pending.alone():
            yield

    def _begun(self) -> tuple[Plan, ...]:
        """Return the plans that killed runs began. A rebuild marks unfinished releases without a plan as past."""
        begun = []
        for release in self.graph.releases():
            if release.state != "loading":
                continue
            plan = self._plan_of(release)
            if plan is not None:
                begun.append(plan)
                if plan.offline:
                    self.graph.complete_import()
            elif self.rebuild:
                self.graph.put_release(replace(release, state="past"))
            else:
                raise live.lacking(self.graph.address, [release], self.snapshots)
        return tuple(begun)

    def _plan_of(self, release: Release) -> Plan | None:
        """Return the plan that a killed run began; None if HOME lacks it, or if it is damaged and this is a rebuild."""
        try:
            return self._pending.find(release)
        except DamagedStore:
            if not self.rebuild:
                raise
            return None

    def _finish(self, begun: Sequence[Plan]) -> dict[tuple[str, str], Effects]:
        """Finish the plans that killed runs began; return the effects by source and ID."""
        finished = {(plan.release.source, plan.release.id): self._carry_out(plan) for plan in begun}
        if not self.dry_run:
            self._pending.forget(*begun)
        return finished
