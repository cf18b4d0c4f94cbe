"""Write the records under HOME that say what each store contains (`groundwork.inventory`). Each load calls `note`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from groundwork import inventory
from groundwork.inventory import Holdings
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Release
from ingest import live
from ingest.release import STDIN


def note(
    home: Path,
    store: GraphReader | LiteratureReader,
    new: Iterable[Release] = (),
    files: Mapping[str, Sequence[str]] | None = None,
    *,
    fresh: bool = False,
) -> None:
    """Record what a store will contain after the load; call this while the load holds the store.

    Recorded releases that the store has lost stay recorded, until they are loaded again or another release replaces
    them.

    Args:
        home: The folder HOME.
        store: The store.
        new: The releases that the load changes, as they will be after the load. All other releases are taken from the
            store.
        files: Paths of the files whose content is in the store but in no snapshot, by `SOURCE:ID`.
        fresh: Whether to forget the paths recorded before, because the store no longer contains the content of these
            files.
    """
    known = inventory.holdings(home, store.address) or Holdings()
    after = (*store.releases(), *new)
    lost = (one for one in known.releases if not any(live.replaces(each, one) for each in after))
    releases = {(one.source, one.id): one for one in (*lost, *after)}
    added = {name: [_absolute(path) for path in paths] for name, paths in (files or {}).items()}
    noted = Holdings(tuple(releases.values()), {**({} if fresh else known.files), **added})
    inventory.note(home, store.address, noted)


def _absolute(path: str) -> str:
    return path if path == STDIN else str(Path(path).absolute())
