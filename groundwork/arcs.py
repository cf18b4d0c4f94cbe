"""A graph stored for fast traversal. An arc is one direction of a link; the arcs that leave a concept are adjacent."""

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
    """Arcs between numbered concepts, in both directions. Arcs between the same concepts can differ by their `mark`.

    Attributes:
        first: Shape (concepts + 1): index of the first arc of each concept; the last entry is the number of all arcs.
            The arcs of one concept are sorted by target, then by mark.
        target: Per arc, the number of the concept that the arc leads to.
        mark: Per arc, a small number, such as the kind of the link.
        weight: Per arc, a number in [0, 1], which is the same in both directions.
        link: Per arc, the index of the link that the arc belongs to.
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
            mark: One small number per link, such as its kind. Links between the same two concepts must be in ascending
                order of this number.
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
        """Return the cost of a search between concepts: the total number of their arcs and their neighbours' arcs."""
        rows = [self.target[self.first[node] : self.first[node + 1]] for node in nodes]
        return int(sum((self.first[row + 1] - self.first[row]).sum() + len(row) for row in rows))

    @contextmanager
    def notes(self, columns: int, blank: float) -> Iterator[Floats]:
        """Yield an array for the intermediate results of a search, with one row per concept, filled with `blank`.

        Before the block ends, the caller must reset every changed value to `blank`, because the next search gets the
        same array. Filling hundreds of thousands of rows anew would take most of a search's time. If a search raises an
        error, its array is not used again.
        """
        spare = self._spare[columns, blank]
        try:  # `if spare` is not enough: another thread may take the last array
            notes = spare.pop()
        except IndexError:
            notes = np.full((self.size, columns), blank)
        yield notes
        spare.append(notes)
