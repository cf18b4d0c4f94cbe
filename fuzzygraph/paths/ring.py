"""Arithmetic of sums over sets of paths. A sum is four numbers, one for each channel (`fuzzygraph.paths.lanes`).

`times` joins the paths of two sets end to end, and `plus` unites two sets. `times_best` and `larger` do the same for
the largest product of probabilities instead of the sum of the products. Nothing is ever subtracted, so no significant
digits are lost, and a result that should be 0 is exactly 0. The code uses only the part of Python that numba compiles.
"""

#: One value for each channel: negative, unsigned, positive, positive by similarity alone.
Four = tuple[float, float, float, float]


def times(x: Four, y: Four) -> Four:
    """Return the sums over all paths that consist of a path from one set and a path from another set.

    x and y are the sums over the two sets. Two negative paths give a positive path, and an unsigned path with any other
    gives an unsigned path.
    """
    m, u, p, s = x
    n, v, q, t = y
    return m * (q + t) + (p + s) * n, u * (n + v + q + t) + (m + p + s) * v, p * (q + t) + s * q + m * n, s * t


def plus(x: Four, y: Four) -> Four:
    """Return the sums over two sets of paths together, given the sums x and y over each set."""
    return x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]


def times_best(x: Four, y: Four) -> Four:
    """Return the largest product over the paths of `times`, given the largest products x and y of the two sets."""
    m, u, p, s = x
    n, v, q, t = y
    return (
        max(m * max(q, t), max(p, s) * n),
        max(u * max(n, v, q, t), max(m, p, s) * v),
        max(p * max(q, t), s * q, m * n),
        s * t,
    )


def larger(x: Four, y: Four) -> Four:
    """Return the larger of the two values of each channel."""
    return max(x[0], y[0]), max(x[1], y[1]), max(x[2], y[2]), max(x[3], y[3])


def joined(x: int, y: int) -> int:
    """Return the channel of a path from the channels of the two parts of the path."""
    if x == 1 or y == 1:
        return 1
    if x == 0 or y == 0:
        return 2 if x == y else 0
    return 3 if x == 3 and y == 3 else 2


PARTS = (times, plus, times_best, larger, joined)
