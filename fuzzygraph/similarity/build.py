"""Similarity edges from the names of a graph's concepts (paper B, section 5): mu of the cosine above tau.

An edge is a hint that two names mean related things, never that they mean the same: concepts are not merged, and
opposites, which every embedder takes for friends (hypo- and hyperglycemia: 0.65), are no edges however near they are.
Edges keep the cosine; whoever walks them chooses the form of mu anew.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fuzzygraph.membership import Form, Membership
from fuzzygraph.similarity import approximate
from fuzzygraph.similarity import edges as table
from fuzzygraph.similarity import exact as similarity
from fuzzygraph.similarity.exact import sampled
from fuzzygraph.similarity.fitting import BACKGROUND, by_background
from fuzzygraph.similarity.naming import Named, named
from fuzzygraph.similarity.nearest import Pairs
from fuzzygraph.similarity.spread import Spread
from fuzzygraph.similarity.survey import Survey, cut, refuse_all, refuse_nothing, surveyed
from groundwork import similarity_file
from groundwork.errors import InputError
from groundwork.opposites import opposed_pairs
from groundwork.ports import Embedder, GraphReader, Progress, Silent
from groundwork.records import Record, SimilaritySet
from groundwork.spelling import variants
from groundwork.tables import SIMILARITIES

_ROWS = 50_000  # edges in one batch of writing


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build is to do.

    Attributes:
        form: `scaled`, `paper` or `linear`.
        tau: Cut of mu, in [0, 1]; None for the form's own.
        top_k: Neighbours kept for a concept, >= 1; a pair stays if it is among the nearest of either end. Opposites
            are dropped from these, not replaced by the next.
        force: Write even if tau keeps nearly all pairs (90 %), or nearly nothing (an edge for 1,000 concepts).
        approximate: Cells each concept is compared with (`approximate.search`); None compares all pairs.
        fitted: k and s0 for `scaled`: as fitted for MiniLM (None), on how this model's cosines lie (`background`), or
            on labelled pairs.

    Raises:
        InputError: An unknown form, tau outside [0, 1], top_k < 1.
    """

    form: Form = "scaled"
    tau: float | None = None
    top_k: int = 20
    force: bool = False
    approximate: int | None = None
    fitted: Membership | str | None = None

    def __post_init__(self) -> None:
        Membership(self.form)
        if self.tau is not None and not 0 <= self.tau <= 1:
            raise InputError(f"tau = {self.tau}", "a membership in [0, 1]", "correct --tau")
        if self.top_k < 1:
            raise InputError(f"top_k = {self.top_k}", "at least one neighbour", "correct --top-k")
        if isinstance(self.fitted, str) and self.fitted != BACKGROUND:
            raise InputError(f"fit {self.fitted!r}", f"{BACKGROUND}, or a membership", "correct it")
        if self.fitted is not None and self.form != "scaled":
            raise InputError(f"a fit with the form {self.form}", "the form scaled", "only scaled has k and s0")

    def fitted_to(self, membership: Membership) -> "Plan":
        """The same with k and s0 that are known."""
        return replace(self, fitted=membership)

    def membership(self, spread: Spread) -> Membership:
        """The form with its k and s0."""
        if isinstance(self.fitted, Membership):
            return self.fitted
        return by_background(spread) if self.fitted == BACKGROUND else Membership(self.form)

    @property
    def fit(self) -> str:
        """Where k and s0 come from, as `SimilaritySet.fit` says it."""
        if self.form != "scaled":
            return ""
        return "labels" if isinstance(self.fitted, Membership) else self.fitted or "default"


@dataclass(frozen=True, slots=True)
class SimilarityReceipt(Record):
    """What a build did.

    Attributes:
        concepts: Concepts with a name and a vector, all compared with each other.
        edges: Similarity edges between them, after opposites were left out.
        form: The form of mu that tau is meant in.
        tau: An edge is kept if mu > tau.
        cosine: `min`, `median`, `max` over all pairs (approximate: over a sample); the median to 1/16,384, and beyond
            some 2,900 concepts that of every second to sixty-fourth row of the table of all cosines.
        seconds: How long it took.
        model: The embedder's name, as it stands on the edges.
        top_k: Neighbours kept for a concept.
        left_out: Concepts: `unnamed`, `zero_vector`, `not_finite`; and `opposites`, pairs near enough but opposed.
        same_name: Edges whose ends have one and the same name.
        embedded: Names that were embedded now; the others' vectors were kept under HOME.
        survey: How the cosines lie and what each tau keeps.
        recall: Of an approximate search: which share of the true edges of 200 concepts it found; None: exact.
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
    same_name: int
    embedded: int
    survey: Survey
    recall: float | None = None


def build(
    graph: GraphReader,
    embedder: Embedder,
    plan: Plan | None = None,
    *,
    home: Path | None = None,
    told: Callable[[Survey], None] | None = None,
    edges: Path | None = None,
    out: Path | None = None,
    row_normalised: bool = False,
    progress: Progress | None = None,
    **options: object,
) -> SimilarityReceipt:
    """Compare the preferred names of all concepts. The graph is not changed: a load takes what is written to `edges`.

    The default tau of each form is its mu at the cosine where `scaled` gives 0.5: with the k and s0 of MiniLM (0.26)
    0.5 scaled, 0.565 paper, 0.63 linear. So the forms weigh edges differently and keep the same ones; on 2,000 MeSH
    names and MiniLM 9 % of all pairs pass, of which the top k stay.

    Args:
        graph: Where concepts are read.
        embedder: Names to vectors; equal names are embedded once.
        plan: What to do; or its fields as options.
        home: HOME, where vectors are kept for the next run; None keeps none.
        told: Who is shown how the cosines lie, before pairs are compared.
        edges: Where to write the edges, with how they were made, for a load (`groundwork.similarity_file`).
        out: Where to write the edges with mu too (`edges.write`).
        row_normalised: There, mu also as a share of each end's row.
        progress: Who is told.
        **options: Fields of `Plan`.

    Raises:
        InputError: As for `Plan`, or fewer than two concepts with a name.
        ModelError: The embedder failed, or gave hardly a finite vector.
        Refused: tau keeps nearly all or nearly nothing; says how the cosines lie and what other taus would keep.
    """
    started = perf_counter()
    plan = plan or Plan(**options)  # type: ignore[arg-type]
    watch = progress or Silent()
    if out:
        table.check_path(out)
    concepts = named(graph, embedder, home, watch)
    first = sampled(concepts.vectors)
    membership = plan.membership(first)
    tau = membership.mu(membership.s0) if plan.tau is None else plan.tau
    survey = surveyed(membership, first)
    if told:
        told(survey)
    if not plan.force:
        refuse_all(membership, tau, first)
    pairs, spread, recall = _searched(concepts, plan, cut(membership, tau), watch)
    if not plan.force:
        refuse_all(membership, tau, spread)
        refuse_nothing(membership, tau, len(pairs) / len(concepts.keys), spread)
    kept = pairs.only(~_opposed(pairs, concepts.names))
    if out:
        table.write(out, kept, concepts.keys, membership, row_normalised=row_normalised)
    if edges:
        made = _made(embedder, plan, membership, tau, len(concepts.keys))
        similarity_file.write(edges, made, _batches(kept, concepts.keys, embedder.name))
    same = sum(concepts.names[a] == concepts.names[b] for a, b in zip(kept.heads, kept.tails, strict=True))
    return SimilarityReceipt(
        concepts=len(concepts.keys),
        edges=len(kept),
        form=membership.form,
        tau=tau,
        cosine={"min": spread.min, "median": spread.median, "max": spread.max},
        seconds=round(perf_counter() - started, 3),
        model=embedder.name,
        top_k=plan.top_k,
        left_out={**concepts.left_out, "opposites": len(pairs) - len(kept)},
        same_name=same,
        embedded=concepts.embedded,
        survey=survey,
        recall=recall,
    )


def _made(embedder: Embedder, plan: Plan, membership: Membership, tau: float, concepts: int) -> SimilaritySet:
    """What the graph is to know of the edges."""
    scaled, pooling = membership.form == "scaled", str(getattr(embedder, "pooling", ""))
    k, s0 = (membership.k, membership.s0) if scaled else (None, None)
    return SimilaritySet(embedder.name, pooling, concepts, membership.form, tau, plan.top_k, k, s0, plan.fit)


def _searched(concepts: Named, plan: Plan, above: float, progress: Progress) -> tuple[Pairs, Spread, float | None]:
    """The near pairs, how cosines lie, and the recall where not all pairs were compared."""
    if plan.approximate is None:
        return *similarity.search(concepts.vectors, above=above, top_k=plan.top_k, progress=progress), None
    return approximate.search(
        concepts.vectors, above=above, top_k=plan.top_k, probes=plan.approximate, progress=progress
    )


def _opposed(pairs: Pairs, names: list[str]) -> NDArray[np.bool_]:
    """Which pairs are opposites by the words of their names, in British or American spelling, singular or plural."""
    words = {place: " ".join(variants(names[place])) for place in np.unique((pairs.heads, pairs.tails)).tolist()}
    ends = zip(pairs.heads.tolist(), pairs.tails.tolist(), strict=True)
    return np.fromiter((bool(opposed_pairs(words[head], words[tail])) for head, tail in ends), np.bool_, len(pairs))


def _batches(pairs: Pairs, keys: list[str], model: str) -> Iterator[pa.RecordBatch]:
    """Rows of `SIMILARITIES`. Concepts come by key, so head < tail by position is head < tail by key."""
    named = pa.array(keys, pa.string())
    for start in range(0, len(pairs), _ROWS):
        some = slice(start, start + _ROWS)
        ends = [named.take(pa.array(places[some])) for places in (pairs.heads, pairs.tails)]
        models = pa.array([model] * len(ends[0]), pa.string())
        yield pa.record_batch([models, *ends, pa.array(pairs.cosines[some])], schema=SIMILARITIES)
