"""The process that draws the database for free queries (see `cypher.embedded.database`).

It reads its orders from standard input, as JSON: `graph` (the folder of the graph whose current state it draws), `path`
(the database to write), `home`, `syst`, `rand` and `threads`; during a load also `state`, `releases` and `name`. It
writes lines of JSON: a number of rows whenever rows are written, and at last `drawn` with the name of the database, or
`failed` with the reason.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from cypher import schema
from cypher.embedded.database import name_of
from cypher.embedded.folder import Folder
from cypher.embedded.session import Session
from cypher.embedded.state import State
from cypher.embedded.worker import end_with_parent
from groundwork.errors import TruthHypoError
from groundwork.records import Release
from groundwork.settings import Settings
from groundwork.tables import concept_batch
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

_CONCEPTS, _EDGES = 50_000, 500_000  # rows that are made together


def main(parent: int) -> NoReturn:
    """Draw one database, and end this process; end it also when the parent has died.

    Args:
        parent: The process id of the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, and the parent ends this process
    Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # discards what libraries print, which must not mix with answers
    order = json.load(sys.stdin)
    try:
        for rows in _draw(order):
            print(rows, file=answers, flush=True)
        said = {"drawn": order["name"]}
    except Exception as error:  # noqa: BLE001 - the parent tells the user what the error means
        said = {"failed": error.seen if isinstance(error, TruthHypoError) else str(error) or type(error).__name__}
    print(json.dumps(said), file=answers, flush=True)
    os._exit(0)


def _draw(order: dict[str, Any]) -> Iterator[int]:
    """Write the database, and yield numbers of rows that are written."""
    settings = Settings(home=Path(order["home"]), syst=order["syst"], rand=order["rand"], threads=order["threads"])
    if "state" in order:
        state = State.opened(Path(order["state"])) if order["state"] else State.empty()
        releases = [Release.of(release) for release in order["releases"]]
    else:
        folder = Folder(Path(order["graph"]), settings, read_only=True)
        while order.get("name") != (name := name_of(folder, settings)):  # a load may end between two of these lines
            order["name"] = name
            state, releases = folder.state, [one for one in folder.releases if one.state != "loading"]
    session = Session(order["path"], settings)
    schema.create(session)
    every = state.book.every_concept()
    while concepts := list(islice(every, _CONCEPTS)):
        session.copy(schema.CONCEPT, schema.concept_rows(pa.Table.from_batches([concept_batch(concepts)])))
        yield len(concepts)
    kinds = state.atlas.kind
    for number, kind in enumerate(state.atlas.kinds):
        if kind not in {SIMILAR_TO, CONTRADICTS}:
            links = np.flatnonzero(kinds == number)
            parts = [state.edges(some, origin=True) for some in np.array_split(links, len(links) // _EDGES + 1)]
            rows = pa.Table.from_batches(parts)
            session.copy(kind.upper(), schema.edge_rows(rows, rows["changed_in"], settings))
            yield len(links)
    similar = pa.Table.from_batches([state.similar()])
    session.copy(SIMILAR_TO.upper(), schema.similarity_rows(similar))
    session.copy(CONTRADICTS.upper(), schema.contradiction_rows(state.opposed()))
    session.copy(schema.RELEASE, schema.release_rows(releases))
    session.close()
