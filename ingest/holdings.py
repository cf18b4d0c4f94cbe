"""What each store was filled with, noted under HOME by the load that fills it (`groundwork.inventory`)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from groundwork import inventory
from groundwork.inventory import Holdings
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Release
from ingest.release import STDIN


def note(
    home: Path,
    store: GraphReader | LiteratureReader,
    new: Iterable[Release] = (),
    files: Mapping[str, Sequence[str]] | None = None,
    *,
    fresh: bool = False,
) -> None:
    """Write down what a store holds once the load is done; called while the load has the store alone.

    Args:
        home: The folder HOME.
        store: The store.
        new: Releases as they will be; the others stay as the store has them.
        files: Paths of the files whose content is in the store and in no snapshot, by `SOURCE:ID`.
        fresh: Forget the files noted before: the store holds nothing of them any more.
    """
    known = inventory.holdings(home, store.address) or Holdings()
    releases = {(one.source, one.id): one for one in (*store.releases(), *new)}
    added = {name: [_absolute(path) for path in paths] for name, paths in (files or {}).items()}
    noted = Holdings(tuple(releases.values()), {**({} if fresh else known.files), **added})
    inventory.note(home, store.address, noted)


def _absolute(path: str) -> str:
    return path if path == STDIN else str(Path(path).absolute())
