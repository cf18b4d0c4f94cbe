"""A linker that knows the names a test gives it."""

from collections.abc import Mapping
from pathlib import Path

import cypher
from groundwork.linking import Linker
from groundwork.records import Concept
from groundwork.settings import Settings
from groundwork.tables import concept_batch


def knowing(home: Path, named: Mapping[str, str]) -> Linker:
    """Return a linker. `named` lists concepts by type: commas separate concepts, and | the names of a concept."""
    graph = cypher.connect("memory:", Settings(home=home), read_only=False)
    concepts = [
        Concept(f"{kind}|{number}", names[0], tuple(names), (9,) * len(names))
        for kind, listed in named.items()
        for number, names in enumerate((each.split("|") for each in listed.split(", ")), start=1)
    ]
    with graph.writing():
        graph.put_concepts([concept_batch(concepts)])
    return Linker(graph)
