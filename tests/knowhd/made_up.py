"""Names that no parser and no list of genes has seen, for sentences that must be read by their structure alone."""

from pathlib import Path

import cypher
from groundwork.linking import Linker
from groundwork.records import Concept
from groundwork.settings import Settings
from groundwork.tables import concept_batch

_NAMED = {
    "Chemical": "quelistat, zorbafen, mirvanib, drelutine, fostakin, pelumab",
    "Disease": "krell fever, head and neck cancer|head and neck neoplasms",
    "Gene": "QLT2, ZRB1, MRV3, DRL4, FST5, p53",
}


def linker(home: Path) -> Linker:
    """A linker that knows the names."""
    graph = cypher.connect("memory:", Settings(home=home), read_only=False)
    concepts = [
        Concept(f"{kind}|{number}", names[0], tuple(names), (9,) * len(names))
        for kind, listed in _NAMED.items()
        for number, names in enumerate((each.split("|") for each in listed.split(", ")), start=1)
    ]
    with graph.writing():
        graph.put_concepts([concept_batch(concepts)])
    return Linker(graph)
