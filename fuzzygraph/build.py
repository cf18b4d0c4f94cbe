"""Similarity edges from the names of a graph's concepts (paper B, section 5): mu of the cosine above tau.

An edge is a hint that two names mean related things, never that they mean the same: concepts are not merged, and
opposites, which every embedder takes for friends (hypo- and hyperglycemia: 0.65), are no edges however near they are.
Edges keep the cosine; whoever walks them chooses the form of mu anew.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nextafter
from time import perf_counter
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fuzzygraph.membership import Form, Membership
from fuzzygraph.similarity import Pairs, Spread, search
from groundwork.errors import InputError, ModelError, Refused
from groundwork.opposites import opposed_pairs
from groundwork.ports import Embedder, Graph, Progress, Silent
from groundwork.records import Record
from groundwork.spelling import variants
from groundwork.tables import SIMILARITIES

#: From this share of all pairs on, a tau keeps nearly all: the graph would say that everything is like everything.
NEARLY_ALL = 0.9
#: Below so many edges a concept, a tau keeps nearly nothing.
NEARLY_NOTHING = 0.001
_BATCH = 4096  # names embedded at a time, and told as progress
_ROWS = 50_000  # edges in one batch of writing


@dataclass(frozen=True, slots=True)
class SimilarityReceipt(Record):
    """What a build did.

    Attributes:
        concepts: Concepts with a name, all compared with each other.
        edges: Similarity edges the graph now has from this model.
        form: The form of mu that tau is meant in.
        tau: An edge is kept if mu > tau.
        cosine: `min`, `median`, `max` over all pairs (the median to within 1/16,384).
        seconds: How long it took.
        model: The embedder's name, as it stands on the edges.
        top_k: Neighbours kept for a concept.
        left_out: `unnamed` concepts, which have no name to compare; `opposites`, pairs near enough but opposed.
    """

    concepts: int
    edges: int
    form: Form
    tau: float
    cosine: Mapping[str, float]
    seconds: float
    model: str
    top_k: int
    left_out: Mapping[str, int]


def build(
    graph: Graph,
    embedder: Embedder,
    *,
    form: str = "scaled",
    tau: float | None = None,
    top_k: int = 20,
    force: bool = False,
    progress: Progress | None = None,
) -> SimilarityReceipt:
    """Compare the preferred names of all concepts and replace the model's similarity edges.

    The default tau of each form is its mu at the cosine where `scaled` gives 0.5 (0.26): 0.5 scaled, 0.565 paper, 0.63
    linear. So the forms weigh edges differently and keep the same ones; on 2,000 MeSH names and MiniLM about a fifth
    of all pairs pass, of which the top k stay.

    Args:
        graph: Where concepts are read and edges written.
        embedder: Names to vectors; equal names are embedded once.
        form: `scaled`, `paper` or `linear`.
        tau: Cut of mu, in [0, 1]; None for the form's own.
        top_k: Neighbours kept for a concept, >= 1; a pair stays if it is among the nearest of either end. Opposites
            are dropped from these, not replaced by the next.
        force: Write even if tau keeps nearly all pairs (90 %), or nearly nothing (an edge for 1,000 concepts).
        progress: Who is told.

    Raises:
        InputError: An unknown form, tau outside [0, 1], top_k < 1, or fewer than two concepts with a name.
        ModelError: The embedder failed, or gave no finite vector for a name.
        Refused: tau keeps nearly all or nearly nothing; says how the cosines lie and what other taus would keep.
    """
    started = perf_counter()
    watch = progress or Silent()
    membership = Membership(cast(Form, form))
    tau = membership.mu(membership.s0) if tau is None else tau
    _check(tau, top_k)
    keys, names, unnamed = _named(graph)
    if len(keys) < 2:
        raise InputError(
            f"{len(keys)} concepts with a name in {graph.address}",
            "at least two to compare",
            "load names first: truthhypo ingest concepts FILE",
        )
    vectors = _embed(embedder, names, watch)
    pairs, spread = search(vectors, above=cut(membership, tau), top_k=top_k, progress=watch)
    if not force:
        _refuse_extremes(membership, tau, len(pairs) / len(keys), spread)
    kept = pairs.only(~_opposed(pairs, names))
    with graph.writing():
        graph.put_similarities(embedder.name, _batches(kept, keys))
    return SimilarityReceipt(
        concepts=len(keys),
        edges=len(kept),
        form=membership.form,
        tau=tau,
        cosine={"min": spread.min, "median": spread.median, "max": spread.max},
        seconds=round(perf_counter() - started, 3),
        model=embedder.name,
        top_k=top_k,
        left_out={"unnamed": unnamed, "opposites": len(pairs) - len(kept)},
    )


def cut(membership: Membership, tau: float) -> float:
    """The largest cosine whose mu does not pass tau, so that mu > tau exactly if cosine > cut.

    Below every cosine (-2) where mu(-1) > tau already. Found by halving, since mu rises with the cosine in any form.
    """
    low, high = -1.0, 1.0
    if membership.mu(low) > tau:
        return -2.0
    if membership.mu(high) <= tau:
        return high
    while nextafter(low, high) < high:
        middle = (low + high) / 2
        low, high = (low, middle) if membership.mu(middle) > tau else (middle, high)
    return low


def _check(tau: float, top_k: int) -> None:
    if not 0 <= tau <= 1:
        raise InputError(f"tau = {tau}", "a membership in [0, 1]", "correct --tau")
    if top_k < 1:
        raise InputError(f"top_k = {top_k}", "at least one neighbour", "correct --top-k")


def _named(graph: Graph) -> tuple[list[str], list[str], int]:
    """Keys in ascending order, their preferred names, and how many concepts have none."""
    keys, names, unnamed = [], [], 0
    for concept in graph.every_concept():
        if concept.synonyms and concept.name.strip():
            keys.append(concept.key)
            names.append(concept.name)
        else:
            unnamed += 1
    return keys, names, unnamed


def _embed(embedder: Embedder, names: list[str], progress: Progress) -> NDArray[np.float32]:
    """One vector a name; a name that several concepts have is embedded once."""
    distinct = {name: place for place, name in enumerate(dict.fromkeys(names))}
    texts = list(distinct)
    progress.begin("embed names", len(texts), "names")
    parts = []
    for start in range(0, len(texts), _BATCH):
        some = texts[start : start + _BATCH]
        rows = np.asarray(embedder.embed(some), np.float32)
        if rows.ndim != 2 or len(rows) != len(some) or not np.isfinite(rows).all():
            raise ModelError(
                f"the embedder {embedder.name} gave an array of shape {rows.shape} for {len(some)} names",
                "one vector of finite numbers a name",
                "try another embedder",
            )
        parts.append(rows)
        progress.advance(len(some))
    return np.concatenate(parts)[[distinct[name] for name in names]]


def _refuse_extremes(membership: Membership, tau: float, edges: float, spread: Spread) -> None:
    """Stop before a graph is written in which everything, or nothing, is alike; `edges` a concept."""
    share = spread.share_above(cut(membership, tau))
    if edges >= NEARLY_NOTHING and share < NEARLY_ALL:
        return
    others = (step / 10 for step in range(1, 10))
    table = ", ".join(f"{other:.1f}: {spread.share_above(cut(membership, other)):.2%}" for other in others)
    raise Refused(
        f"tau {tau:g} with the form {membership.form} keeps {share:.2%} of {spread.pairs} pairs (cosines: min "
        f"{spread.min:g}, median {spread.median:g}, max {spread.max:g}); nothing was changed",
        f"a tau that keeps some and less than {NEARLY_ALL:.0%}; each tau would keep: {table}",
        "choose another --tau or --form, or write these edges all the same with --force",
    )


def _opposed(pairs: Pairs, names: list[str]) -> NDArray[np.bool_]:
    """Which pairs are opposites by the words of their names, in British or American spelling, singular or plural."""
    words = {place: " ".join(variants(names[place])) for place in np.unique((pairs.heads, pairs.tails)).tolist()}
    ends = zip(pairs.heads.tolist(), pairs.tails.tolist(), strict=True)
    return np.fromiter((bool(opposed_pairs(words[head], words[tail])) for head, tail in ends), np.bool_, len(pairs))


def _batches(pairs: Pairs, keys: list[str]) -> Iterator[pa.RecordBatch]:
    """Rows of `SIMILARITIES`. Concepts come by key, so head < tail by position is head < tail by key."""
    named = pa.array(keys, pa.string())
    for start in range(0, len(pairs), _ROWS):
        some = slice(start, start + _ROWS)
        columns = [named.take(pa.array(pairs.heads[some])), named.take(pa.array(pairs.tails[some]))]
        yield pa.record_batch([*columns, pa.array(pairs.cosines[some])], schema=SIMILARITIES)
