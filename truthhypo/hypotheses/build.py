"""Build the benchmark from a loaded release (paper A, section 2.1), in one of two modes.

Mode `paper` follows the published rules. Its labels can be guessed from the order of the two concepts, their species
and their popularity. Mode `sound` chooses unrelated pairs that have the same features as related pairs, and puts the
concepts of a pair in random order. In both modes, a probe tests whether features without biology still predict the
labels.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.random import Generator, default_rng

from groundwork.errors import InputError
from groundwork.ports import GraphReader, Progress
from groundwork.records import Concept
from truthhypo.hypotheses import card, dataset, leaks
from truthhypo.hypotheses.card import BuiltSet
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.matching import matched
from truthhypo.hypotheses.negatives import uniform
from truthhypo.hypotheses.partition import TABLE_1, Part, label_counts, partition
from truthhypo.hypotheses.release import Cuts, Edges, read
from truthhypo.hypotheses.tasks import NO_RELATION
from truthhypo.hypotheses.traits import COLUMNS, Known, Matrix, Standing

Mode = Literal["paper", "sound"]
Size = Literal["all", "table1"]


@dataclass(frozen=True, slots=True)
class Order:
    """Parameters of a build.

    Attributes:
        cuts: PMID limits of seen and unseen articles; see `release.Cuts`.
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
    edges = read(graph, order.cuts)
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
        source=card.source(graph, len(edges.head)),
        files=card.files(files),
    )
    card.write(out, built)
    return built


def _cut_down(part: Part, order: Order, place: int) -> Part:
    """Return the task with at most as many related pairs of each label as `order.size` allows.

    The pairs are chosen at random, and their order is not changed.
    """
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
        part = _turned(edges, part, rng)
        heads, tails = matched(edges, part, wanted, _traits(edges, part, known), rng)
    pairs = np.concatenate([np.stack([part.head, part.tail]), np.stack([heads, tails])], axis=1)
    labels += [NO_RELATION] * len(heads)
    found = []
    for at in rng.permutation(pairs.shape[1]):
        x, y = (edges.keys[concept] for concept in pairs[:, at])
        if order.mode == "sound" and x.partition("|")[0] == y.partition("|")[0] and rng.random() < 0.5:
            x, y = y, x
        found.append(dataset.instance(x, y, labels[at], known.names.get(x, x), known.names.get(y, y)))
    return found, wanted - len(heads)


def _turned(edges: Edges, part: Part, rng: Generator) -> Part:
    """Return the task with the two concepts of each related pair in random order, if both have the same type."""
    turn = (rng.random(len(part.head)) < 0.5) & (edges.types[part.head] == edges.types[part.tail])
    return replace(part, head=np.where(turn, part.tail, part.head), tail=np.where(turn, part.head, part.tail))


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


def _traits(edges: Edges, part: Part, known: Known) -> Matrix:
    pool = np.union1d(part.heads, part.tails)
    traits = np.zeros((len(edges.keys), len(COLUMNS)))
    traits[pool] = known.rows([edges.keys[at] for at in pool])
    return traits


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
