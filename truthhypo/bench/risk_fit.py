"""Fit the coefficients of the calibrated risk score (`fuzzygraph.likelihood`) on held-out articles of a graph.

A share of the articles is held out, or all articles after a PMID. The remaining articles give a graph. A case is a pair
of concepts that a held-out article relates, with the sign of this relation, or a pair that no article relates. The
latter is drawn so that its ends have the same types and similar degrees; otherwise degrees alone would tell them apart.
Only cases with a direct edge or a path in the remaining graph count, because `risk` measures only those.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from math import log
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from fuzzygraph.lanes import Weights, lanes
from fuzzygraph.likelihood import LARGEST, LENGTHS, ROWS, Coefficients, Observed, Weight, damped, likelihood, observe
from groundwork.chance import belief
from groundwork.errors import InputError
from groundwork.network import LINKS, ArticleMask, Floats, Network
from groundwork.ports import GraphReader
from groundwork.records import Record, split_key
from groundwork.statistics import Bin, calibration_error, reliability
from groundwork.vocabulary import relation_sign
from truthhypo.json_files import read_json, write_json

#: How likely two concepts are related if nothing but their types and degrees is known. Non-edges are weighted so that
#: this holds among the cases. It is an assumption, which the card of the fit repeats.
PRIOR = 0.2
#: The largest HRS that a number of undisputed articles may leave, whatever longer paths say: below 0.05 for three
#: articles and below 0.5 for one. The margin is for rounding.
UNDISPUTED = {3: 0.049, 1: 0.499}
#: Numbers of article folds in cross-validation, and fewest related cases for a fit.
FOLDS, LEAST = 5, 50
#: Most pairs related by held-out articles that become cases.
MOST = 5_000
HOPS = 3
#: File under HOME with the coefficients of `bench fit-risk`.
FILE = "risk.json"
_DRAWS = 200
_RIDGE = 0.0002
_ERRORS = (0.05, 0.3)

Edge = tuple[str, str, str]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A pair of concepts.

    Attributes:
        pair: The two concepts.
        observed: What the remaining graph shows.
        signs: The signs (-1, 0, 1) of the relations in held-out articles; empty for a pair that no article relates.
    """

    pair: Pair
    observed: Observed
    signs: frozenset[int]


@dataclass(frozen=True, slots=True)
class Fit(Record):
    """Coefficients with the figures of their fit. All figures are cross-validated: measured on articles not fitted on.

    Attributes:
        coefficients: The coefficients.
        data: Description of the graph.
        fitted_on: Date of the fit (UTC), as YYYY-MM-DD.
        prior: The assumed probability of a relation, `PRIOR`.
        related: Number of cases that held-out articles relate. A pair is a case in each split in which it is connected.
        unrelated: Number of cases that no article relates.
        auroc: Probability that strength is larger for a related pair without a direct edge than for an
            unrelated pair.
        sign_right: Share of the related, signed pairs with strength >= 0.5 whose sign is right; None without such
            pairs.
        sure: Number of these pairs.
        ece: Expected calibration error of the probability that a signed claim holds.
        reliability: The reliability diagram of this probability.
    """

    coefficients: Coefficients
    data: str
    fitted_on: str
    prior: float
    related: int
    unrelated: int
    auroc: float | None
    sign_right: float | None
    sure: int
    ece: float | None
    reliability: tuple[Bin, ...]

    @property
    def source(self) -> str:
        """Date of the fit and a checksum of its coefficients, for `fuzzygraph.risk_report.Terms.coefficients`."""
        told = json.dumps(self.coefficients.to_dict(), sort_keys=True).encode()
        return f"fitted {self.fitted_on} {sha256(told).hexdigest()[:8]}"


def edges_of(graph: GraphReader, without: ArticleMask | None = None) -> dict[Edge, tuple[int, ...]]:
    """Return the PMIDs of each relation edge of a graph that has PMIDs, without the articles of a mask."""
    found = dict[Edge, tuple[int, ...]]()
    for batch in graph.relations():
        for row in batch.to_pylist():
            pmids = tuple(row["pmids"])
            left = without.left(pmids) if without else pmids
            if left and row["head"] != row["tail"]:
                found[row["head"], row["relation"], row["tail"]] = left
    return found


def cases(edges: Mapping[Edge, Sequence[int]], held: frozenset[int], seed: int = 0) -> list[Case]:
    """Return the cases of one split.

    Args:
        edges: PMIDs by (head, relation, tail).
        held: PMIDs that are held out.
        seed: Seed of the draws of unrelated pairs.
    """
    lots = Random(seed)  # noqa: S311 - a sample, no secret
    left = {edge: count for edge, pmids in edges.items() if (count := sum(pmid not in held for pmid in pmids))}
    told: dict[Pair, set[int]] = defaultdict(set)
    for (head, relation, tail), pmids in edges.items():
        if head != tail and any(pmid in held for pmid in pmids):
            told[_pair(head, tail)].add(relation_sign(relation))
    chosen = sorted(told)
    if len(chosen) > MOST:
        chosen = sorted(lots.sample(chosen, MOST))
    every = {_pair(head, tail) for head, _, tail in edges}
    network = network_of(left)
    made = lanes(network, Weights())
    arcs = damped(made)

    def seen(pair: Pair) -> Observed:
        return observe(made, arcs, len(left), *pair, HOPS)

    unrelated = _unrelated(chosen, every, network, lots)
    found = [Case(pair, seen(pair), frozenset(told[pair])) for pair in chosen]
    found += [Case(pair, seen(pair), frozenset()) for pair in unrelated]
    return [case for case in found if case.observed.there]


def splits(edges: Mapping[Edge, Sequence[int]], before: int | None = None, seed: int = 0) -> list[frozenset[int]]:
    """Return the PMIDs held out in each split: `FOLDS` parts of all PMIDs by chance, or once those after a PMID.

    Raises:
        InputError: There are too few articles.
    """
    pmids = sorted({pmid for each in edges.values() for pmid in each})
    if before is not None:
        return [frozenset(pmid for pmid in pmids if pmid > before)]
    if len(pmids) < FOLDS:
        raise InputError(f"{len(pmids)} articles", f"at least {FOLDS} articles", "load a release with PMIDs")
    Random(seed).shuffle(pmids)  # noqa: S311 - a sample, no secret
    return [frozenset(pmids[number::FOLDS]) for number in range(FOLDS)]


def fit(folds: Sequence[Sequence[Case]], data: str) -> Fit:
    """Fit the coefficients on all folds, and measure each fold with coefficients fitted on the others.

    With one fold (held out by date), each half of its cases is measured with coefficients fitted on the other.

    Args:
        folds: The cases of each split.
        data: Description of the graph.

    Raises:
        InputError: Fewer than `LEAST` related pairs are connected in the remaining graph.
    """
    every = [case for fold in folds for case in fold]
    related = len({case.pair for case in every if case.signs})
    if related < LEAST or all(case.signs for case in every):
        raise InputError(
            f"{related} pairs that held-out articles relate and that the remaining articles connect",
            f"at least {LEAST}, and pairs that no article relates",
            "load a larger release, or choose another value of the option `before`",
        )
    parts = folds if len(folds) > 1 else [every[number::2] for number in range(2)]
    tested: list[tuple[Case, Coefficients]] = []
    for number, part in enumerate(parts):
        others = [case for other, fold in enumerate(parts) if other != number for case in fold]
        own = fitted(others)
        tested += [(case, own) for case in part]
    return _fit(fitted(every), tested, data)


def measured(every: Sequence[Case], coefficients: Coefficients, data: str) -> Fit:
    """Return the figures of some coefficients on cases that they were not fitted on."""
    return _fit(coefficients, [(case, coefficients) for case in every], data)


def keep(found: Fit, home: Path) -> Path:
    """Store a fit under HOME in place of an earlier one, and return the path of its file. `risk` then uses it."""
    write_json(home / FILE, found.to_dict())
    return home / FILE


def kept(home: Path) -> Fit | None:
    """Return the fit under HOME; None if there is none.

    Raises:
        InputError: The file was not written by `keep`.
    """
    place = home / FILE
    if not place.exists():
        return None
    remedy = "delete the file, and fit again with: truthhypo bench fit-risk"
    return read_json(place, Fit, "coefficients of the risk score", remedy)


def _fit(coefficients: Coefficients, tested: Sequence[tuple[Case, Coefficients]], data: str) -> Fit:
    related = sum(bool(case.signs) for case, _ in tested)
    made = data, f"{datetime.now(UTC):%Y-%m-%d}", PRIOR
    return Fit(coefficients, *made, related, len(tested) - related, *_figures(tested))


def fitted(every: Sequence[Case]) -> Coefficients:
    """Return the coefficients with the largest likelihood of the cases, under the constraints of `Coefficients`.

    An edge with n articles is wrong with the probability 1 - belief(n), which `groundwork.chance.belief` gives.
    """
    from scipy.optimize import minimize

    up, down = (np.array([_row(case.observed, sign) for case in every]) for sign in (1, -1))
    goal = np.array([_goal(case) for case in every])  # columns: down, up, any sign, none
    weight = np.ones(len(every))
    related = sum(bool(case.signs) for case in every)
    unrelated = len(every) - related
    weight[[not case.signs for case in every]] *= related * (1 - PRIOR) / (PRIOR * max(unrelated, 1))
    weight /= weight.sum()

    def loss(x: Floats) -> tuple[float, Floats]:
        z = np.column_stack([down @ x, up @ x, np.zeros(len(every))])
        z -= z.max(axis=1, keepdims=True)
        p = np.exp(z)
        p /= p.sum(axis=1, keepdims=True)
        either = p[:, 0] + p[:, 1]
        told = np.column_stack([p[:, 0], p[:, 1], either, p[:, 2]]).clip(1e-12)
        value = float(-(weight[:, None] * goal * np.log(told)).sum() + _RIDGE * (x[1:] @ x[1:]) / len(x))
        share = np.column_stack([p[:, 0] / either, p[:, 1] / either])
        # d log p_s / dz_t = [s = t] - p_t; for either sign: share_t - p_t
        slope = np.zeros((len(every), 2))
        for t in (0, 1):
            slope[:, t] = goal[:, t] + goal[:, 2] * share[:, t] - goal.sum(axis=1) * p[:, t]
        gradient = -(down.T @ (weight * slope[:, 0]) + up.T @ (weight * slope[:, 1]))
        gradient[1:] += 2 * _RIDGE * x[1:] / len(x)
        return value, gradient

    # Each row of the evidence has three weights; those of the opposite sign are fitted with their minus sign.
    signs = np.array([1.0, -1.0, 1.0] * len(ROWS))
    bounds = [(-LARGEST, LARGEST)] + [(0.0, LARGEST) if sign > 0 else (-LARGEST, 0.0) for sign in signs]
    signed = np.array([1.0, -1.0, 0.0])  # how the weights of a row change the difference between the two scores
    rules = [
        _at_least(np.concatenate([[0.0], signed, log(n) * signed, *[-signed] * len(LENGTHS)]), log((1 - most) / most))
        for n, most in UNDISPUTED.items()
    ]
    start = np.concatenate([[-2.0], 0.5 * signs])
    done = minimize(
        loss,
        start,
        jac=True,
        method="SLSQP",
        bounds=bounds,
        constraints=rules,
        options={"maxiter": 2_000, "ftol": 1e-12},
    )
    if not done.success:
        raise InputError(
            f"a fit that did not converge: {done.message}", "a fit that converges", "load a larger release"
        )
    weights = np.abs(done.x[1:].round(3)).reshape(len(ROWS), 3).tolist()
    rows = {name: Weight(*row) for name, row in zip(ROWS, weights, strict=True)}
    return Coefficients(round(float(done.x[0]), 3), **rows)


def _at_least(weights: Floats, least: float) -> dict[str, Any]:
    """Return the constraint that a weighted sum of the coefficients is at least a number."""
    return {"type": "ineq", "fun": lambda x: float(weights @ x) - least, "jac": lambda _: weights}


def _row(observed: Observed, sign: int) -> list[float]:
    """Return the features of the score of a sign: 1, then each row by same, opposite and no sign."""
    return [1.0, *(row[place] for row in observed.rows() for place in (1 + sign, 1 - sign, 1))]


def _goal(case: Case) -> tuple[float, float, float, float]:
    """Return how much a case speaks for each outcome: down, up, a relation of either sign, none."""
    if not case.signs:
        return 0.0, 0.0, 0.0, 1.0
    most = max(case.observed.articles)
    true = belief(most, *_ERRORS) if most else 1.0
    signs = case.signs - {0}
    if not signs:
        return 0.0, 0.0, true, 1.0 - true
    each = true / len(signs)
    return each * (-1 in signs), each * (1 in signs), 0.0, 1.0 - true


def _figures(tested: Sequence[tuple[Case, Coefficients]]) -> tuple[Any, ...]:
    """Return AUROC, share of right signs, number of sure pairs, calibration error and reliability diagram."""
    from sklearn.metrics import roc_auc_score

    rows = [(case, likelihood(case.observed, own)) for case, own in tested]
    new = [(bool(case.signs), 1.0 - told.none) for case, told in rows if not any(case.observed.articles)]
    edge, strength = (np.array(each) for each in zip(*new, strict=True))
    auroc = float(roc_auc_score(edge, strength)) if 0 < edge.sum() < len(edge) else None
    sure = [(case, told) for case, told in rows if case.signs & {-1, 1} and 1.0 - told.none >= 0.5]
    right = [(1 if told.positive >= told.negative else -1) in case.signs for case, told in sure]
    claims, holds = [], []
    related = sum(bool(case.signs) for case, _ in rows)
    copies = round(related * (1 - PRIOR) / PRIOR / max(len(rows) - related, 1))
    for case, told in rows:
        if case.signs and not case.signs & {-1, 1}:
            continue
        for sign in (-1, 1):
            times = 1 if case.signs else max(copies, 1)
            claims += [told.of(sign, negated=False)[0]] * times
            holds += [sign in case.signs] * times
    return (
        auroc,
        float(np.mean(right)) if right else None,
        len(right),
        calibration_error(claims, holds),
        reliability(claims, holds),
    )


def _unrelated(related: Iterable[Pair], every: set[Pair], network: Network, lots: Random) -> list[Pair]:
    """Return for each pair one that no article relates, whose ends have the same types and similar degrees."""
    degree = {key: int(count) for key, count in zip(network.keys, network.degree, strict=True)}  # type: ignore[arg-type]
    kinds = {key: (split_key(key)[0], count.bit_length()) for key, count in degree.items()}
    alike: dict[tuple[str, int], list[str]] = defaultdict(list)
    for key in sorted(kinds):
        alike[kinds[key]].append(key)
    found, taken = [], set[Pair]()
    for one, other in related:
        if one not in kinds or other not in kinds:
            continue
        for _ in range(_DRAWS):
            pair = _pair(lots.choice(alike[kinds[one]]), lots.choice(alike[kinds[other]]))
            if pair[0] != pair[1] and pair not in every and pair not in taken:
                taken.add(pair)
                found.append(pair)
                break
    return found


def network_of(left: Mapping[Edge, int]) -> Network:
    """Return the graph of edges with their numbers of articles, with `Network.degree`."""
    rows = [(head, tail, relation, count, 0.0) for (head, relation, tail), count in sorted(left.items())]
    columns = zip(*rows, strict=True) if rows else ((),) * len(LINKS)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, LINKS, strict=True)]
    network = Network.of([pa.table(arrays, schema=LINKS)], ())
    return replace(network, degree=network.relation_degrees(network.there()))


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one <= other else (other, one)
