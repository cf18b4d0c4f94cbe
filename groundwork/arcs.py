"""A graph stored for fast traversal: the arcs of each concept side by side, each with a weight and a mark."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from groundwork.network import Bools, Floats, Ints, Marks, Wiring

Signs = np.ndarray[Any, np.dtype[np.int8]]


@dataclass(frozen=True, slots=True)
class Arcs:
    """Arcs between numbered concepts, in both directions. Parallel arcs differ by their marks.

    Attributes:
        first: Shape (concepts + 1): index of the first arc of each concept. The arcs of one concept are sorted by
            target, then by mark.
        target: The concept that an arc leads to.
        mark: A small number, such as the kind of the link.
        weight: In [0, 1]; the same in both directions.
        link: Index of the link that the arc belongs to.
    """

    first: Ints
    target: Marks
    mark: Signs
    weight: Floats
    link: Marks
    _spare: dict[tuple[int, float], list[Floats]] = field(
        default_factory=lambda: defaultdict(list), compare=False, repr=False
    )

    @classmethod
    def of(cls, wiring: Wiring, chosen: Bools, mark: Signs, weight: Floats) -> "Arcs":
        """Build the arcs of some of the links.

        Args:
            wiring: All links as arcs.
            chosen: One boolean per link: True for the links to include.
            mark: One mark per link; the marks of a pair's links must be ascending.
            weight: One weight per link, in [0, 1].
        """
        first, target, link = wiring.first, wiring.target, wiring.link
        if not chosen.all():
            kept = chosen[link]
            target, link = target[kept], link[kept]
            before = np.zeros(len(kept) + 1, dtype=np.int64)
            np.cumsum(kept, out=before[1:])
            first = before[first]
        return cls(first, np.ascontiguousarray(target), mark[link], weight[link], link)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return len(self.first) - 1

    def steps(self, *nodes: int) -> int:
        """Return the number of arcs that leave the neighbours of some concepts: the cost of a search between them."""
        rows = [self.target[self.first[node] : self.first[node + 1]] for node in nodes]
        return int(sum((self.first[row + 1] - self.first[row]).sum() + len(row) for row in rows))

    @contextmanager
    def notes(self, columns: int, blank: float) -> Iterator[Floats]:
        """Lend an array of notes, one row per concept, filled with `blank`; the borrower must restore it to blank.

        The array is kept for the next search, because filling hundreds of thousands of rows again would take most of
        its time. If a search fails, its array is thrown away.
        """
        spare = self._spare[columns, blank]
        try:  # not `if spare`: another thread may take the last one meanwhile
            notes = spare.pop()
        except IndexError:
            notes = np.full((self.size, columns), blank)
        yield notes
        spare.append(notes)
