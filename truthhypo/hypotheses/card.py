"""The data card of a built set: what it was made of, how, what came out, and what the probe says of it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.ports import GraphReader
from groundwork.records import Record, Release
from truthhypo.hypotheses.leaks import ALL, LIMIT, WORST, Probe, Rules, Verdict
from truthhypo.hypotheses.partition import Dropped
from truthhypo.hypotheses.release import Cuts


@dataclass(frozen=True, slots=True)
class Source(Record):
    """What a set was made of.

    Attributes:
        digest: Of the graph's relation edges, as `graph stats` prints it.
        edges: Relation edges between different concepts.
        releases: Releases that were live.
        versions: Of the program and of what chance and probe depend on.
    """

    digest: str
    edges: int
    releases: tuple[Release, ...]
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class File(Record):
    """A file of the set: its path and the SHA-256 of its bytes."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Built(Record):
    """A set that was built; what `bench build` prints.

    Attributes:
        out: Its folder, absolute.
        mode: `paper` or `sound`.
        seed: Of all chance.
        size: `all`, or `table1`.
        cuts: Seen and unseen PMIDs.
        counts: Instances by task and label.
        table_1: The same of the published set.
        unseen: Unseen edges with a label, by task, before anything was dropped.
        dropped: What was dropped of them, by task.
        self_relations: Edges of a concept with itself, left out.
        short: Unrelated pairs that could not be had, by task; empty where all could.
        species: Whether a list of species was at hand.
        rules: Single giveaways, counted.
        probe: The leak probe, by task.
        passed: False where a sound set leaks: it is not to be used. See `verdict` for a set too small to show a leak.
        source: What it was made of.
        files: instances and cases.
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
        """Instances in all."""
        return sum(sum(labels.values()) for labels in self.counts.values())

    @property
    def verdict(self) -> Verdict:
        """What the probe says of the set: the worst that it says of a task, or of all."""
        told = {probe.verdict for probe in self.probe}
        return next(verdict for verdict in WORST if verdict in told)

    def warnings(self) -> list[str]:
        """What a reader must know before using the set, a line each."""
        return [
            *(f"{task}: {count} unrelated pairs fewer than the rule wants" for task, count in self.short.items()),
            *(f"{task}: no instance of {label}" for task, label in self._missing()),
            *(f"{probe.task}: {_small(probe)}" for probe in self.probe if probe.verdict == "too small"),
            *([] if self.species else ["no list of species was given: --species names NCBI's gene_info"]),
            *(
                f"{probe.task}: trivial features tell the labels (AUROC above {LIMIT})"
                for probe in self.probe
                if probe.leaks
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """As `bench build --json` prints it: the fields, the cut-offs beside them, and what follows from them."""
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
    """What the graph says of itself."""
    stats = graph.stats()
    packages = ("truthhypo", "numpy", "scipy", "scikit-learn")
    live = tuple(release for release in stats.releases if release.state == "live")
    return Source(stats.digest, edges, live, {name: version(name) for name in packages})


def files(paths: tuple[Path, Path]) -> dict[str, File]:
    """instances.tsv and cases.jsonl with their hashes."""
    return {path.stem: File(str(path.resolve()), sha256(path.read_bytes()).hexdigest()) for path in paths}


def write(folder: Path, built: Built) -> None:
    """Write card.json and CARD.md.

    Raises:
        InputError: The folder cannot be written.
    """
    try:
        text = json.dumps(built.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
        (folder / "card.json").write_text(text + "\n", "utf-8")
        (folder / "CARD.md").write_text(_page(built), "utf-8")
    except OSError as error:
        raise InputError(f"{folder}: {error}", "a folder that can be written", "give another --out") from error


def _page(built: Built) -> str:
    """The card for people."""
    lines = [
        f"# A TruthHypo set, mode `{built.mode}`",
        "",
        f"{built.total} instances; seed {built.seed}; seen: PMID <= {built.cuts.seen_to}; unseen: PMID >= "
        f"{built.cuts.unseen_from}; articles between belong to neither. Gold stands in instances.tsv alone; a model",
        "may be shown cases.jsonl.",
        "",
        "| task | label | instances | in paper A's Table 1 |",
        "|---|---|---|---|",
        *(
            f"| {task} | {label} | {count} | {built.table_1[task][label]} |"
            for task, labels in built.counts.items()
            for label, count in labels.items()
        ),
        "",
        "Unseen edges with a label, and why they were left out:",
        "",
        "| task | unseen edges | pair seen before | one article | pairs with two labels |",
        "|---|---|---|---|---|",
        *(
            f"| {task} | {built.unseen[task]} | {why.seen_pair} | {why.one_article} | {why.two_labels} |"
            for task, why in built.dropped.items()
        ),
        "",
        f"Edges of a concept with itself, in no task and left out before: {built.self_relations}.",
        "",
        "Leak probe: related or not, told from order, species, id, degree, popularity and name alone (95 % intervals).",
        f"A row leaks where the whole interval of its AUROC lies above {LIMIT}. The set leaks if any row does: that of",
        "a task, or that of all tasks pooled, which sees more instances than a task.",
        "",
        "| task | model | AUROC | accuracy | majority | verdict |",
        "|---|---|---|---|---|---|",
        *(row for probe in built.probe for row in rows(probe)),
        "",
        *(f"- Warning: {warning}" for warning in built.warnings()),
        "",
        f"Made of {built.source.edges} edges, digest `{built.source.digest}`; live releases:",
        *(f"- {release.source} {release.id}, SHA-256 `{release.sha256}`" for release in built.source.releases),
        *(f"- {file.path.rpartition('/')[2]}: SHA-256 `{file.sha256}`" for file in built.files.values()),
        f"- {', '.join(f'{name} {number}' for name, number in built.source.versions.items())}",
    ]
    return "\n".join(lines) + "\n"


def _small(probe: Probe) -> str:
    """Why nothing can be said of a task's leaks."""
    if not probe.auroc:
        return "too few instances to probe: whether its labels leak is not known"
    high = max(figure.high for figure in probe.auroc.values())
    return f"too small to judge: no leak shows, and one with an AUROC of {high:.2f} could hide in so few instances"


def rows(probe: Probe) -> Iterable[str]:
    """A row of the card for each model, with its own verdict."""
    name = "all tasks" if probe.task == ALL else probe.task
    for model, figure in probe.auroc.items():
        right = probe.accuracy[model]
        yield (
            f"| {name} | {model} | {figure.value:.3f} ({figure.low:.3f}-{figure.high:.3f}) | "
            f"{right.value:.3f} ({right.low:.3f}-{right.high:.3f}) | {probe.majority:.3f} | {figure.verdict} |"
        )
