"""Find concepts with names similar to a phrase.

The embedder is the one that made the graph's newest similarity edges. The vectors of the names are stored under HOME.
"""

import json
from pathlib import Path

from fuzzygraph.membership import Membership
from fuzzygraph.terms import fitted, newest_set
from groundwork.errors import InputError
from groundwork.ports import GraphReader, Neighbours
from groundwork.records import SimilaritySet

_SPELLING = "trigram"


def connect(graph: GraphReader, home: Path) -> Neighbours:
    """Return an object that finds the concepts nearest to a phrase. The embedder is loaded immediately.

    Raises:
        InputError: The graph has no similarity edges, or the embedder needs the extra `models`.
        ModelUnreachable: The embedder is no longer available.
    """
    from fuzzygraph.similarity.embed import connect as embedder
    from fuzzygraph.similarity.near import NearNames

    releases = graph.releases()
    last = newest_set(releases)
    if last is None or last.similarity is None:
        raise InputError(
            f"no similarity edges in {graph.address}",
            "edges of an embedder, whose vectors are stored under HOME",
            "run: truthhypo ingest similarity; or turn neighbours off",
        )
    made = last.similarity
    k, s0, _ = fitted(releases)
    model = embedder(_asked(made), pooling=made.pooling or "auto")
    return NearNames(graph, model, home, Membership("scaled", k, s0))


def told(graph: GraphReader, home: Path) -> str:
    """Describe the available neighbours without loading anything."""
    last = newest_set(graph.releases())
    if last is None or last.similarity is None:
        return "none: the graph has no similarity edges (truthhypo ingest similarity)"
    model = last.similarity.model
    begins = f"{_SPELLING if model.startswith(_SPELLING) else model} "
    if not any(_identity(file).startswith(begins) for file in home.glob("vectors/*/about.json")):
        return f"none: HOME has no vectors by {model} (truthhypo ingest similarity)"
    return f"vectors by {model}: `risk --neighbours` suggests concepts for a phrase that links to none"


def _asked(made: SimilaritySet) -> str:
    """Return the embedder's name as the user gave it. The name on the edges may also contain the pooling."""
    if made.model.startswith(_SPELLING):
        return _SPELLING
    return made.model.removesuffix(f" ({made.pooling})")


def _identity(file: Path) -> str:
    try:
        return str(json.loads(file.read_text("utf-8"))["identity"])
    except (OSError, ValueError, KeyError):
        return ""
