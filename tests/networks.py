"""Networks for tests, built from records."""

from collections.abc import Iterable

import pyarrow as pa

from groundwork.network import LINKS, Network
from groundwork.records import Link


def of_links(links: Iterable[Link], ends: Iterable[str] = ()) -> Network:
    """Build a network from records."""
    rows = [
        {"a": k.head, "b": k.tail, "kind": k.kind, "articles": k.articles, "cosine": k.cosine or 0.0} for k in links
    ]
    return Network.of([pa.Table.from_pylist(rows, LINKS)], ends)
