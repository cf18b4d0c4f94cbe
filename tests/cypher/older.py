"""Turn the graph of a folder into one that an earlier version of the program wrote."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import cypher
from cypher.embedded.session import Session
from groundwork import manifest
from groundwork.manifest import FileEntry
from groundwork.settings import Settings


def make_older(folder: Path, settings: Settings, *, changes: Sequence[str] = (), noted: bool = True) -> None:
    """Keep the content in a ladybug database alone, as an earlier version did.

    Args:
        folder: The folder of the graph.
        settings: The settings of the graph.
        changes: Statements that change the database, for example to remove a column that still earlier versions lacked.
        noted: Whether the folder gets a manifest, which the first versions did not write.
    """
    with closing(cypher.connect(f"embedded:{folder}", settings)) as graph:
        graph.draw()
    drawn = max(folder.glob("drawn/*/graph.lbug"), key=lambda database: database.stat().st_mtime_ns)
    drawn.rename(folder / "graph.lbug")
    if changes:
        with closing(Session(folder / "graph.lbug", settings)) as session:
            for change in changes:
                session.run(change)
    for path in [folder / "graph.json", folder / "drawn", *folder.glob("state-*")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / "names.sqlite").write_bytes(b"an index of names")
    (folder / "format").write_text("1\nmanifest\n" if noted else "1\n")
    if noted:
        files = {name: FileEntry.of(folder / name) for name in ("graph.lbug", "names.sqlite", "format")}
        manifest.write(folder / "manifest.json", {"state": "whole", "files": manifest.plain(files)})
