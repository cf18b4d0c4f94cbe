"""The set of articles that do not count as support of edges, such as notices.

Edges keep the PMIDs of such articles, because digest, counts and receipts of a graph follow from its releases alone.
Each look-up gets the mask of the literature instead. Marks in the graph would depend on the loads of two stores.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from groundwork.network import Bools, Ints

#: Number of PMIDs that `ArticleMask.places` compares at a time; these PMIDs fit into the cache of a processor.
_PAGE = 1 << 18
#: Smallest and largest size of the table in `ArticleMask.places`, and its size per masked PMID. All are powers of two.
#: Every PMID of PubMed has a place of its own in the largest table.
_SMALLEST, _LARGEST, _SPARSE = 1 << 16, 1 << 26, 64


@dataclass(frozen=True, slots=True, eq=False)
class ArticleMask:
    """Articles that do not count as support of edges. Masks of the same articles are equal.

    Attributes:
        pmids: The PMIDs of the articles, distinct and ascending.
        digest: A hash of the PMIDs, so that results can be cached by mask.
    """

    pmids: Ints
    digest: bytes

    @classmethod
    def of(cls, pmids: Iterable[int]) -> "ArticleMask":
        """Return the mask of some PMIDs, given in any order."""
        given = pmids if isinstance(pmids, np.ndarray) else list(pmids)
        ordered = np.sort(np.asarray(given, dtype=np.int64))
        distinct = ordered[np.diff(ordered, prepend=-1) != 0]  # `np.unique` is several times slower
        return cls(distinct, blake2b(distinct.tobytes(), digest_size=16).digest())

    def __len__(self) -> int:
        return len(self.pmids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArticleMask) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def left(self, pmids: Sequence[int] | Ints) -> tuple[int, ...]:
        """Return the given PMIDs without those of the mask, in the same order."""
        given = np.asarray(pmids, dtype=np.int64)
        return tuple(given[~self.hides(given)].tolist())

    def hides(self, pmids: Ints) -> Bools:
        """Return a boolean per PMID: True if the mask contains it."""
        if not len(self):
            return np.zeros(len(pmids), dtype=bool)
        nearest = np.minimum(np.searchsorted(self.pmids, pmids), len(self) - 1)
        hidden: Bools = self.pmids[nearest] == pmids
        return hidden

    def places(self, pmids: Ints) -> Ints:
        """Return the indexes of those of the given PMIDs that the mask contains, ascending.

        For many PMIDs, this is faster than `hides`: a table of the last bits of the masked PMIDs rejects nearly all
        others.
        """
        size = min(max(_SMALLEST, 1 << (_SPARSE * len(self)).bit_length()), _LARGEST)
        table = np.zeros(size, dtype=bool)
        table[self.pmids & (size - 1)] = True
        found = [np.zeros(0, dtype=np.int64)]
        for start in range(0, len(pmids) if len(self) else 0, _PAGE):
            page = pmids[start : start + _PAGE]
            likely = np.flatnonzero(table[page & (size - 1)])
            found.append(start + likely[self.hides(page[likely])])
        return np.concatenate(found)
