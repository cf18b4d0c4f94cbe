"""How much address space an embedded database reserves.

When ladybug opens a database, it reserves address space for the largest size that the database may reach, and for its
buffer pool. This space is not memory, but batch systems limit it per process (RLIMIT_AS, `ulimit -v`).
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

#: Bytes reserved for a database if there is no limit. ladybug's default, 8 TB, leaves room for a few databases only.
LARGEST = 1 << 40
#: Bytes left for the rest of the process if there is a limit. With less, ladybug 0.22 ended in segmentation faults.
_LEFT = 1 << 30


def limit() -> int | None:
    """Return the most address space that this process may use, in bytes; None if there is no limit."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def reserved(pool: int) -> tuple[int, int]:
    """Return the sizes of the buffer pool and of the largest database, in bytes.

    If there is a limit, the pool gets at most a quarter of the free address space and the database at most half of it.
    If the limit is too small, the size for the database is too small as well, and ladybug refuses to open the database.

    Args:
        pool: The wanted size of the buffer pool.

    Returns:
        The size of the pool, and the size for the database, which is a power of two.
    """
    most = limit()
    if most is None:
        return pool, LARGEST
    free = max(most - _used() - _LEFT, 2)
    return min(pool, free // 4), min(1 << ((free // 2).bit_length() - 1), LARGEST)


def _used() -> int:
    """Return the address space that this process uses, in bytes; 0 if the system does not report it."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0
