"""Hold edges out of a graph, by document or at random, with matching non-edges, and score the pairs on the rest.

A score is measured by the probability that a held-out edge scores above a non-edge whose ends have the same types and
similar degrees in the remaining graph. Without this matching, a score by degrees alone would do well. Scores are
neighbours, path probabilities and degree-weighted paths.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.paths import pooled
from groundwork.chance import noisy_or
from groundwork.network import Network
from groundwork.records import Link, Record, split_key
from groundwork.vocabulary import SIMILAR_TO, canonical
from groundwork.walks import Arcs
from tests.networks import of_links

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[str, str]
By = Literal["document", "edge"]
RESAMPLES = 2000
#: Number of draws after which an edge is left without a non-edge.
_DRAWS = 200
#: Exponents by which degrees are damped (Himmelstein 2015 chose 0.4 from a grid).
DAMPING = (0.3, 0.5, 0.7)
HOPS = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """An edge as stated by one document. An edge without documents gets a document of its own."""

    head: str
    kind: str
    tail: str
    document: str

    @property
    def pair(self) -> Pair:
        """Both ends in ascending order."""
        return (self.head, self.tail) if self.head <= self.tail else (self.tail, self.head)


@dataclass(frozen=True, slots=True)
class Case:
    """A pair to score.

    Attributes:
        head: One end.
        tail: The other end.
        edge: Whether it is a held-out edge; otherwise no document states it.
        group: The document that states the edge. A non-edge has the group of its edge. Groups are resampled together.
    """

    head: str
    tail: str
    edge: bool
    group: str


@dataclass(frozen=True, slots=True)
class Split:
    """The remaining graph, and the pairs to score on it.

    Attributes:
        left: Statements of the remaining graph.
        cases: Held-out edges, each followed by its non-edge.
        unmatched: Number of held-out edges without a matching non-edge; they are left out.
    """

    left: tuple[Statement, ...]
    cases: tuple[Case, ...]
    unmatched: int


@dataclass(frozen=True, slots=True)
class Ranked(Record):
    """How well a score ranks edges above non-edges.

    Attributes:
        auroc: In [0, 1]; ties count half.
        low: 2.5th percentile over resampled documents.
        high: 97.5th percentile.
        told: Share of the cases whose score is above the smallest; for the others the score says nothing.
    """

    auroc: float
    low: float
    high: float
    told: float


def split(statements: Sequence[Statement], by: By, *, share: float = 0.2, seed: int = 0, band: bool = True) -> Split:
    """Hold out a share of the documents or edges. Only edges that no remaining document states become cases.

    Args:
        statements: All statements.
        by: `document`: hold out documents with all their edges; `edge`: hold out random pairs. The second gives figures
            that are too good, because edges of one abstract can be on both sides.
        share: Share of the documents or pairs, in (0, 1).
        seed: Random seed.
        band: Also match the degrees of non-edges. Without it, figures are too good as well.
    """
    lots = Random(seed)
    units = sorted({s.document if by == "document" else "\t".join(s.pair) for s in statements})
    chosen = set(lots.sample(units, round(share * len(units))))
    out = [s for s in statements if (s.document if by == "document" else "\t".join(s.pair)) in chosen]
    apart = set(map(id, out))
    left = tuple(s for s in statements if id(s) not in apart)
    there = {s.pair for s in left}
    first: dict[Pair, str] = {}
    for statement in out:
        if statement.pair not in there and statement.head != statement.tail:
            first.setdefault(statement.pair, statement.document)
    cases, unmatched = matched(first, statements, left, lots, band)
    return Split(left, tuple(cases), unmatched)


def matched(
    edges: Mapping[Pair, str], statements: Sequence[Statement], left: Sequence[Statement], lots: Random, band: bool
) -> tuple[list[Case], int]:
    """Return each edge with a non-edge of the same types and degree bands, and the number of edges without one.

    Args:
        edges: Pairs, each with the document that states it.
        statements: All edges; a non-edge is none of them.
        left: The graph in which degrees are counted.
        lots: Random generator.
        band: Also match degrees.
    """
    every = {s.pair for s in statements}
    degree: dict[str, int] = dict.fromkeys((end for pair in sorted(every) for end in pair), 0)
    for one, other in {s.pair for s in left}:
        degree[one] += 1
        degree[other] += 1
    kinds: dict[str, tuple[str, int]] = {
        key: (split_key(key)[0], degree[key].bit_length() if band else 0) for key in degree
    }
    alike: dict[tuple[str, int], list[str]] = defaultdict(list)
    for key in sorted(degree):
        alike[kinds[key]].append(key)
    taken: set[Pair] = set()
    cases, unmatched = [], 0
    for (a, b), group in sorted(edges.items()):
        for _ in range(_DRAWS):
            one, other = lots.choice(alike[kinds[a]]), lots.choice(alike[kinds[b]])
            pair = (one, other) if one <= other else (other, one)
            if one != other and pair not in every and pair not in taken:
                taken.add(pair)
                cases += [Case(a, b, True, group), Case(one, other, False, group)]
                break
        else:
            unmatched += 1
    return cases, unmatched


def ranked(cases: Sequence[Case], score: Floats, seed: int = 0) -> Ranked:
    """Return the area under the ROC curve with a 95 % bootstrap interval over documents.

    Args:
        cases: The pairs, edges and non-edges.
        score: One score per case, larger for a more probable edge.
        seed: Random seed.
    """
    gold = np.array([case.edge for case in cases])
    groups = np.unique([case.group for case in cases], return_inverse=True)[1]
    size, order = int(groups.max()) + 1, np.argsort(score, kind="stable")
    draws = np.random.default_rng(seed)
    at = [draws.multinomial(size, np.full(size, 1 / size)) for _ in range(RESAMPLES)]
    drawn = [_area(gold[order], score[order], weights[groups[order]].astype(float)) for weights in at]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    area = _area(gold[order], score[order], np.ones(len(cases)))
    return Ranked(area, float(low), float(high), float((score > score.min()).mean()))


def _area(gold: Any, score: Floats, weight: Floats) -> float:
    """Return the weighted share of (edge, non-edge) pairs in the right order; ties count half. Cases are sorted by
    score."""
    begins = np.flatnonzero(np.r_[True, score[1:] != score[:-1]])
    edges = np.add.reduceat(weight * gold, begins)
    others = np.add.reduceat(weight * ~gold, begins)
    below = np.cumsum(others) - others
    whole = edges.sum() * others.sum()
    return float((edges * (below + others / 2)).sum() / whole) if whole else float("nan")


def crossed(cases: Sequence[Case], columns: Mapping[str, Floats], folds: int = 5) -> Floats:
    """Return probabilities of a logistic regression on several scores, cross-fitted by document.

    Args:
        cases: The pairs.
        columns: Scores by name.
        folds: Number of parts, by documents.
    """
    from sklearn.model_selection import GroupKFold

    gold, groups = np.array([case.edge for case in cases]), [case.group for case in cases]
    x = np.column_stack(list(columns.values()))
    found = np.zeros(len(cases))
    for train, test in GroupKFold(folds).split(x, gold, groups):
        found[test] = fitted(x[train], gold[train]).predict_proba(x[test])[:, 1]
    return found


def fitted(x: Floats, gold: Any) -> Any:
    """Return a logistic regression on standardised features."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)).fit(x, gold)


def topology(left: Sequence[Statement], cases: Sequence[Case]) -> dict[str, Floats]:
    """Return scores by the structure of the graph: {name of the score: scores}. No edge joins the ends of a case.

    `paths` is the noisy-or over simple paths of at most three hops with beliefs; `half` uses 1/2 for every edge.

    Args:
        left: The graph.
        cases: Pairs to score.
    """
    keys = sorted({end for s in left for end in s.pair} | {end for c in cases for end in (c.head, c.tail)})
    place = {key: number for number, key in enumerate(keys)}
    near, degree = _neighbours({s.pair for s in left if s.head != s.tail}, place)
    heads, tails = _ends(cases, place)
    found = _common(near, degree, heads, tails)
    for exponent in DAMPING:
        damped = _damped(near, degree, exponent)
        found[f"dwpc {exponent}"] = _walks(damped, heads, tails, 2) + _walks(damped, heads, tails, HOPS)
    made = lanes(network(left, cases), Weights())
    found["paths"], found["path sum"] = paths(made, cases)
    found["half"] = paths(halved(made), cases)[0]
    return found


def network(left: Iterable[Statement], cases: Iterable[Case], alike: Iterable[tuple[str, str, float]] = ()) -> Network:
    """Return the graph as links. The articles of an edge are the documents that state it.

    Args:
        left: Statements.
        cases: Pairs whose ends must be in the network.
        alike: Similarity edges: two keys and a cosine.
    """
    stated: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for statement in left:
        stated[(*canonical(statement.head, statement.tail), statement.kind)].add(statement.document)
    links = [Link(a, b, kind, len(documents), None) for (a, b, kind), documents in stated.items() if a != b]
    links += [Link(*canonical(a, b), SIMILAR_TO, 0, cosine) for a, b, cosine in alike]
    return of_links(links, (end for case in cases for end in (case.head, case.tail)))


def paths(made: Lanes, cases: Iterable[Case], hops: int = HOPS) -> tuple[Floats, Floats]:
    """Return noisy-or and sum over the simple paths between the ends of each pair, regardless of signs."""
    found = [pooled(made, case.head, case.tail, hops) for case in cases]
    likely = np.array([noisy_or(each.noisy_or.tolist()) for each in found])
    return likely, np.array([float(each.sum.sum()) for each in found])


def halved(made: Lanes) -> Lanes:
    """Return the same lanes with probability 1/2 each."""
    arcs = made.arcs
    return Lanes(made.network, Arcs(arcs.first, arcs.target, arcs.mark, np.full_like(arcs.weight, 0.5), arcs.link))


def metapaths(left: Sequence[Statement], cases: Sequence[Case]) -> dict[str, Floats]:
    """Return degree-weighted paths of two and three hops, by the types of their inner concepts.

    Args:
        left: The graph.
        cases: Pairs to score.
    """
    import scipy.sparse as sparse

    keys = sorted({end for s in left for end in s.pair} | {end for c in cases for end in (c.head, c.tail)})
    place = {key: number for number, key in enumerate(keys)}
    near, degree = _neighbours({s.pair for s in left if s.head != s.tail}, place)
    types = np.array([split_key(key)[0] for key in keys])
    ordered = [sorted((c.head, c.tail), key=lambda key: (split_key(key)[0], key)) for c in cases]
    heads, tails = (np.array([place[pair[side]] for pair in ordered], dtype=np.int64) for side in (0, 1))
    damped = _damped(near, degree, 0.5)
    found: dict[str, Floats] = {}
    common = [kind for kind, count in Counter(types.tolist()).most_common(4) if count]
    through = {kind: sparse.diags((types == kind).astype(float)) for kind in common}
    begun, ended = damped[heads], damped[tails]
    for one in common:
        found[one] = _sum(begun @ through[one], ended)
        for other in common:
            found[f"{one} {other}"] = _sum(begun @ through[one] @ damped @ through[other], ended)
    return found


def _ends(cases: Sequence[Case], place: Mapping[str, int]) -> tuple[Ints, Ints]:
    heads, tails = [place[case.head] for case in cases], [place[case.tail] for case in cases]
    return np.array(heads, dtype=np.int64), np.array(tails, dtype=np.int64)


def _neighbours(pairs: Iterable[tuple[str, str]], place: Mapping[str, int]) -> tuple[Any, Floats]:
    """Return the adjacency matrix (sparse, of ones) and the degrees."""
    import scipy.sparse as sparse

    joined = sorted((place[a], place[b]) for a, b in pairs)
    rows, columns = np.array(joined, dtype=np.int64).reshape(-1, 2).T
    half = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(place), len(place)))
    near = (half + half.T).tocsr()
    return near, np.asarray(near.sum(axis=1)).ravel()


def _common(near: Any, degree: Floats, heads: Ints, tails: Ints) -> dict[str, Floats]:
    """Return common neighbours, Jaccard, and Adamic-Adar (2003)."""
    import scipy.sparse as sparse

    shared = _sum(near[heads], near[tails])
    rare = np.divide(1.0, np.log(np.maximum(degree, 2.0)), out=np.zeros_like(degree), where=degree > 1)
    return {
        "common neighbours": shared,
        "jaccard": shared / np.maximum(degree[heads] + degree[tails] - shared, 1.0),
        "adamic-adar": _sum(near[heads] @ sparse.diags(rare), near[tails]),
    }


def _damped(near: Any, degree: Floats, exponent: float) -> Any:
    """Return the adjacency matrix with (d_a d_b)^-exponent for each edge."""
    import scipy.sparse as sparse

    scale = sparse.diags(np.power(np.maximum(degree, 1.0), -exponent))
    return (scale @ near @ scale).tocsr()


def _walks(damped: Any, heads: Ints, tails: Ints, length: int) -> Floats:
    """Return products over walks of two or three hops between unconnected ends. Such walks never revisit a concept."""
    begun = damped[heads]
    for _ in range(length - 2):
        begun = begun @ damped
    return _sum(begun, damped[tails])


def _sum(begun: Any, ended: Any) -> Floats:
    """Return the inner product of each pair of rows."""
    found: Floats = np.asarray(begun.multiply(ended).sum(axis=1)).ravel()
    return found
