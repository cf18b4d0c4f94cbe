"""Join ranges of whole numbers into one array."""

import numpy as np

from groundwork.network import Ints


def ranges(begins: Ints, sizes: Ints) -> Ints:
    """Return the whole numbers of several ranges, one range after the other."""
    found: Ints = np.repeat(begins - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    return found
