"""From an address to a literature store."""

from pathlib import Path

from groundwork.errors import InputError
from groundwork.ports import Literature
from groundwork.secrets import without_password
from groundwork.settings import Settings


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


def _folder(path: str) -> Path:
    """The folder a path means: absolute, so that one address is one store wherever the command is run."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise InputError(
            f"no home folder for {path!r}", "a path that starts with ~ and a user there is", "write the path out"
        ) from error
