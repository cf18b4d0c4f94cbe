"""Load pairs of concepts that exclude each other, for example SNOMED's exclusions. The files have two columns.

The pairs are not a release: they replace all such pairs of the graph in one write, and loading the same files again
changes nothing. If a run is killed, the same command does everything again from the files.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pyarrow as pa

from groundwork.errors import InputError, Refused
from groundwork.inventory import named
from groundwork.ports import Graph, GraphReader, Progress, Silent
from groundwork.records import Contradiction
from groundwork.settings import Settings
from groundwork.vocabulary import CONTRADICTS, canonical
from ingest import live
from ingest.columns import key
from ingest.engine import read
from ingest.intake import Options, take_in
from ingest.pending import Pending, unfinished
from ingest.receipt import Effect, Receipt, Verification
from ingest.rejects import Reason, Rejects, RowCount, fields
from ingest.release import Block, SourceFile
from ingest.workspace import workspace

#: The name of the source of the pairs, on the receipt and on the edges.
CONTRADICTIONS = "contradictions"

#: Two different concepts in canonical order; a pair may be repeated.
PAIRS = pa.schema([pa.field("head", pa.string(), nullable=False), pa.field("tail", pa.string(), nullable=False)])

Pair = tuple[str, str]

_LISTED = 10  # number of differences that an error lists


def load_contradictions(
    files: Sequence[str | Path],
    graph: Graph,
    settings: Settings,
    *,
    max_rejects: int | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Load pairs of concepts that exclude each other. The pairs replace all CONTRADICTS edges, and must fit in memory.

    Args:
        files: Files with rows `Type|ID<tab>Type|ID`, plain or .gz, or `-` for standard input.
        graph: The graph store.
        settings: HOME, where rejects are written.
        max_rejects: Number of rejected rows allowed; by default 1 % of the rows, at least 100.
        dry_run: Whether to read, count and compare only, without changes.
        progress: Receives the progress; optional.

    Returns:
        The receipt, with the effect on the pairs.

    Raises:
        InputError: If a file cannot be read to its end or has no row, if another load was interrupted (so that concepts
            may be missing), or if a concept was removed from the graph while the files were read.
        TooManyRejects: If more rows were rejected than allowed; nothing was changed.
        Refused: If the graph does not contain exactly these pairs after they were written.
        StoreError: If the store failed; run the same command again to repeat the load.
    """
    started, options = monotonic(), Options(None, max_rejects, dry_run, progress=progress or Silent())
    if not dry_run:
        graph.check_idle()
    _check_settled(graph, settings.home)
    with workspace(settings.home) as folder:
        taken = take_in(CONTRADICTIONS, files, PairReader(graph), PAIRS, settings, options, folder)
        batches = read(taken.table, settings.batch_rows)
        wanted = {pair for batch in batches for pair in zip(*batch.to_pydict().values(), strict=True)}
    options.progress.begin("comparing", None, "steps")
    if dry_run:
        before, verified = _held(graph), None
    else:
        with (
            graph.writing(options.progress),
            Pending(settings.home, graph.address).alone(),
            unfinished(f"contradictions into {graph.address}", "a part of them"),
        ):
            _check_settled(graph, settings.home)
            before = _held(graph)
            paths = [file.path for file in taken.receipt.files] if wanted else []
            live.record_holdings(settings.home, graph, files={CONTRADICTIONS: paths})
            verified = _replace(graph, before, wanted)
    effect = Effect.of(len(wanted), len(wanted.difference(before)), 0, len(set(before) - wanted))
    return replace(taken.receipt, seconds=monotonic() - started, contradictions=effect, verified=verified)


class PairReader:
    """Reads rows of two keys as batches of `PAIRS`.

    Args:
        graph: The graph that must contain the concepts.
    """

    def __init__(self, graph: GraphReader) -> None:
        self._graph = graph
        self._known: dict[str, bool] = {}

    def __call__(
        self, files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
    ) -> Iterator[pa.RecordBatch]:
        """Yield the pairs of the files, each in canonical order.

        Args:
            files: The files, each read to its end, one after the other.
            rejects: Receives the lines that are not a pair of two different concepts of the graph.
            rows: Receives the number of rows kept.
            progress: Receives the number of bytes read.

        Raises:
            InputError: If a file cannot be read to its end, or contains no row.
        """
        for file in files:
            for block in file.blocks(progress):
                pairs = self._pairs(block, file.path, rejects)
                rows.kept += len(pairs)
                yield pa.RecordBatch.from_pylist([dict(zip(PAIRS.names, pair, strict=True)) for pair in pairs], PAIRS)

    def _pairs(self, block: Block, path: str, rejects: Rejects) -> list[Pair]:
        """Return the pairs of a block that can be kept, and reject all other lines, in the file's order."""
        lines = [(number, line, _pair(line)) for number, line in block.lines() if line]
        self._ask(end for _, _, pair in lines if not isinstance(pair, Reason) for end in pair)
        kept = []
        for number, line, pair in lines:
            if isinstance(pair, Reason):
                rejects.add(path, number, pair, line)
            elif not all(self._known[end] for end in pair):
                rejects.add(path, number, Reason.UNKNOWN_CONCEPT, line)
            else:
                kept.append(pair)
        return kept

    def _ask(self, keys: Iterable[str]) -> None:
        """Look up which of the keys are in the graph."""
        new = set(keys) - self._known.keys()
        found = self._graph.concepts(sorted(new))
        self._known |= {one: one in found for one in new}


def _pair(line: bytes) -> Pair | Reason:
    """Return one line as a pair in canonical order, or the reason why it is not a pair."""
    found = fields(line, len(PAIRS))
    if isinstance(found, Reason):
        return found
    one, other = map(key, found)
    if isinstance(one, Reason):
        return one
    if isinstance(other, Reason):
        return other
    return Reason.SAME_CONCEPT if one == other else canonical(one, other)


def _held(graph: GraphReader) -> list[Pair]:
    """Return the pairs that the graph contains, sorted; a pair that is stored twice is returned twice."""
    links = (row for batch in graph.beside() for row in batch.select(["a", "b", "kind"]).to_pylist())
    return sorted((row["a"], row["b"]) for row in links if row["kind"] == CONTRADICTS)


def _replace(graph: Graph, before: list[Pair], pairs: set[Pair]) -> Verification:
    """Replace the pairs of a graph and check the result. Nothing is written if the graph has exactly these pairs.

    Raises:
        InputError: If a concept was removed since the files were read.
        Refused: If the graph does not contain exactly these pairs afterwards.
    """
    ends = {end for pair in pairs for end in pair}
    gone = ends - graph.concepts(sorted(ends)).keys()
    if gone:
        raise InputError(
            f"concepts were removed from the graph while the files were read: {', '.join(sorted(gone)[:_LISTED])}",
            "concepts that are in the graph",
            "run the same command again; it rejects the pairs of these concepts",
        )
    wanted = sorted(pairs)
    if before != wanted:
        graph.put_contradictions(CONTRADICTIONS, (Contradiction(*pair, CONTRADICTIONS) for pair in wanted))
        _check_written(graph, wanted)
    return Verification(0, 0, len(pairs.union(before)))


def _check_written(graph: GraphReader, wanted: list[Pair]) -> None:
    """Check that the graph contains these pairs, each once, and no others; raise Refused if not."""
    seen = _held(graph)
    if seen != wanted:
        there, due = Counter(seen), Counter(wanted)
        wrong = sorted((there - due) + (due - there))
        raise Refused(
            f"after contradictions were written, {graph.address} contains {len(seen)} of them; these are missing, "
            f"additional or stored twice: {', '.join(' - '.join(pair) for pair in wrong[:_LISTED])}",
            f"the {len(wanted)} pairs of the files, each once",
            "run the same command again; if another program wrote pairs of its own, remove them with that program",
        )


def _check_settled(graph: GraphReader, home: Path) -> None:
    """Check that no load is unfinished, because concepts of such a load may not be in the graph yet.

    Raises:
        InputError: If a load is unfinished.
    """
    if begun := [release for release in graph.releases() if release.state == "loading"]:
        raise InputError(
            f"a load of {named(home, begun)} into {graph.address} was interrupted",
            "a graph with all of its concepts, so that pairs without a concept can be found",
            "run that `ingest` command again, then this one",
        )
