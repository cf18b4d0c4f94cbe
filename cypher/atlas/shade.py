"""The PMIDs of an atlas that do not count, because a mask contains them."""

import numpy as np

from cypher.atlas.ranges import ranges
from groundwork.network import ArticleMask, Ints

#: All PMIDs of the atlas are compared with the mask once, when look-ups have compared this part of them one by one.
_SHARE = 4


class Shade:
    """Counts the masked PMIDs in ranges of the PMIDs of an atlas.

    The first look-ups compare only the PMIDs of their own links with the mask, so that a single look-up does not read
    the whole atlas. After many look-ups, the places of all masked PMIDs are found once and kept.

    Args:
        pmids: All PMIDs of the atlas.
        mask: The articles that do not count.
    """

    def __init__(self, pmids: Ints, mask: ArticleMask) -> None:
        self.mask = mask
        self._pmids = pmids
        self._compared = 0
        self._places: Ints | None = None

    def hidden(self, begin: Ints, end: Ints) -> Ints:
        """Return the number of masked PMIDs in each range of the PMIDs, from `begin` up to but not including `end`."""
        sizes = end - begin
        self._compared += int(sizes.sum())
        if self._places is None and self._compared * _SHARE > len(self._pmids):
            self._places = self.mask.places(self._pmids)
        if self._places is not None:
            found: Ints = np.searchsorted(self._places, end) - np.searchsorted(self._places, begin)
            return found
        hidden = self.mask.hides(self._pmids[ranges(begin, sizes)])
        passed = np.concatenate([[0], np.cumsum(hidden)])
        last = np.cumsum(sizes)
        counts: Ints = passed[last] - passed[last - sizes]
        return counts
