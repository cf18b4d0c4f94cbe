"""Write the data card of a benchmark set: its origin, its content, and the result of the leak probe."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from groundwork.manifest import FileEntry
from groundwork.ports import GraphReader
from groundwork.records import Record, Release
from truthhypo.hypotheses.leaks import LIMIT, WORST, Probe, Rules, Verdict
from truthhypo.hypotheses.partition import Dropped
from truthhypo.hypotheses.release import Cuts
from truthhypo.json_files import write_json


@dataclass(frozen=True, slots=True)
class Source(Record):
    """The origin of a benchmark set.

    Attributes:
        digest: Digest of the graph's relation edges, the same that `truthhypo graph stats` prints.
        edges: Number of relation edges between different concepts.
        releases: The live releases from which the set was built.
        versions: Versions of the program and of the packages that affect random numbers and the probe.
    """

    digest: str
    edges: int
    releases: tuple[Release, ...]
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class File(Record):
    """A file of a benchmark set: its path and the SHA-256 of its bytes."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class BuiltSet(Record):
    """A benchmark set, as `bench build` prints it.

    Attributes:
        out: Absolute path of the folder with the files of the set.
        mode: `paper` or `sound`.
        seed: The random seed.
        size: `all` or `table1` (see `build.Order`).
        cuts: PMID limits of seen and unseen articles; see `release.Cuts`.
        counts: Number of instances by task and label.
        table_1: The same counts in the published set.
        unseen: For each task, the number of edges that have one of the task's labels and are reported in unseen
            articles. Dropped edges are included.
        dropped: Number of dropped edges and pairs, by task and reason.
        self_relations: Number of edges between a concept and itself. They are left out.
        short: For each task, the number of unrelated pairs that could not be found; empty if none is missing.
        species: Whether a list of species was given.
        rules: How well single features alone reveal the labels.
        probe: Results of the leak probe: one per task, and one for all tasks together.
        passed: False if a set of mode `sound` leaks and must not be used. A set that is too small to show a leak
            passes; see `verdict`.
        source: The origin of the set.
        files: The files instances.tsv and cases.jsonl, by name without the ending.
    """

    out: str
    mode: str
    seed: int
    size: str
    cuts: Cuts
    counts: Mapping[str, Mapping[str, int]]
    table_1: Mapping[str, Mapping[str, int]]
    unseen: Mapping[str, int]
    dropped: Mapping[str, Dropped]
    self_relations: int
    short: Mapping[str, int]
    species: bool
    rules: Rules
    probe: tuple[Probe, ...]
    passed: bool
    source: Source
    files: Mapping[str, File]

    @property
    def total(self) -> int:
        """The total number of instances."""
        return sum(sum(labels.values()) for labels in self.counts.values())

    @property
    def verdict(self) -> Verdict:
        """The worst result of the leak probe over all tasks."""
        told = {probe.verdict for probe in self.probe}
        return next(verdict for verdict in WORST if verdict in told)

    def warnings(self) -> list[str]:
        """Return the caveats that a user of the set must know, one line each."""
        return [
            *(f"{task}: {count} unrelated pairs fewer than required" for task, count in self.short.items()),
            *(f"{task}: no instance of {label}" for task, label in self._missing()),
            *(f"{probe.task}: {_why_too_small(probe)}" for probe in self.probe if probe.verdict == "too small"),
            *([] if self.species else ["no list of species was given (--genes: NCBI's gene_info)"]),
            *(
                f"{probe.task}: trivial features predict the labels (AUROC above {LIMIT})"
                for probe in self.probe
                if probe.leaks
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `bench build --json` prints them.

        The two PMID limits are at the top level, and the total, the leak verdict and the warnings are added.
        """
        shape = Record.to_dict(self)
        return {
            **shape.pop("cuts"),
            **shape,
            "total": self.total,
            "leak_verdict": self.verdict,
            "warnings": self.warnings(),
        }

    def _missing(self) -> Iterable[tuple[str, str]]:
        return ((task, label) for task, labels in self.counts.items() for label, count in labels.items() if not count)


def source(graph: GraphReader, edges: int) -> Source:
    """Return the origin of a set that is built from this graph."""
    stats = graph.stats()
    packages = ("truthhypo", "numpy", "scipy", "scikit-learn")
    live = tuple(release for release in stats.releases if release.state == "live")
    return Source(stats.digest, edges, live, {name: version(name) for name in packages})


def files(paths: tuple[Path, Path]) -> dict[str, File]:
    """Return the paths and SHA-256 of instances.tsv and cases.jsonl."""
    return {path.stem: File(str(path.resolve()), FileEntry.of(path).sha256) for path in paths}


def write(folder: Path, built: BuiltSet) -> None:
    """Write the data card of a set into the file card.json.

    Raises:
        InputError: The folder cannot be written.
    """
    write_json(folder / "card.json", built.to_dict())


def _why_too_small(probe: Probe) -> str:
    """Return the reason why the probe cannot tell whether a task's labels leak."""
    if not probe.auroc:
        return "too few instances to probe, so it is not known whether the labels leak"
    high = max(figure.high for figure in probe.auroc.values())
    return f"too small to judge: no leak was found, but a leak with an AUROC of {high:.2f} could remain undetected"
