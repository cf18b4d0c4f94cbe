"""Captions of concepts and links to public databases, for viewers of the graph such as Neo4j Browser."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cypher.atlas.atlas import ranges
from groundwork.records import Concept
from groundwork.vocabulary import VARIANTS, links

#: Short address of PubMed, which forwards to the long one. With the long one, a store of Neo4j would be larger.
_PUBMED = "https://pubmed.gov/"
#: Maximum number of PMIDs in the address of an edge.
_LINKED = 20
#: The HGVS name, or the RS number, in a variant's id.
_HGVS = re.compile(r"(?:^|;)HGVS:([^;]+)")
_RS = re.compile(r"(?:(?:^|;)RS#:(?:rs)?|^(?:tmVar:)?rs)(\d+)(?=;|$)", re.IGNORECASE)


def caption(concept: Concept) -> str:
    """Return the name of a concept.

    If no name is known, return the type and the id (`Gene 5743`, `Chemical D001241`). For a variant without a name,
    return its HGVS name or rs number, or else its id.
    """
    if concept.synonyms:
        return concept.name
    if concept.type not in VARIANTS:
        return f"{concept.type} {concept.id.removeprefix('MESH:')}"
    if found := _HGVS.search(concept.id):
        return found[1]
    return f"rs{found[1]}" if (found := _RS.search(concept.id)) else concept.id


def url(concept: Concept) -> str | None:
    """Return the address of a page about a concept in a public database; None if no database is known for its id."""
    return next(iter(links(concept.key).values()), None)


def article_urls(pmids: pa.ListArray) -> pa.StringArray:
    """Return an address in PubMed for each list of ascending PMIDs: its only article, or its newest articles."""
    ends = pmids.offsets.to_numpy()
    counts = np.minimum(np.diff(ends), _LINKED)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    numbers = pmids.values.take(pa.array(ranges(ends[1:] - counts, counts))).cast(pa.string())
    terms = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), numbers), ",")
    one = pc.binary_join_element_wise(_PUBMED, terms, "")
    return pc.if_else(pa.array(counts == 1), one, pc.binary_join_element_wise(f"{_PUBMED}?term=", terms, ""))
