"""Make similarity edges from the names in a graph, and load the edges into the graph.

`fuzzygraph` builds the edges, and `ingest` loads them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwork.ports import Embedder, Progress
from truthhypo.world import World

if TYPE_CHECKING:
    from fuzzygraph.similarity import Plan, SimilarityReceipt, Survey
    from ingest.receipt import Receipt

_FILE = "similarities.parquet"


@dataclass(frozen=True, slots=True)
class SimilarityResult:
    """Result of a build of similarity edges, and of the load of these edges."""

    built: "SimilarityReceipt"
    loaded: "Receipt"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the build and of the load together, as one JSON object."""
        built, loaded = self.built.to_dict(), self.loaded.to_dict()
        shown = {name: loaded.get(name) for name in ("release", "rows", "similarities", "verified", "dry_run")}
        return {**built, **shown, "seconds": round(built["seconds"] + loaded["seconds"], 3)}


def make(
    world: World,
    embedder: Embedder,
    plan: "Plan",
    *,
    release: str | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    told: "Callable[[Survey], None] | None" = None,
    out: Path | None = None,
    row_normalised: bool = False,
    progress: Progress | None = None,
) -> SimilarityResult:
    """Compare the names of a graph's concepts, and load similar pairs as the live similarity edges of this embedder.

    Args:
        world: World with the graph. It must be open for writing, except in a dry run.
        embedder: Model that embeds the names.
        plan: Parameters of the build.
        release: ID of the release. The default is 12 hex digits of the SHA-256 of the edges and the build parameters.
        dry_run: Whether to report the result and change nothing.
        rebuild: Whether to continue if snapshots of live releases are missing in HOME. These releases are left out.
        told: Function that receives the survey of cosines; see `fuzzygraph.similarity.build`.
        out: File for the edges, as in `fuzzygraph.similarity.build`.
        row_normalised: As in `fuzzygraph.similarity.build`.
        progress: Receives progress.
    """
    from fuzzygraph.similarity import build
    from ingest import load_similarities
    from ingest.workspace import workspace

    home = world.settings.home
    with workspace(home) as folder:
        edges = folder / _FILE
        built = build(
            world.graph_store, embedder, plan,
            home=home, told=told, edges=edges, out=out, row_normalised=row_normalised, progress=progress,
        )  # fmt: skip
        loaded = load_similarities(
            edges, world.graph_store, world.settings,
            release=release, literature=lambda: world.literature_store, dry_run=dry_run, rebuild=rebuild,
            progress=progress,
        )  # fmt: skip
    return SimilarityResult(built, loaded)
