"""From an address to a literature store."""

from contextlib import nullcontext
from pathlib import Path

from groundwork.errors import InputError
from groundwork.manifest import Fault
from groundwork.ports import Literature
from groundwork.secrets import without_password
from groundwork.settings import Settings
from groundwork.swap import swap


def connect(address: str, settings: Settings, *, read_only: bool = False) -> Literature:
    """Open the literature store at an address.

    Args:
        address: `memory:`, `embedded:PATH`, or `http://host:9200` or `https://host:9200` (Elasticsearch).
        settings: k1, b, and for servers the index, user, password and time limit.
        read_only: Never write; an embedded store that is not there reads as an empty one.

    Returns:
        The store. Nothing is created before the first `writing`.

    Raises:
        InputError: An address of another kind, or settings that the store cannot follow.
    """
    kind, _, rest = address.partition(":")
    if address == "memory:":
        from literature.memory import MemoryLiterature

        return MemoryLiterature(settings, read_only=read_only)
    if kind == "embedded" and rest:
        from literature.embedded import EmbeddedLiterature

        return EmbeddedLiterature(_folder(rest), settings, read_only=read_only)
    if kind in {"http", "https"}:
        from literature.elastic import ElasticLiterature

        return ElasticLiterature(address, settings, read_only=read_only)
    raise InputError(
        f"no literature store at {without_password(address)!r}",
        "memory:, embedded:PATH, http://host:9200 or https://host:9200",
        "correct --literature or TRUTHHYPO_LITERATURE",
    )


def is_there(address: str) -> bool:
    """Whether there is a store at an address. A server may be off all the same; only embedded stores are looked for."""
    kind, _, rest = address.partition(":")
    return kind != "embedded" or not rest or (_folder(rest) / "manifest.json").exists()


def file_faults(address: str, settings: Settings) -> list[Fault]:
    """The damaged files of the embedded store at an address, each read to its end; servers look after their own.

    Raises:
        DamagedStore: The store is gone, or a file is missing or of another size.
    """
    kind, _, rest = address.partition(":")
    if kind != "embedded" or not rest:
        return []
    from literature.embedded import EmbeddedLiterature

    return EmbeddedLiterature(_folder(rest), settings, read_only=True).faults()


def take_over(address: str, fresh: str) -> Path | None:
    """Put a store that was built anew in the place of an embedded store, while no load holds that.

    Args:
        address: The store's address.
        fresh: The address of the new one, closed, in a folder beside it; it is gone afterwards.

    Returns:
        Where the old folder is kept; None if there was none.

    Raises:
        StoreBusy: A load holds the store.
        OSError: A folder cannot be renamed.
    """
    from literature.embedded import held

    folder, new = (_folder(one.partition(":")[2]) for one in (address, fresh))
    with held(folder, address) if folder.is_dir() else nullcontext():
        return swap(folder, new)


def _folder(path: str) -> Path:
    """The folder a path means: absolute, so that one address is one store wherever the command is run."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise InputError(
            f"no home folder for {path!r}", "a path that starts with ~ and a user there is", "write the path out"
        ) from error
