"""Generated releases with known content, and the comparison of a store with it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cypher
import ingest
import literature
from benchmarks.performance import generate, generated_release
from groundwork.settings import Settings


@dataclass(frozen=True)
class Release:
    """A relation file and its known content."""

    path: Path
    truth: dict[str, Any]

    @property
    def edges(self) -> int:
        return self.truth["edges"]


def pair(folder: Path, rows: int, concepts: int) -> tuple[Release, Release]:
    """Write a release and its successor: 2 % of the edges changed, 1 % removed, 1 % added."""
    first, second = folder / "first.gz", folder / "second.gz"
    old = generated_release.relations(first, rows=rows, concepts=concepts, seed=rows, traps=0.005)
    return Release(first, old), Release(second, generated_release.successor(second, of=first))


def records(folder: Path, records: int) -> list[Path]:
    """Write PubMed files: three baseline files, and an update that revises, adds and deletes articles."""
    folder.mkdir()
    told = generate.articles(folder, records=records, files=3)
    return [folder / name for name in (*told["baseline"], *told["updates"])]


def holds(release: Release | None, home: Path, address: str = "") -> None:
    """Check that the graph holds exactly this release and no load is unfinished. With None, check that nothing is
    live."""
    settings = Settings(home=home, graph=address)
    graph = cypher.connect(settings.graph_address, settings, read_only=True)
    try:
        stats, states = graph.stats(), [found.state for found in graph.releases()]
    finally:
        graph.close()
    if release is None:
        assert "live" not in states
        return
    assert stats.digest == release.truth["digest"]
    assert dict(stats.edges) == release.truth["edges_by_relation"]
    assert dict(stats.concepts) == release.truth["concepts_by_type"]
    assert states.count("live") == 1
    assert "loading" not in states


class Oracle:
    """The expected content of a literature index, from loads of the same files into a memory store."""

    def __init__(self, home: Path, *loads: list[Path]) -> None:
        settings = Settings(home=home)
        self.store = literature.connect("memory:", settings)
        for files in loads:
            ingest.load_pubmed(files, self.store, settings)

    def check(self, home: Path, address: str = "", index: str = "truthhypo") -> None:
        """Check that the index holds exactly these documents and releases."""
        settings = Settings(home=home, literature=address, literature_index=index)
        found = literature.connect(settings.literature_address, settings, read_only=True)
        try:
            pmids = list(self.store.every_pmid())
            assert list(found.every_pmid()) == pmids
            assert found.info().documents == len(pmids)
            assert found.get(pmids) == self.store.get(pmids)
            assert [(r.id, r.state) for r in found.releases()] == [(r.id, r.state) for r in self.store.releases()]
        finally:
            found.close()


def documents(home: Path, address: str = "", index: str = "truthhypo") -> int:
    """Return how many documents readers see."""
    settings = Settings(home=home, literature=address, literature_index=index)
    found = literature.connect(settings.literature_address, settings, read_only=True)
    try:
        return found.info().documents
    finally:
        found.close()
