"""Scores by the similarity of names, for pairs whose ends the graph may not contain.

They are the cosine, paths that also use similarity edges, and the edges of concepts with similar names.
"""

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.held_out_scores import network, paths
from benchmarks.quality.held_out_split import Case, Floats, Statement, fitted, matched
from fuzzygraph.lanes import Weights, lanes
from fuzzygraph.membership import S0, Membership
from fuzzygraph.nearest import search

#: Number of neighbours of a concept that become similarity edges, as in `ingest similarity`.
TOP = 20
#: Cosines up to LEAST count as 0; above, the remaining share is raised to POWER.
LEAST, POWER = 0.1, 6.0
#: Number of principal components of names that are used in pairs.
COMPONENTS = 20

Vectors = Mapping[str, NDArray[np.float32]]


def alike(vectors: Vectors, left: Sequence[Statement], cases: Sequence[Case]) -> dict[str, Floats]:
    """Return the scores, as {name of the score: scores}.

    Args:
        vectors: Vector of each concept by key, with a length above 0.
        left: The graph.
        cases: Pairs to score.
    """
    known = sorted({end for s in left for end in s.pair})
    heads, tails = (_unit(vectors, [getattr(case, end) for case in cases]) for end in ("head", "tail"))
    borrowed, degrees = _borrowed(vectors, left, cases, known)
    return {
        "model's cosine": np.asarray((heads * tails).sum(axis=1), np.float64),
        "paths with the model's edges": walked(vectors, left, cases, Membership()),
        "edges between names alike": borrowed,
        "degrees of names alike": degrees,
        "names taught": _taught(vectors, left, cases),
    }


def walked(vectors: Vectors, left: Sequence[Statement], cases: Sequence[Case], membership: Membership) -> Floats:
    """Return the noisy-or over paths of relations and similarity edges between the nearest names above the default cut.

    Args:
        vectors: Vector of each concept by key.
        left: The graph.
        cases: Pairs to score.
        membership: Probability of a similarity edge by its cosine. It does not affect which edges there are.
    """
    keys = _keys(left, cases)
    pairs, _ = search(_unit(vectors, keys), above=S0, top_k=TOP)
    near = zip(pairs.heads.tolist(), pairs.tails.tolist(), pairs.cosines.tolist(), strict=True)
    joined = network(left, cases, [(keys[a], keys[b], cosine) for a, b, cosine in near])
    return paths(lanes(joined, Weights(membership)), cases)[0]


def _borrowed(
    vectors: Vectors, left: Sequence[Statement], cases: Sequence[Case], known: Sequence[str]
) -> tuple[Floats, Floats]:
    """Return the number of edges between concepts with names similar to the two ends, weighted by the similarity.

    It is divided by the root of the number that is expected from degrees, so that similarity to well-connected concepts
    is not enough. The second score is the logarithm of the product of these degrees.
    """
    import scipy.sparse as sparse

    place = {key: n for n, key in enumerate(known)}
    ends = np.array([[place[one], place[other]] for one, other in sorted({s.pair for s in left})])
    half = sparse.csr_matrix((np.ones(len(ends)), tuple(ends.T)), shape=(len(known), len(known)))
    near = half + half.T
    asked = sorted({end for case in cases for end in (case.head, case.tail)})
    cosines = _unit(vectors, asked).astype(np.float64) @ _unit(vectors, known).T
    like = np.clip((cosines - LEAST) / (1 - LEAST), 0.0, 1.0) ** POWER
    row = {key: n for n, key in enumerate(asked)}
    heads, tails = ([row[getattr(case, end)] for case in cases] for end in ("head", "tail"))
    reached, degree = like @ near, like @ np.asarray(near.sum(axis=1)).ravel()
    found = np.einsum("ij,ij->i", reached[heads], like[tails])
    scale = np.sqrt(np.maximum(degree[heads] * degree[tails], 1e-9))
    return np.log(found / scale + 1e-6), np.log1p(degree[heads]) + np.log1p(degree[tails])


def _taught(vectors: Vectors, left: Sequence[Statement], cases: Sequence[Case]) -> Floats:
    """Return the log odds of a logistic regression on the vectors of both names, fitted on the edges of the graph.

    Non-edges of the same types and degrees are the counterexamples, as in the cases. The features are products and sums
    of both ends' principal components.
    """
    every = _keys(left, cases)
    rows = _unit(vectors, every)
    rows = rows - rows.mean(axis=0)
    _, basis = np.linalg.eigh(rows.T.astype(np.float64) @ rows)
    parts = rows @ basis[:, ::-1][:, :COMPONENTS]
    parts *= np.sqrt(COMPONENTS) / np.linalg.norm(parts, axis=1).mean()
    place = {key: n for n, key in enumerate(every)}

    def seen(pairs: Sequence[Case]) -> Floats:
        one, other = (parts[[place[getattr(case, end)] for case in pairs]] for end in ("head", "tail"))
        return np.hstack([one * other, one + other])

    edges: dict[tuple[str, str], str] = {}
    for statement in left:
        edges.setdefault(statement.pair, statement.document)
    lessons, _ = matched(edges, left, left, Random(0), band=True)
    model = fitted(seen(lessons), np.array([case.edge for case in lessons]))
    return np.asarray(model.decision_function(seen(cases)))


def _keys(left: Sequence[Statement], cases: Sequence[Case]) -> list[str]:
    """Return the concepts of the graph and of the pairs, in ascending order."""
    return sorted({end for s in left for end in s.pair} | {end for c in cases for end in (c.head, c.tail)})


def _unit(vectors: Vectors, keys: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of the keys (keys, d), scaled to length 1."""
    rows = np.stack([vectors[key] for key in keys])
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
