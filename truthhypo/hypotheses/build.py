"""Build the benchmark from a loaded release (paper A, section 2.1), in one of two modes.

Mode `paper` follows the published rules. Its labels can be guessed from the order of the two concepts, their species
and their popularity. Mode `sound` chooses unrelated pairs that have the same features as related pairs, and puts the
concepts of a pair in random order. In both modes, a probe tests whether features without biology still predict the
labels.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.random import Generator, default_rng

from groundwork.errors import InputError
from groundwork.manifest import FileEntry
from groundwork.ports import GraphReader, Progress
from groundwork.records import Concept, Record, Release
from truthhypo.hypotheses import dataset, leaks
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.leaks import LIMIT, TRAITS, WORST, Known, Probe, Rules, Standing, Verdict
from truthhypo.hypotheses.negatives import matched, uniform
from truthhypo.hypotheses.options import NO_RELATION
from truthhypo.hypotheses.release import TABLE_1, Cuts, Dropped, Edges, Part, label_counts, partition, read_edges
from truthhypo.json_files import write_json

Mode = Literal["paper", "sound"]
Size = Literal["all", "table1"]


@dataclass(frozen=True, slots=True)
class Order:
    """Parameters of a build.

    Attributes:
        cuts: PMID limits of seen and unseen articles; see `Cuts`.
        mode: `paper` or `sound`.
        seed: Random seed. The same release and the same parameters give identical files.
        size: `all`: all related pairs that `partition` finds in the release. `table1`: at most as many of these pairs
            of each label as in Table 1 of paper A.
        species: NCBI taxonomy id of each gene, by gene id; None if no list of species is given.
    """

    cuts: Cuts
    mode: Mode = "paper"
    seed: int = 0
    size: Size = "all"
    species: Mapping[str, str] | None = None


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
        size: `all` or `table1` (see `Order`).
        cuts: PMID limits of seen and unseen articles; see `Cuts`.
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


def build(graph: GraphReader, out: Path, order: Order, progress: Progress) -> BuiltSet:
    """Build a benchmark set, write its files and its data card, and probe it for leaks.

    Args:
        graph: Graph with the release. Its live relation edges are used.
        out: Folder for instances.tsv, cases.jsonl and card.json.
        order: Parameters of the build.
        progress: Receives each stage.

    Raises:
        InputError: The release has no pair for any task (the error gives the numbers of unusable pairs by reason), the
            folder cannot be written, or scikit-learn is not installed.
    """
    progress.begin("reading edges", None, "edges")
    edges = read_edges(graph, order.cuts)
    parts = tuple(_cut_down(part, order, place) for place, part in enumerate(partition(edges)))
    if not any(len(part.head) for part in parts):
        raise _empty(edges, parts, order.cuts)
    known = _known(graph.every_concept(), edges, parts, order)
    progress.begin("drawing unrelated pairs", None, "tasks")
    instances, short = [], {}
    for place, part in enumerate(parts):
        found, missing = _instances(edges, part, known, order, default_rng([order.seed, place]))
        instances += found
        if missing:
            short[part.task] = missing
        progress.advance(1)
    files = dataset.write(out, instances)
    progress.begin("probing for leaks", None, "models")
    probes = leaks.probe(instances, known, order.seed)
    stats = graph.stats()
    live = tuple(release for release in stats.releases if release.state == "live")
    versions = {name: version(name) for name in ("truthhypo", "numpy", "scipy", "scikit-learn")}
    built = BuiltSet(
        out=str(out.resolve()),
        mode=order.mode,
        seed=order.seed,
        size=order.size,
        cuts=order.cuts,
        counts=label_counts(instances),
        table_1=TABLE_1,
        unseen={part.task: part.unseen for part in parts},
        dropped={part.task: part.dropped for part in parts},
        self_relations=edges.selves,
        short=short,
        species=bool(order.species),
        rules=leaks.rules(instances, known),
        probe=probes,
        passed=order.mode == "paper" or not any(probe.leaks for probe in probes),
        source=Source(stats.digest, len(edges.head), live, versions),
        files={path.stem: File(str(path.resolve()), FileEntry.of(path).sha256) for path in files},
    )
    write_json(out / "card.json", built.to_dict())
    return built


def _cut_down(part: Part, order: Order, place: int) -> Part:
    """Return the task with at most as many related pairs of each label as `order.size` allows."""
    if order.size == "all":
        return part
    rng = default_rng([order.seed, 100 + place])
    kept = []
    for label, name in enumerate(part.labels):
        held = np.flatnonzero(part.label == label)
        kept.append(rng.permutation(held)[: TABLE_1[part.task][name]])
    chosen = np.sort(np.concatenate(kept))
    return replace(part, head=part.head[chosen], tail=part.tail[chosen], label=part.label[chosen])


def _instances(edges: Edges, part: Part, known: Known, order: Order, rng: Generator) -> tuple[list[Instance], int]:
    """Return the instances of a task in random order, and the number of unrelated pairs that could not be found."""
    wanted = len(part.head) // 2
    if not len(part.head):
        return [], 0
    labels = [part.labels[label] for label in part.label]
    if order.mode == "paper":
        heads, tails = uniform(edges, part, wanted, rng)
    else:
        # the two concepts of a related pair of one type come in random order
        turn = (rng.random(len(part.head)) < 0.5) & (edges.types[part.head] == edges.types[part.tail])
        head, tail = np.where(turn, part.tail, part.head), np.where(turn, part.head, part.tail)
        part = replace(part, head=head, tail=tail)
        pool = np.union1d(part.heads, part.tails)
        traits = np.zeros((len(edges.keys), len(TRAITS)))
        traits[pool] = known.rows([edges.keys[at] for at in pool])
        heads, tails = matched(edges, part, wanted, traits, rng)
    pairs = np.concatenate([np.stack([part.head, part.tail]), np.stack([heads, tails])], axis=1)
    labels += [NO_RELATION] * len(heads)
    found = []
    for at in rng.permutation(pairs.shape[1]):
        x, y = (edges.keys[concept] for concept in pairs[:, at])
        if order.mode == "sound" and x.partition("|")[0] == y.partition("|")[0] and rng.random() < 0.5:
            x, y = y, x
        found.append(dataset.instance(x, y, labels[at], known.names.get(x, x), known.names.get(y, y)))
    return found, wanted - len(heads)


def _known(concepts: Iterable[Concept], edges: Edges, parts: Iterable[Part], order: Order) -> Known:
    """Return names and counts (`Standing`) of the concepts that at least one task may use, and the species of genes."""
    wanted = np.zeros(len(edges.keys), bool)
    for part in parts:
        wanted[part.heads] = wanted[part.tails] = True
    counted = (edges.degree(), edges.degree(edges.seen > 0), edges.degree(edges.unseen > 0), edges.cited())
    place = {edges.keys[at]: at for at in np.flatnonzero(wanted)}
    names: dict[str, str] = {}
    standing: dict[str, Standing] = {}
    for concept in concepts:
        if (at := place.get(concept.key)) is not None:
            names[concept.key] = concept.name
            degree, seen, unseen, articles = (int(column[at]) for column in counted)
            standing[concept.key] = Standing(degree, seen, unseen, articles, concept.mentions)
    return Known(names, standing, order.species or {})


def _empty(edges: Edges, parts: Iterable[Part], cuts: Cuts) -> InputError:
    """Return the error for a release without a usable pair. The error gives the numbers of unusable pairs by reason."""
    told = ", ".join(
        f"{part.task}: {part.unseen} unseen edges with a label, {part.dropped.seen_pair} with a pair seen before, "
        f"{part.dropped.one_article} found in one article only, {part.dropped.two_labels} pairs with two labels"
        for part in parts
    )
    return InputError(
        f"none of {len(edges.head)} relation edges is an unseen pair ({told}; {edges.selves} edges between a concept "
        "and itself were left out)",
        f"pairs without an article up to PMID {cuts.seen_to}, and with two or more from PMID {cuts.unseen_from}",
        "load a release with later articles, or choose other values for --seen-to and --unseen-from",
    )


def _why_too_small(probe: Probe) -> str:
    """Return the reason why the probe cannot tell whether a task's labels leak."""
    if not probe.auroc:
        return "too few instances to probe, so it is not known whether the labels leak"
    high = max(figure.high for figure in probe.auroc.values())
    return f"too small to judge: no leak was found, but a leak with an AUROC of {high:.2f} could remain undetected"
