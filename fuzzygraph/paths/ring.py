"""Arithmetic of paths by channel: four numbers, one for each kind of path (`fuzzygraph.paths.lanes`).

Paths are continued by `times` and put side by side by `plus`; `times_best` and `larger` do the same for the best
path instead of the sum. No number is ever subtracted, so sums keep their digits and nothing comes out as almost 0.
Written in the part of Python that numba compiles.
"""

#: negative, unsigned, positive, alike
Four = tuple[float, float, float, float]


def times(x: Four, y: Four) -> Four:
    """Paths of x, each continued by each of y: two negatives make a positive, no sign stays none."""
    m, u, p, s = x
    n, v, q, t = y
    return m * (q + t) + (p + s) * n, u * (n + v + q + t) + (m + p + s) * v, p * (q + t) + s * q + m * n, s * t


def plus(x: Four, y: Four) -> Four:
    """Paths of x beside those of y."""
    return x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]


def times_best(x: Four, y: Four) -> Four:
    """The best of `times`."""
    m, u, p, s = x
    n, v, q, t = y
    return (
        max(m * max(q, t), max(p, s) * n),
        max(u * max(n, v, q, t), max(m, p, s) * v),
        max(p * max(q, t), s * q, m * n),
        s * t,
    )


def larger(x: Four, y: Four) -> Four:
    """The best of both."""
    return max(x[0], y[0]), max(x[1], y[1]), max(x[2], y[2]), max(x[3], y[3])


def joined(x: int, y: int) -> int:
    """The channel of a path from the channels of its parts."""
    if x == 1 or y == 1:
        return 1
    if x == 0 or y == 0:
        return 2 if x == y else 0
    return 3 if x == 3 and y == 3 else 2


PARTS = (times, plus, times_best, larger, joined)
