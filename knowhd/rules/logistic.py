"""Multinomial logistic regression by Newton's method: small, exact, deterministic."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Steps of Newton's method at most; the loss is convex, and twenty are plenty for some dozen features.
_STEPS = 100
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model: probabilities are softmax(x @ coefficients + intercepts).

    Attributes:
        coefficients: One row a feature, one column a class.
        intercepts: One a class.
    """

    coefficients: Array
    intercepts: Array


def softmax(scores: Array) -> Array:
    """Probabilities from scores, along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def balanced(classes: NDArray[np.int64], count: int) -> Array:
    """Weights by which each class that occurs counts the same; their sum is the number of rows."""
    sizes = np.bincount(classes, minlength=count)
    shares: Array = len(classes) / ((sizes > 0).sum() * sizes[classes])
    return shares


def fit(x: Array, classes: NDArray[np.int64], count: int, weights: Array, ridge: float) -> Fit:
    """The coefficients that minimise the weighted log loss + ridge / 2 * |coefficients|^2; intercepts go free.

    Args:
        x: One row a case, features standardised.
        classes: The class of each row, 0 to count - 1.
        count: How many classes there are.
        weights: Of the rows.
        ridge: Strength of the penalty, > 0.
    """
    rows, width = len(x), x.shape[1] + 1
    wide = np.hstack([x, np.ones((rows, 1))])
    truth = np.eye(count)[classes]
    penalty = np.full(width, float(ridge))
    penalty[-1] = 1e-3  # not 0: the scores of all classes may move together, and the step must stay unique
    theta = np.zeros((width, count))

    def loss(at: Array) -> float:
        likely = np.log(np.maximum((softmax(wide @ at) * truth).sum(axis=1), 1e-300))
        return float(-(weights * likely).sum() + (penalty[:, None] * at * at).sum() / 2)

    for _ in range(_STEPS):
        shares = softmax(wide @ theta)
        slope = wide.T @ (weights[:, None] * (shares - truth)) + penalty[:, None] * theta
        step = np.linalg.solve(_curvature(wide, shares, weights, penalty), slope.T.ravel()).reshape(count, width).T
        length = 1.0
        while length > _CLOSE and loss(theta - length * step) > loss(theta):
            length /= 2  # far from the minimum a whole step may overshoot
        theta -= length * step
        if np.abs(length * step).max() < _CLOSE:
            break
    return Fit(theta[:-1], theta[-1])


def _curvature(wide: Array, shares: Array, weights: Array, penalty: Array) -> Array:
    """The second derivative, classes outside, features inside."""
    count, width = shares.shape[1], wide.shape[1]
    full = np.zeros((count * width, count * width))
    for a in range(count):
        for b in range(count):
            both = weights * shares[:, a] * ((a == b) - shares[:, b])
            block = wide.T @ (wide * both[:, None])
            full[a * width : (a + 1) * width, b * width : (b + 1) * width] = block
    full += np.diag(np.tile(penalty, count))
    return full
