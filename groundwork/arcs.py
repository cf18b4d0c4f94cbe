"""A graph laid out for walking: the arcs of each concept in a row, with a weight and a mark each."""

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
    """Arcs between numbered concepts, both ways round. Parallel arcs differ by their marks.

    Attributes:
        first: (concepts + 1) where the arcs of each concept begin; those of a concept by target, then mark.
        target: The concept an arc leads to.
        mark: A small number, such as the kind of the link.
        weight: In [0, 1]; the same in both directions.
        link: The link behind it.
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
        """The arcs of some links.

        Args:
            wiring: All links as arcs.
            chosen: Which links are walked, one a link; as are the others.
            mark: Rises with the order of a pair's links.
            weight: See above.
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
        """How many concepts."""
        return len(self.first) - 1

    def steps(self, *nodes: int) -> int:
        """How many arcs leave the neighbours of some concepts: what a look-up between them costs."""
        rows = [self.target[self.first[node] : self.first[node + 1]] for node in nodes]
        return int(sum((self.first[row + 1] - self.first[row]).sum() + len(row) for row in rows))

    @contextmanager
    def notes(self, columns: int, blank: float) -> Iterator[Floats]:
        """A row of numbers for each concept, all blank; who borrows it leaves it so.

        It is kept for the next look-up, which would else spend its time on blanking hundreds of thousands of rows. One
        that a look-up failed with is thrown away.
        """
        spare = self._spare[columns, blank]
        try:  # not `if spare`: another thread may take the last one meanwhile
            notes = spare.pop()
        except IndexError:
            notes = np.full((self.size, columns), blank)
        yield notes
        spare.append(notes)
