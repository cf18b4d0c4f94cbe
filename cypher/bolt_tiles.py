"""Which edges may be written at the same time without waiting for each other's locks.

To write an edge locks both its concepts. So concepts are dealt into parts, and edges into tiles by the parts of their
two ends. The tiles of one round share no part, as the matches of one round of a tournament share no player: whatever
is written at the same time can neither wait for each other nor deadlock. Heads are dealt in runs, as they come: edges
of one head stay close together, which the server writes faster.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from zlib import crc32

from groundwork.records import Relation

Tile = tuple[int, int]


def rounds(parts: int) -> list[list[Tile]]:
    """All tiles (i, j), i <= j, once each, in rounds in which no part comes twice.

    The circle method: one player stays, the others move on by one place; then each plays itself.

    Args:
        parts: How many there are, even.
    """
    circle = list(range(parts))
    found = []
    for _ in range(parts - 1):
        found.append([(min(a, b), max(a, b)) for a, b in zip(circle[: parts // 2], circle[::-1], strict=False)])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [*found, [(part, part) for part in range(parts)]]


def tiled(edges: Sequence[Relation], parts: int) -> Iterator[list[list[Relation]]]:
    """Edges by rounds, and by tiles within; the edges of a tile in the order in which they came."""
    dealt: dict[str, int] = {}
    for position, edge in enumerate(edges):
        dealt.setdefault(edge.head, position * parts // len(edges))
    tiles: dict[Tile, list[Relation]] = defaultdict(list)
    for edge in edges:
        a, b = dealt[edge.head], dealt.get(edge.tail, -1)
        if b < 0:
            b = crc32(edge.tail.encode()) % parts
        tiles[min(a, b), max(a, b)].append(edge)
    for together in rounds(parts):
        yield [tiles[tile] for tile in together if tile in tiles]
