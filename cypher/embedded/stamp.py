"""The file `format` in the folder of an embedded graph. It holds the format number of the graph's tables.

It also says whether the folder has a manifest (sizes and checksums of the files).

The first load writes this file before the database. If the load is killed between these two steps, the folder counts
as an empty graph.
"""

from contextlib import suppress
from pathlib import Path

from cypher.schema import FORMAT
from groundwork import manifest
from groundwork.errors import StoreError

STAMP = "format"
#: The second line of the file, if the folder has a manifest. Folders that earlier versions of this program made have
#: neither this line nor a manifest.
_NOTED = "manifest"


def stamp(folder: Path) -> None:
    """Write the file `format` atomically. It states this program's format number, and that the folder has a manifest.

    Raises:
        OSError: The file cannot be written.
    """
    manifest.replace(folder / STAMP, f"{FORMAT}\n{_NOTED}\n")


def check(folder: Path) -> None:
    """Refuse a folder whose database has tables of another format.

    Raises:
        StoreError: The folder has another format number, or none.
    """
    found, *_ = [*_lines(folder), ""]
    if found == str(FORMAT):
        return
    told = f"format {found[:20]}" if found else "no format number"
    newer = found.isdecimal() and int(found) > FORMAT
    made = "a later version of this program" if newer else "an earlier version of this program"
    raise StoreError(
        f"the graph {folder} has {told}: {made} made it",
        f"a graph of format {FORMAT}",
        "use that version, or load the files again into a new folder: another --home or --graph embedded:PATH",
    )


def noted(folder: Path) -> bool:
    """Return whether the file `format` says that the folder has a manifest."""
    return _NOTED in _lines(folder)


def _lines(folder: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return (folder / STAMP).read_text("ascii", "replace").split()
    return []
