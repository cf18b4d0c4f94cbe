"""Build similarity edges from the names of a graph's concepts (paper B, section 5).

An edge joins two concepts whose membership mu (see `fuzzygraph.membership`) is above the threshold tau. An edge says
that two names may have related meanings, not that they mean the same: concepts are not merged. Opposites have high
cosines with every embedder (hypo- and hyperglycemia: 0.65), so pairs of opposites are removed. Edges store the cosine;
each use of the edges chooses the form of mu.

The form `scaled` can be fitted to an embedding model's cosines. mu = sigmoid(k (S - s0)) is a logistic regression on
one number, the cosine S. So labelled pairs (related or not) give k and s0 by maximum likelihood. Without labels the
background distribution is used: most pairs of concepts are unrelated, so the distance of a cosine from the bulk of the
distribution says how related two names are. Before anything is written, a survey describes the cosines and how many
pairs each tau keeps, and extreme taus are refused.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nextafter
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fuzzygraph import approximate, nearest
from fuzzygraph.membership import Membership
from fuzzygraph.nearest import Floats, Pairs, Places, Spread, sampled
from fuzzygraph.options import Form
from fuzzygraph.vectors import named
from groundwork import tables
from groundwork.errors import InputError, Refused
from groundwork.files import read_text
from groundwork.ports import Embedder, GraphReader, Progress, Silent
from groundwork.records import Record, SimilaritySet
from groundwork.spelling import opposed_pairs, variants
from groundwork.tables import SIMILARITIES

#: Name of the fit without labels.
BACKGROUND = "background"
#: Constants of the fit without labels: s0 = median + OUT * width and k = STEEP / width, with width = (q95 - q05) / 2.
#: They are chosen so that MiniLM's background distribution (2,000 names) gives the k and s0 that were fitted for MiniLM
#: on labelled MeSH names (membership.K and S0). Other models use the same constants with their own distribution.
OUT = 0.932
STEEP = 2.18
#: A tau that keeps at least this share of all pairs is too low: the graph would relate nearly everything.
_NEARLY_ALL = 0.9
#: A tau that leaves fewer edges per concept than this is too high.
_NEARLY_NOTHING = 0.001


def by_background(spread: Spread) -> Membership:
    """Return the membership `scaled` with k and s0 fitted to the cosines of unlabelled pairs.

    Raises:
        InputError: The middle 90 % of the cosines are nearly equal.
    """
    width = (spread.quantile(0.95) - spread.quantile(0.05)) / 2
    if not width > 1e-4:
        raise InputError(
            f"90 % of the cosines lie within {2 * width:g} of each other",
            "cosines that distinguish pairs",
            "try another --embedder or --pooling, or omit --fit",
        )
    return Membership("scaled", STEEP / width, spread.quantile(0.5) + OUT * width)


def by_labels(cosines: Sequence[float] | NDArray[np.float64], related: Sequence[bool]) -> Membership:
    """Return the membership `scaled` with the k and s0 of greatest likelihood on labelled pairs, by Newton's method.

    A ridge penalty of 1e-3 keeps the slope finite if a threshold on the cosine separates the labels perfectly.

    Raises:
        InputError: All pairs have the same label, or the pairs labelled 1 do not have higher cosines than the
            pairs labelled 0 (the slope would not be positive).
    """
    x, y = np.asarray(cosines, np.float64), np.asarray(related, np.float64)
    if not 0 < y.sum() < len(y):
        raise InputError(f"{int(y.sum())} of {len(y)} pairs are related", "pairs of both kinds", "label some of each")
    weights = np.zeros(2)
    columns = np.stack([x - x.mean(), np.ones_like(x)], 1)
    ridge = np.diag([1e-3, 0.0])
    for _ in range(100):
        mu = 1 / (1 + np.exp(-np.clip(columns @ weights, -500, 500)))
        gradient = columns.T @ (y - mu) - ridge @ weights
        curvature = (columns * (mu * (1 - mu) + 1e-12)[:, None]).T @ columns + ridge
        step = np.linalg.solve(curvature, gradient)
        weights += step / max(1.0, float(np.abs(step).max()) / 5)
        if float(np.abs(step).max()) < 1e-10:
            break
    k = float(weights[0])
    if not k > 0:
        raise InputError(
            "the pairs labelled 1 do not have higher cosines than the pairs labelled 0",
            "higher cosines for pairs labelled 1",
            "check the labels, or use another --embedder",
        )
    return Membership("scaled", k, float(x.mean() - weights[1] / k))


def labelled(path: Path, embedder: Embedder) -> Membership:
    """Return the membership `scaled` with k and s0 fitted on a file of labelled pairs.

    Each line holds two names and 1 (related) or 0, separated by tabs.

    Raises:
        InputError: The file cannot be read, a line has another form, or `by_labels` rejects the pairs.
    """
    try:
        lines = list(csv.reader(read_text(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", "a file of labelled pairs", "correct the path") from None
    for number, line in enumerate(lines, 1):
        if len(line) != 3 or not line[0].strip() or not line[1].strip() or line[2].strip() not in {"0", "1"}:
            raise InputError(f"{path}, line {number}: {line}", "NAME<tab>NAME<tab>1 or 0", "correct the line")
    names = list(dict.fromkeys(name for line in lines for name in line[:2]))
    rows = np.asarray(embedder.embed(names), np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(lengths > 0, lengths, 1.0)[:, None]
    place = {name: at for at, name in enumerate(names)}
    cosines = np.array([unit[place[a]] @ unit[place[b]] for a, b, _ in lines])
    sound = np.isfinite(cosines)
    return by_labels(cosines[sound], [line[2].strip() == "1" for line, fine in zip(lines, sound, strict=True) if fine])


@dataclass(frozen=True, slots=True)
class Survey(Record):
    """The distribution of a model's cosines, and the share of pairs that each threshold tau would keep.

    Attributes:
        membership: The form of the membership mu, with its k and s0.
        cosines: Quantiles: share of the pairs (0.01 ... 0.999) -> cosine.
        keeps: tau (0.1 ... 0.9) -> share of the pairs whose mu is above tau.
        pairs: Number of pairs used: all, or those in a sample of 2,000 concepts.
    """

    membership: Mapping[str, object]
    cosines: Mapping[str, float]
    keeps: Mapping[str, float]
    pairs: int


def surveyed(membership: Membership, spread: Spread) -> Survey:
    """Return the survey for a membership and a distribution of cosines."""
    return Survey(
        {"form": membership.form, "k": round(membership.k, 4), "s0": round(membership.s0, 4)},
        spread.quantiles,
        {f"{step / 10:.1f}": round(spread.share_above(cut(membership, step / 10)), 6) for step in range(1, 10)},
        spread.pairs,
    )


def cut(membership: Membership, tau: float) -> float:
    """Return the largest cosine whose mu is not above tau, so that mu > tau exactly if the cosine is above the result.

    If mu(-1) > tau, the result is -2, which is below every cosine. Otherwise the result is found by bisection, because
    mu rises with the cosine in every form.
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


def refuse_all(membership: Membership, tau: float, spread: Spread) -> None:
    """Refuse a tau that would relate everything to everything.

    Raises:
        Refused: tau keeps 90 % of the pairs or more. The message gives the distribution of the cosines, and the share
            of pairs that other values of tau keep.
    """
    if spread.share_above(cut(membership, tau)) >= _NEARLY_ALL:
        raise _refused(membership, tau, spread)


def refuse_nothing(membership: Membership, tau: float, edges: float, spread: Spread) -> None:
    """Refuse a tau that would relate almost nothing; `edges` is the number of edges per concept.

    Raises:
        Refused: There is fewer than one edge per 1,000 concepts.
    """
    if edges < _NEARLY_NOTHING:
        raise _refused(membership, tau, spread)


def _refused(membership: Membership, tau: float, spread: Spread) -> Refused:
    share = spread.share_above(cut(membership, tau))
    others = (step / 10 for step in range(1, 10))
    low, median, high = map(spread.quantile, (0.0, 0.5, 1.0))
    table = ", ".join(f"{other:.1f}: {spread.share_above(cut(membership, other)):.2%}" for other in others)
    return Refused(
        f"tau {tau:g} with form {membership.form} keeps {share:.2%} of {spread.pairs} pairs (cosines: min "
        f"{low:g}, median {median:g}, max {high:g}); nothing was changed",
        f"a tau that keeps some pairs but less than {_NEARLY_ALL:.0%}; shares kept by other values of tau: {table}",
        "choose another --tau or --form, fit k and s0 to this model with --fit background, or write these edges "
        "with --force",
    )


_ROWS = 50_000  # edges per written batch
_SUFFIXES = (".tsv", ".parquet")


@dataclass(frozen=True, slots=True)
class Plan:
    """Parameters of a build.

    Attributes:
        form: `scaled`, `paper` or `linear`.
        tau: A pair is kept if its membership mu is above this value, in [0, 1]; None takes the default of the form.
        top_k: Number of neighbours per concept, >= 1. A pair is kept if one concept is among the nearest neighbours of
            the other. Pairs of opposite names are removed afterwards and not replaced.
        force: Write even if tau keeps almost all pairs (90 % or more) or almost none (fewer than one edge per 1,000
            concepts).
        approximate: Compare only nearby names (`approximate.search`) instead of all pairs.
        fitted: Source of k and s0 for `scaled`: the values for MiniLM (None), the distribution of this model's cosines
            (`background`), or a membership fitted on labelled pairs.

    Raises:
        InputError: The form is unknown, tau is outside [0, 1], top_k < 1, or `fitted` is unknown or given with another
            form than `scaled`.
    """

    form: Form = "scaled"
    tau: float | None = None
    top_k: int = 20
    force: bool = False
    approximate: bool = False
    fitted: Membership | str | None = None

    def __post_init__(self) -> None:
        Membership(self.form)
        if self.tau is not None and not 0 <= self.tau <= 1:
            raise InputError(f"tau = {self.tau}", "a number in [0, 1]", "correct --tau")
        if self.top_k < 1:
            raise InputError(f"top_k = {self.top_k}", "at least one neighbour", "correct --top-k")
        if isinstance(self.fitted, str) and self.fitted != BACKGROUND:
            raise InputError(f"fit {self.fitted!r}", f"{BACKGROUND}, or a file of labelled pairs", "correct --fit")
        if self.fitted is not None and self.form != "scaled":
            raise InputError(f"a fit with form {self.form}", "form scaled, the only form with k and s0", "omit --fit")

    def fitted_to(self, membership: Membership) -> "Plan":
        """Return the plan with the k and s0 of a membership that was fitted on labelled pairs."""
        return replace(self, fitted=membership)

    def membership(self, spread: Spread) -> Membership:
        """Return the form with its k and s0."""
        if isinstance(self.fitted, Membership):
            return self.fitted
        return by_background(spread) if self.fitted == BACKGROUND else Membership(self.form)

    @property
    def fit(self) -> str:
        """Where k and s0, the parameters of the form `scaled`, come from; see `SimilaritySet.fit`."""
        if self.form != "scaled":
            return ""
        return "labels" if isinstance(self.fitted, Membership) else self.fitted or "default"


@dataclass(frozen=True, slots=True)
class SimilarityReceipt(Record):
    """Result of a build.

    Attributes:
        concepts: Number of concepts with a name and a vector; all of them are compared.
        edges: Number of similarity edges, without pairs of opposites.
        form: The form of mu to which tau belongs.
        tau: An edge is kept if mu > tau.
        cosine: `min`, `median` and `max` over all pairs. With more than 2,000 concepts, the median is that of a random
            sample of 2,000 concepts. For an approximate search, the minimum and the maximum are from the sample too.
        seconds: Duration.
        model: Name of the embedder, as the edges store it.
        top_k: Number of neighbours per concept.
        left_out: Numbers of concepts that were left out, by reason (`unnamed`, `zero_vector`, `not_finite`), and number
            of pairs that were left out as `opposites`.
        same_name: Number of edges whose ends have the same name.
        embedded: Number of names embedded in this run; the vectors of the others were stored under HOME.
        survey: The distribution of the cosines, and the share of the pairs that each tau keeps.
        recall: For an approximate search, the share of the true edges of 200 concepts that were found; None for an
            exact search.
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
    """Compare the preferred names of all concepts and build similarity edges.

    The graph is not changed. The file `edges` can be loaded into it afterwards.

    The default tau of each form is its mu at the cosine where `scaled` gives 0.5. With the s0 of MiniLM (0.26)
    this is 0.5 for scaled, 0.565 for paper and 0.63 for linear. So the forms weigh edges differently but keep the same
    edges. On 2,000 MeSH names with MiniLM, 9 % of all pairs pass. Of these, the top k of each concept are
    kept.

    Args:
        graph: Store of the concepts.
        embedder: Embeds names; equal names are embedded once.
        plan: The parameters; they can be given as keyword arguments instead.
        home: HOME, where vectors are stored for the next run; None stores none.
        told: Receives the survey before pairs are compared.
        edges: File for the edges and their origin, to be loaded (`groundwork.tables`).
        out: File for the edges with mu, ending in .tsv or .parquet.
        row_normalised: Add columns to `out`: mu divided by the sum of mu at each end (`row_shares`).
        progress: Receives progress.
        **options: Fields of `Plan`.

    Raises:
        InputError: As for `Plan`, or fewer than two concepts have a name.
        ModelError: The embedder failed, or returned fewer than two finite vectors.
        Refused: tau keeps almost all pairs or almost none. The message gives the distribution of the cosines and what
            other values of tau would keep.
    """
    started = perf_counter()
    plan = plan or Plan(**options)  # type: ignore[arg-type]
    watch = progress or Silent()
    if out:
        _check_path(out)
    concepts = named(graph, embedder, home, watch)
    spread = sampled(concepts.vectors)
    membership = plan.membership(spread)
    tau = membership.mu(membership.s0) if plan.tau is None else plan.tau
    survey = surveyed(membership, spread)
    if told:
        told(survey)
    if not plan.force:
        refuse_all(membership, tau, spread)
    above, recall = cut(membership, tau), None
    if plan.approximate:
        pairs, recall = approximate.search(concepts.vectors, above=above, top_k=plan.top_k, progress=watch)
        low, high = spread.quantile(0.0), spread.quantile(1.0)
    else:
        pairs, (low, high) = nearest.search(concepts.vectors, above=above, top_k=plan.top_k, progress=watch)
    if not plan.force:
        refuse_nothing(membership, tau, len(pairs) / len(concepts.keys), spread)
    kept = pairs.only(~_opposed(pairs, concepts.names))
    if out:
        _write(out, kept, concepts.keys, membership, row_normalised=row_normalised)
    if edges:
        made = _made(embedder, plan, membership, tau, len(concepts.keys))
        tables.write_similarities(edges, made, _batches(kept, concepts.keys, embedder.name))
    same = sum(concepts.names[a] == concepts.names[b] for a, b in zip(kept.heads, kept.tails, strict=True))
    return SimilarityReceipt(
        concepts=len(concepts.keys),
        edges=len(kept),
        form=membership.form,
        tau=tau,
        cosine={"min": low, "median": spread.quantile(0.5), "max": high},
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
    """Return the record in which the graph stores the origin of the edges."""
    scaled, pooling = membership.form == "scaled", str(getattr(embedder, "pooling", ""))
    k, s0 = (membership.k, membership.s0) if scaled else (None, None)
    return SimilaritySet(embedder.name, pooling, concepts, membership.form, tau, plan.top_k, k, s0, plan.fit)


def _opposed(pairs: Pairs, names: list[str]) -> NDArray[np.bool_]:
    """Return one boolean per pair: whether the names of the pair have opposite words.

    Names are compared in British and in American spelling, in the singular and in the plural.
    """
    words = {place: " ".join(variants(names[place])) for place in np.unique((pairs.heads, pairs.tails)).tolist()}
    ends = zip(pairs.heads.tolist(), pairs.tails.tolist(), strict=True)
    return np.fromiter((bool(opposed_pairs(words[head], words[tail])) for head, tail in ends), np.bool_, len(pairs))


def _batches(pairs: Pairs, keys: list[str], model: str) -> Iterator[pa.RecordBatch]:
    """Yield batches with the schema `SIMILARITIES`. Concepts are sorted by key, so head < tail also by key."""
    named = pa.array(keys, pa.string())
    for start in range(0, len(pairs), _ROWS):
        some = slice(start, start + _ROWS)
        ends = [named.take(pa.array(places[some])) for places in (pairs.heads, pairs.tails)]
        models = pa.array([model] * len(ends[0]), pa.string())
        yield pa.record_batch([models, *ends, pa.array(pairs.cosines[some])], schema=SIMILARITIES)


def _check_path(path: Path) -> None:
    """Check that a file has a supported ending and that its folder exists."""
    if path.suffix not in _SUFFIXES or not path.absolute().parent.is_dir():
        wanted = f"a file ending in {' or '.join(_SUFFIXES)}, in a folder that exists"
        raise InputError(f"--out {path}", wanted, "choose another path with --out")


def row_shares(heads: Places, tails: Places, mu: Floats, count: int) -> tuple[Floats, Floats]:
    """Return P(tail | head) and P(head | tail): mu divided by the sum of mu over all edges of the head, or of the tail.

    So the shares of each concept sum to 1.

    Args:
        heads: (edges,) positions in [0, count).
        tails: (edges,) positions in [0, count).
        mu: (edges,) memberships in [0, 1].
        count: Number of concepts.

    Returns:
        Two arrays in [0, 1]; 0 for a concept whose edges all have mu = 0.
    """
    sums = np.bincount(heads, mu, count) + np.bincount(tails, mu, count)
    sums[sums == 0] = 1.0
    return mu / sums[heads], mu / sums[tails]


def _write(path: Path, pairs: Pairs, keys: list[str], membership: Membership, *, row_normalised: bool) -> None:
    """Write the edges: head, tail, cosine, mu and, if requested, p_tail_given_head and p_head_given_tail."""
    _check_path(path)
    named = pa.array(keys, pa.string())
    mu = membership.mus(pairs.cosines)
    columns = {
        "head": named.take(pa.array(pairs.heads)),
        "tail": named.take(pa.array(pairs.tails)),
        "cosine": pa.array(pairs.cosines),
        "mu": pa.array(mu),
    }
    if row_normalised:
        forth, back = row_shares(pairs.heads, pairs.tails, mu, len(keys))
        columns |= {"p_tail_given_head": pa.array(forth), "p_head_given_tail": pa.array(back)}
    table, draft = pa.table(columns), path.with_name(path.name + ".part")
    if path.suffix == ".parquet":
        pq.write_table(table, draft)
    else:
        options = pyarrow.csv.WriteOptions(delimiter="\t", quoting_style="needed")
        pyarrow.csv.write_csv(table, draft, options)
    draft.replace(path)
