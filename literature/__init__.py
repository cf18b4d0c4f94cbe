"""Search of abstracts: three literature indexes behind one interface, all scored with Lucene's BM25.

How a load works: `spool` collects the changes and `stored` turns each abstract into stored fields. Then `segments` and
`manifest` (embedded store), or `elastic_load` and `generations` (Elasticsearch), show all changes to readers at once.
`store` holds what all stores share.

How a search works: `analysis` turns text into tokens, the store ranks the documents (`ranking` in the embedded store),
and `bm25` orders documents with equal scores. `memory` is the reference implementation that the contract tests compare
the other stores with (tests/contracts/literature_test.py).

The stores agree. They were compared on the 500 abstracts of BioRED, with 400 queries made of its titles and mentions.
For every query, the top 10 of the embedded store and of Elasticsearch 9.2 equal those of the memory store, with scores
within 1e-5. The analysis was compared with the EnglishAnalyzer of Lucene 10.3 on 68,000 lines (1.4 million tokens) of
abstracts and annotations: every token is the same.
"""

from contextlib import nullcontext
from pathlib import Path

from groundwork.errors import InputError, without_password
from groundwork.files import embedded_folder, swap
from groundwork.manifest import Fault
from groundwork.ports import Literature
from groundwork.settings import Settings


def connect(address: str, settings: Settings, *, read_only: bool = False) -> Literature:
    """Open the literature store at an address.

    Args:
        address: `memory:`, `embedded:PATH`, or `http://host:9200` or `https://host:9200` (Elasticsearch).
        settings: Settings with k1, b, and for servers the index, user, password and time limit.
        read_only: Refuse every write. An embedded store that does not exist is read as an empty one.

    Returns:
        The store. It creates nothing before the first `writing`.

    Raises:
        InputError: The address is of another kind, or is not valid.
    """
    if address == "memory:":
        from literature.memory import MemoryLiterature

        return MemoryLiterature(settings, read_only=read_only)
    if folder := embedded_folder(address):
        from literature.embedded import EmbeddedLiterature

        return EmbeddedLiterature(folder, settings, read_only=read_only)
    if address.startswith(("http:", "https:")):
        from literature.elastic import ElasticLiterature

        return ElasticLiterature(address, settings, read_only=read_only)
    raise InputError(
        f"no literature store at {without_password(address)!r}",
        "memory:, embedded:PATH, http://host:9200 or https://host:9200",
        "correct --literature or TRUTHHYPO_LITERATURE",
    )


def is_there(address: str) -> bool:
    """Return whether a store exists at an address. Only embedded stores are checked; for others the result is True.

    A store whose manifest was lost exists: whoever opens it is told that it is damaged.
    """
    folder = embedded_folder(address)
    return folder is None or (folder / "manifest.json").exists() or any(folder.glob("index/*"))


def file_faults(address: str, settings: Settings) -> list[Fault]:
    """Return the damaged files of an embedded store, after reading each file to its end.

    For other kinds of store, the result is an empty list.

    Raises:
        DamagedStore: The store has disappeared, or a file is missing or has another size than its manifest says.
    """
    if not (folder := embedded_folder(address)):
        return []
    from literature.embedded import EmbeddedLiterature

    return EmbeddedLiterature(folder, settings, read_only=True).faults()


def take_over(address: str, fresh: str) -> Path | None:
    """Replace an embedded store by a newly built one, while no load holds it.

    Args:
        address: The store's address.
        fresh: The address of the new store. The new store must be closed, and in a folder beside the old one. Its
            folder is moved, so this address is empty afterwards.

    Returns:
        The folder where the old store is kept; None if there was no old store.

    Raises:
        StoreBusy: A load holds the store.
        OSError: A folder cannot be renamed.
    """
    from literature.embedded import held

    folder, new = embedded_folder(address), embedded_folder(fresh)
    assert folder and new
    with held(folder, address) if folder.is_dir() else nullcontext():
        return swap(folder, new)
