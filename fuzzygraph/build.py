"""Building the fuzzy similarity graph: names to vectors to SIMILAR_TO edges (paper B, section 2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pyarrow as pa

from fuzzygraph.membership import Form, Membership
from fuzzygraph.similarity import Distribution, Neighbours, Vectors, scan, unit
from groundwork.errors import InputError, Refused
from groundwork.ports import Embedder, Graph, Progress, Silent
from groundwork.records import Record
from groundwork.tables import SIMILARITIES

#: Threshold of each form where none is given; the paper looks for its own between 0.3 and 0.5, where a sigmoid of a
#: cosine keeps nearly every pair.
TAUS: dict[Form, float] = {"scaled": 0.5, "paper": 0.65, "linear": 0.8}
#: A threshold that keeps a larger share of all pairs than this is no threshold; one that keeps fewer pairs than this
#: share of the concepts joins next to nothing.
NEARLY_ALL, NEARLY_NONE = 0.9, 0.001
#: Names embedded at a time, and edges written at a time.
BATCH = 4096


@dataclass(frozen=True, slots=True)
class Cosines(Record):
    """The cosines of all pairs of names (median to 5e-6)."""

    min: float
    median: float
    max: float


@dataclass(frozen=True, slots=True)
class SimilarityReceipt(Record):
    """What was built.

    Attributes:
        concepts: Concepts with a name, which were compared.
        edges: SIMILAR_TO edges written.
        form: Form of mu that the threshold was applied to; edges keep the cosine.
        tau: The threshold: an edge has mu > tau.
        cosine: All pairs' cosines.
        seconds: Time taken.
        model: The embedder, and the name of this set of edges.
        top_k: Neighbours a concept may bring in.
        pairs: Pairs compared.
        kept: Pairs with mu > tau, before top_k.
    """

    concepts: int
    edges: int
    form: Form
    tau: float
    cosine: Cosines
    seconds: float
    model: str
    top_k: int
    pairs: int
    kept: int


def build(
    graph: Graph,
    embedder: Embedder,
    *,
    form: Form = "scaled",
    tau: float | None = None,
    top_k: int = 20,
    force: bool = False,
    progress: Progress | None = None,
) -> SimilarityReceipt:
    """Replace the graph's SIMILAR_TO edges of one embedder.

    Concepts without a known name are left out: an id says nothing.

    Args:
        graph: Where concepts are read and edges written.
        embedder: What turns names into vectors; its name names the set.
        form: Form of mu the threshold is applied to.
        tau: An edge has mu > tau; default by form (`TAUS`).
        top_k: Neighbours a concept may bring in, >= 1.
        force: Write even if tau keeps nearly every pair or nearly none.
        progress: Told how far it is.

    Raises:
        InputError: tau outside [0, 1), top_k < 1, an unknown form, or fewer than two named concepts.
        Refused: tau keeps nearly every pair or nearly none, and `force` is not set; nothing was written.
    """
    started = perf_counter()
    progress = progress or Silent()
    membership = Membership(form)
    tau = TAUS[form] if tau is None else tau
    if not 0.0 <= tau < 1.0:
        raise InputError(f"tau = {tau}", "0 <= tau < 1", "choose another --tau")
    if top_k < 1:
        raise InputError(f"top_k = {top_k}", "1 or more", "choose another --top-k")
    keys, vectors = _vectors(graph, embedder, progress)
    pairs, cosines = scan(unit(vectors), membership.cosine(tau), top_k, progress)
    if not force:
        _refuse(cosines, len(keys), form, tau)
    with graph.writing():
        graph.put_similarities(embedder.name, _batches(keys, pairs, progress))
    return SimilarityReceipt(
        len(keys),
        len(pairs),
        form,
        tau,
        Cosines(cosines.min, cosines.median, cosines.max),
        round(perf_counter() - started, 3),
        embedder.name,
        top_k,
        cosines.pairs,
        cosines.kept,
    )


def _vectors(graph: Graph, embedder: Embedder, progress: Progress) -> tuple[list[str], Vectors]:
    """Keys and vectors of all named concepts."""
    named = [(concept.key, concept.name) for concept in graph.every_concept() if concept.synonyms]
    if len(named) < 2:
        raise InputError(
            f"{len(named)} concepts with a name in {graph.address}", "at least two", "load concepts or documents first"
        )
    progress.begin("embed names", len(named), "names")
    parts = []
    for start in range(0, len(named), BATCH):
        parts.append(embedder.embed([name for _, name in named[start : start + BATCH]]))
        progress.advance(len(parts[-1]))
    return [key for key, _ in named], np.vstack(parts)


def _refuse(cosines: Distribution, concepts: int, form: Form, tau: float) -> None:
    """Stop at a threshold that keeps nearly every pair or nearly none."""
    share = cosines.kept / cosines.pairs
    if share > NEARLY_ALL:
        what = f"keeps {share:.1%} of all pairs: that is no threshold"
    elif cosines.kept < max(1.0, NEARLY_NONE * concepts):
        what = f"keeps {cosines.kept} of {cosines.pairs:,} pairs: next to nothing"
    else:
        return
    raise Refused(
        f"tau = {tau} on the form {form} {what} (cosines {cosines.min:.3f} to {cosines.max:.3f}, "
        f"median {cosines.median:.3f}); nothing was written",
        "a tau between",
        "choose another --tau or --form, or insist with --force",
    )


def _batches(keys: list[str], pairs: Neighbours, progress: Progress) -> Iterator[pa.RecordBatch]:
    """The edges as Arrow batches."""
    progress.begin("write edges", len(pairs), "edges")
    for start in range(0, len(pairs), BATCH):
        some = slice(start, start + BATCH)
        columns = [
            pa.array([keys[row] for row in pairs.first[some]], pa.string()),
            pa.array([keys[row] for row in pairs.second[some]], pa.string()),
            pa.array(pairs.cosine[some].astype(np.float64), pa.float64()),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=SIMILARITIES)
        progress.advance(len(columns[0]))
